"""Page caches that are mended by half, or wrongly."""

from labutils.exercises.definition.patched import patched

from .shelf import PageCache

_SHEET = """
gives-up-the-cache: What is fully known is now computed from the first token on. How much of it has
    to be?
- found = self.known_pages(keys[: (tokens - 1) // self.page_tokens])
+ if len(self.known_pages(keys)) * self.page_tokens == tokens:
+     keys = ()
+ found = self.known_pages(keys[: (tokens - 1) // self.page_tokens])

nothing-to-compute: A prompt that is fully known leaves nothing to compute. Which token's output is
    needed in any case?
- found = self.known_pages(keys[: (tokens - 1) // self.page_tokens])
+ found = self.known_pages(keys[: tokens // self.page_tokens])

writes-where-others-read: A token is left to compute now, and the step writes it into a page that
    others read at this moment. Who else has that page?
- found = self.known_pages(keys[: (tokens - 1) // self.page_tokens])
- self.cached[request] = len(found) * self.page_tokens
+ found = self.known_pages(keys)
+ self.cached[request] = min(len(found) * self.page_tokens, tokens - 1)

keeps-the-last-page: The last page is computed again, and it stands in the table still: the step
    writes into a page that others read. When are the pages given out?
- found = self.known_pages(keys[: (tokens - 1) // self.page_tokens])
- self.cached[request] = len(found) * self.page_tokens
- self.fill(request, found, tokens)
+ found = self.known_pages(keys)
+ self.fill(request, found, tokens)
+ found = found[: (tokens - 1) // self.page_tokens]
+ self.cached[request] = len(found) * self.page_tokens

computes-behind-the-end: A prompt that is fully known gets a step behind its last token. There is
    none: which token is to be computed again?
- found = self.known_pages(keys[: (tokens - 1) // self.page_tokens])
+ found = self.known_pages(keys[: tokens // self.page_tokens])
- return self.cached[request], tokens
+ return self.cached[request], max(tokens, self.cached[request] + 1)

old-count-kept: The last page is given back, and your count is still that of all pages. What is left
    to compute then?
- found = self.known_pages(keys[: (tokens - 1) // self.page_tokens])
- self.cached[request] = len(found) * self.page_tokens
+ found = self.known_pages(keys[: tokens // self.page_tokens])
+ self.cached[request] = len(found) * self.page_tokens
+ found = found[: (tokens - 1) // self.page_tokens]

drops-what-is-whole: You drop the last page that was found wherever the tokens fill their pages. Is
    it the page of the last token each time?
- found = self.known_pages(keys[: (tokens - 1) // self.page_tokens])
+ found = self.known_pages(keys)[: None if tokens % self.page_tokens else -1]

takes-the-callers-key: You take a key out of what the caller handed to you, who names pages with it
    later. How do you look up fewer keys without changing them?
- found = self.known_pages(keys[: (tokens - 1) // self.page_tokens])
+ if len(keys) * self.page_tokens == tokens:
+     keys.pop()
+ found = self.known_pages(keys)

every-page-has-a-key: A page that was never filled has no key. What does your line do with it?
- self.page_of.pop(self.key_of.pop(page, None), None)
+ del self.page_of[self.key_of.pop(page)]

key-lost-twice: A page that was given out has its old key still, in one of the two books, and loses
    it once more. Which books have to forget together?
- self.page_of.pop(self.key_of.pop(page, None), None)
+ if page in self.key_of:
+     del self.page_of[self.key_of[page]]

plans-too-early: The end lies behind the last token: the length was worked out before the pages were
    found, from a count that no longer holds.
- return self.cached[request], tokens
+ return self.cached[request], self.cached[request] + tokens

cuts-the-end: The start is right, and the end is that of a shorter prompt. From where are the tokens
    counted?
- return self.cached[request], tokens
+ return self.cached[request], tokens - self.cached[request]

stale-key: A key leads to a page that holds something else by now. When does a key stop being true?
- self.page_of.pop(self.key_of.pop(page, None), None)

one-book: A key was forgotten that led to another page by then: `key_of` still had it for the old
    one. Which books have to forget together?
- self.key_of.pop(page, None)
+ self.key_of.get(page)

finds-nothing: Nothing is ever found. Which of the keys are to be looked up?
- keys[: (tokens - 1) // self.page_tokens]
+ ()

last-key-left-out: The last key is never looked up. Does its page always hold the last token?
- keys[: (tokens
+ keys[:-1][: (tokens

pages-without-keys-first: Pages without a key are taken first, whenever they became free. Which of
    the free pages has been unused longest?
- page = self.free.popleft()
+ page = next((one for one in self.free if one not in self.key_of), self.free[0])
+ self.free.remove(page)

forgets-too-early: Nobody is hurt, and nothing is found again after its owner has left. When does a
    key stop being true?
=     return page
+
+ def leave(self, request):
+     for page in self.tables[request]:
+         self.page_of.pop(self.key_of.pop(page, None), None)
+     super().leave(request)

keeps-the-old-count: A request that comes back keeps its old count, or is not looked up at all. What
    of it is found this time?
- self.cached[request] = len(found) * self.page_tokens
+ self.cached.setdefault(request, len(found) * self.page_tokens)

all-free-pages-forget: A single page that is given out makes all free pages lose their keys. Which
    of them gets new content?
- self.page_of.pop(self.key_of.pop(page, None), None)
+ for one in (page, *self.free):
+     self.page_of.pop(self.key_of.pop(one, None), None)

ends-with-the-full-pages: The end is that of the last full page. What becomes of the tokens behind
    it?
- return self.cached[request], tokens
+ return self.cached[request], len(keys) * self.page_tokens

newest-page: New pages come from the end of the line. Which of the free pages has been unused
    longest?
- self.free.popleft()
+ self.free.pop()
"""

MISTAKES = patched(PageCache, _SHEET)
