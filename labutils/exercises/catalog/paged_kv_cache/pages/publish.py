"""pages.publish · Make computed pages findable · 4 minutes

> How many pages were full before this step, and how many are full after it? Those between are new.
> `first = (request.computed - new_tokens) // self.page_tokens` and `full = request.computed //
  self.page_tokens`. Keys and pages of that stretch go together.
> for key, page in zip(request.keys[first:full], request.pages[first:full]): if the key is not in
  self.page_of yet: self.page_of[key], self.key_of[page] = page, key.

A page is published when it is full, and not before: its key names all its tokens. A chunk that ends
in the middle of a page leaves it to a later step, so what counts is full pages before and after,
not new tokens over page size. `zip` ends with the shorter list: pages of the answer have no key
here. Where two requests computed the same page at once, one of the two stays findable; the other
one is blank as soon as its request leaves.
"""

from labutils.exercises.definition.sheet import exercise

from . import walks
from .pool_walk import piece_of_pool

_MISTAKES = """
answers-too: A page of the answer has no key: `keys` ends with the prompt's last full page, and the
    pages go on.
- for key, page in zip(request.keys[first:full], request.pages[first:full]):
+ for n in range(first, full):
+     key, page = request.keys[n], request.pages[n]

begun-before: A page that earlier steps began and this one has filled is never found. Is the first
    page to look at rounded up?
- first = (request.computed - new_tokens) // self.page_tokens
+ first = self.pages_for(request.computed - new_tokens)

not-computed-yet: Pages can be found before they are computed: another request reads what is not
    there yet. How far is this one?
- first = (request.computed - new_tokens) // self.page_tokens
- full = request.computed // self.page_tokens
+ first, full = 0, len(request.keys)

half-full-pages: A page that is filled in part can be found, and whoever finds it takes it for full.
- first = (request.computed - new_tokens) // self.page_tokens
- full = request.computed // self.page_tokens
+ first, full = 0, self.pages_for(request.computed)

counts-new-tokens-twice: When `publish` is called, the new tokens are in `request.computed` already.
    Where did they begin?
- first = (request.computed - new_tokens) // self.page_tokens
- full = request.computed // self.page_tokens
+ first = request.computed // self.page_tokens
+ full = (request.computed + new_tokens) // self.page_tokens

counts-new-tokens-alone: A page that was begun in one step and filled in the next is never
    published. Count full pages before the step and after it.
- full = request.computed // self.page_tokens
+ full = first + new_tokens // self.page_tokens

the-latest-wins: Two requests computed the same page, and the second one took the key over: the
    first page still has the key and is found no more. Which of the two is to be found?
- if key not in self.page_of:
-     self.page_of[key], self.key_of[page] = page, key
+ self.page_of[key], self.key_of[page] = page, key

one-way: The key leads to the page, and the page does not know its key. How will it be forgotten
    when the page gets new content?
- self.page_of[key], self.key_of[page] = page, key
+ self.page_of[key] = page

never-published: Nothing of this request is ever found. Which two dicts lead from a key to a page
    and back?
- full = request.computed // self.page_tokens
+ full = first

other-pages: Key and page do not belong together: the third key names the third page of the table.
- request.pages[first:full]
+ request.pages
"""

PUBLISH = exercise(
    __doc__,
    piece_of_pool(
        _MISTAKES, "publish", through=(walks.in_chunks, walks.side_by_side, walks.same_beginning)
    ),
)
