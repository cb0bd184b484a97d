"""The pools of pages of the allocator exercise: the one that conserves them, and those that do not.

``free`` and ``pages`` hold page numbers; ``tokens`` says what each request holds.
"""

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


class Wrong:
    class APageTooMany(Pool):
        """A request whose tokens fill their pages gets one page more than it needs."""

        def wanted(self, held, tokens):
            return held // self.page_tokens + 1

    class RoundsDown(Pool):
        """Some tokens have no page: what becomes of those that fill a page in part?"""

        def wanted(self, held, tokens):
            return held // self.page_tokens

    class PagesForEachCall(Pool):
        """Each call takes pages of its own. How many places are free in the request's last page?"""

        def grow(self, request, tokens):
            table, new = self.pages.get(request, []), -(-tokens // self.page_tokens)
            if new > len(self.free):
                return False
            self.pages[request] = table + [self.free.pop() for _ in range(new)]
            self.tokens[request] = self.tokens.get(request, 0) + tokens
            return True

    class NewTokensOnly(Pool):
        """You count pages for the new tokens alone. What does the request hold with them?"""

        def wanted(self, held, tokens):
            return -(-tokens // self.page_tokens)

    class TakesWhatThereIs(Pool):
        """A refused request keeps the pages that it got on the way. All or nothing: when do you
        know how many are needed?"""

        def grow(self, request, tokens):
            held, table = self.tokens.get(request, 0) + tokens, self.pages.setdefault(request, [])
            while len(table) < self.wanted(held, tokens):
                if not self.free:
                    return False
                table.append(self.free.pop())
            self.tokens[request] = held
            return True

    class LostOnRefusal(Pool):
        """A refused request has cost the pool pages: they left the free list, and are in no table.
        When do you know how many are needed?"""

        def grow(self, request, tokens):
            held, table = self.tokens.get(request, 0) + tokens, list(self.pages.get(request, []))
            while len(table) < self.wanted(held, tokens):
                if not self.free:
                    return False
                table.append(self.free.pop())
            self.pages[request], self.tokens[request] = table, held
            return True

    class NeverOffTheFreeList(Pool):
        """A page is handed out and still free: the next request gets it, too. What takes it off
        `free`?"""

        def grow(self, request, tokens):
            held, table = self.tokens.get(request, 0) + tokens, self.pages.get(request, [])
            missing = self.wanted(held, tokens) - len(table)
            if missing > len(self.free):
                return False
            self.pages[request], self.tokens[request] = table + self.free[:missing], held
            return True

    class CountsWhatItRefused(Pool):
        """A refused growth is remembered as if it had been granted. What must have changed after
        False?"""

        def grow(self, request, tokens):
            given = super().grow(request, tokens)
            if not given and request in self.tokens:
                self.tokens[request] += tokens
            return given

    class KeepsOneBack(Pool):
        """A request is refused although the free pages are as many as it needs."""

        def grow(self, request, tokens):
            held, table = self.tokens.get(request, 0) + tokens, self.pages.get(request, [])
            if 0 < self.wanted(held, tokens) - len(table) == len(self.free):
                return False
            return super().grow(request, tokens)

    class LostPages(Pool):
        """Pages are in no table and not free: they are lost. Who gives them back when a request
        goes?"""

        def release(self, request):
            del self.pages[request], self.tokens[request]

    class TwoOwners(Pool):
        """A page is free and in a table at once. The next request gets it, and two write into it:
        what becomes of the table of a request that is gone?"""

        def release(self, request):
            self.free += self.pages[request]
            self.tokens[request] = 0

    class RemembersTheCount(Pool):
        """A request that comes back is taken for as long as it was. What do you remember of one
        that is gone?"""

        def release(self, request):
            self.free += self.pages.pop(request)
