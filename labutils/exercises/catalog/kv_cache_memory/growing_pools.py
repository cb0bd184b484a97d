"""The pools of pages of the allocator exercise: the one that conserves them, and those that do not.

``free`` and ``pages`` hold page numbers; ``tokens`` says what each request holds.
"""

from labutils.exercises.definition.patched import patched
from labutils.serving.memory.race import PageBooks


class Pool(PageBooks):
    """Gives pages out as tokens come, and takes them back."""

    def grow(self, request, tokens):
        held, table = self.tokens.get(request, 0) + tokens, self.pages.get(request, [])
        missing = self.wanted(held, tokens) - len(table)
        if missing > len(self.free):
            return False
        self.pages[request] = table + [self.free.pop() for _ in range(missing)]
        self.tokens[request] = held
        return True

    def wanted(self, held, tokens):
        """Pages for a request that will hold ``held`` tokens, ``tokens`` of them new."""
        return -(-held // self.page_tokens)

    def release(self, request):
        self.free += self.pages.pop(request)
        del self.tokens[request]


_SHEET = """
a-page-too-many: A request whose tokens fill their pages gets one page more than it needs.
- return -(-held // self.page_tokens)
+ return held // self.page_tokens + 1

rounds-down: Some tokens have no page: what becomes of those that fill a page in part?
- return -(-held // self.page_tokens)
+ return held // self.page_tokens

pages-for-each-call: Each call takes pages of its own. How many places are free in the request's
    last page?
- missing = self.wanted(held, tokens) - len(table)
+ missing = self.wanted(tokens, tokens)

new-tokens-only: You count pages for the new tokens alone. What does the request hold with them?
- return -(-held // self.page_tokens)
+ return -(-tokens // self.page_tokens)

new-table-each-time: A request that grows has only its newest pages in the table. Where are those
    that it had?
- self.pages[request] = table + [
+ self.pages[request] = [

slice-of-none: Where no page is missing, all that is free is handed out: `free[-0:]` is the whole
    list. How many pages does a growth within the last page need?
- self.pages[request] = table + [self.free.pop() for _ in range(missing)]
+ self.pages[request] = table + self.free[-missing:]
+ del self.free[-missing:]

takes-what-there-is: A refused request keeps the pages that it got on the way. All or nothing: when
    do you know how many are needed?
- self.pages.get(request, [])
+ self.pages.setdefault(request, [])
- missing = self.wanted(held, tokens) - len(table)
- ...
+ while len(table) < self.wanted(held, tokens):
+     if not self.free:
+         return False
+     table.append(self.free.pop())
+ self.tokens[request] = held
+ return True

lost-on-refusal: A refused request has cost the pool pages: they left the free list, and are in no
    table. When do you know how many are needed?
- self.pages.get(request, [])
+ list(self.pages.get(request, []))
- missing = self.wanted(held, tokens) - len(table)
- ...
+ while len(table) < self.wanted(held, tokens):
+     if not self.free:
+         return False
+     table.append(self.free.pop())
+ self.pages[request], self.tokens[request] = table, held
+ return True

never-off-the-free-list: A page is handed out and still free: the next request gets it, too. What
    takes it off `free`?
- table + [self.free.pop() for _ in range(missing)]
+ table + self.free[:missing]

counts-what-it-refused: A refused growth is remembered as if it had been granted. What must have
    changed after False?
- if missing > len(self.free):
+ if missing > len(self.free):
+     self.tokens |= {request: held} if request in self.tokens else {}

keeps-one-back: A request is refused although the free pages are as many as it needs.
- if missing > len(self.free):
+ if missing > max(0, len(self.free) - 1):

lost-pages: Pages are in no table and not free: they are lost. Who gives them back when a request
    goes?
- self.free += self.pages.pop(request)
+ del self.pages[request]

two-owners: A page is free and in a table at once. The next request gets it, and two write into it:
    what becomes of the table of a request that is gone?
- self.free += self.pages.pop(request)
- del self.tokens[request]
+ self.free += self.pages[request]
+ self.tokens[request] = 0

remembers-the-count: A request that comes back is taken for as long as it was. What do you remember
    of one that is gone?
- del self.tokens[request]
"""

MISTAKES = patched(Pool, _SHEET)
