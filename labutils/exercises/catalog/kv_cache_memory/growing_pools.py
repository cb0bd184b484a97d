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


class APageTooMany(Pool):
    def wanted(self, held, tokens):
        return held // self.page_tokens + 1


class RoundsDown(Pool):
    def wanted(self, held, tokens):
        return held // self.page_tokens


class PagesForEachCall(Pool):
    """Rounds up the new tokens, whatever room the last page still has."""

    def grow(self, request, tokens):
        table, new = self.pages.get(request, []), -(-tokens // self.page_tokens)
        if new > len(self.free):
            return False
        self.pages[request] = table + [self.free.pop() for _ in range(new)]
        self.tokens[request] = self.tokens.get(request, 0) + tokens
        return True


class ForgetsWhatItHolds(Pool):
    """Counts the new tokens alone."""

    def wanted(self, held, tokens):
        return -(-tokens // self.page_tokens)


class TakesWhatThereIs(Pool):
    """Takes the free pages one by one, and finds out on the way that they do not suffice."""

    def grow(self, request, tokens):
        held, table = self.tokens.get(request, 0) + tokens, self.pages.setdefault(request, [])
        while len(table) < self.wanted(held, tokens):
            if not self.free:
                return False
            table.append(self.free.pop())
        self.tokens[request] = held
        return True


class LosesOnRefusal(Pool):
    """Takes pages one by one, and forgets those in its hands when there are too few."""

    def grow(self, request, tokens):
        held, table = self.tokens.get(request, 0) + tokens, list(self.pages.get(request, []))
        while len(table) < self.wanted(held, tokens):
            if not self.free:
                return False
            table.append(self.free.pop())
        self.pages[request], self.tokens[request] = table, held
        return True


class LeavesThemFree(Pool):
    """Hands out pages that stay in the free list."""

    def grow(self, request, tokens):
        held, table = self.tokens.get(request, 0) + tokens, self.pages.get(request, [])
        missing = self.wanted(held, tokens) - len(table)
        if missing > len(self.free):
            return False
        self.pages[request], self.tokens[request] = table + self.free[:missing], held
        return True


class CountsWhatItRefused(Pool):
    def grow(self, request, tokens):
        given = super().grow(request, tokens)
        if not given and request in self.tokens:
            self.tokens[request] += tokens
        return given


class KeepsOneBack(Pool):
    """Never hands out the last free page."""

    def grow(self, request, tokens):
        held, table = self.tokens.get(request, 0) + tokens, self.pages.get(request, [])
        if 0 < self.wanted(held, tokens) - len(table) == len(self.free):
            return False
        return super().grow(request, tokens)


class LosesThem(Pool):
    """Drops a table without giving its pages back."""

    def release(self, request):
        del self.pages[request], self.tokens[request]


class KeepsTheTable(Pool):
    """Gives pages back that the table still holds."""

    def release(self, request):
        self.free += self.pages[request]
        self.tokens[request] = 0


class RemembersTheCount(Pool):
    """Releases the pages, and keeps the number of tokens."""

    def release(self, request):
        self.free += self.pages.pop(request)
