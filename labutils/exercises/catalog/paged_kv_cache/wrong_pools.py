"""Pools of lab 5 that go wrong, each in one way."""

from labutils.serving import OutOfBlocks

from .books import PoolBooks
from .pools import Evicting, Pages, Sharing

# ---- step 1 goes wrong ------------------------------------------------------------------------


class APageTooMany(Pages):
    def pages_for(self, tokens):
        return tokens // self.page_tokens + 1


class RoundsDown(Pages):
    def pages_for(self, tokens):
        return tokens // self.page_tokens


class AddsWhatIsThere(Pages):
    """Takes ``tokens`` of ``extend`` for tokens that come on top."""

    def extend(self, request, tokens):
        self.held[request] += self.take(self.pages_for(tokens))


class TakesWhatThereIs(Pages):
    """Takes page by page, and finds out on the way that they do not suffice."""

    def allocate(self, request, tokens, keys=(), *, count=True):
        self.held[request] = []
        self.extend(request, tokens)
        return 0

    def extend(self, request, tokens):
        for _ in range(self.pages_for(tokens) - len(self.held[request])):
            self.held[request] += self.take(1)


class LosesThem(Pages):
    def free(self, request):
        for page in self.held.pop(request):
            self.owners[page] = 0


class KeepsTheTable(Pages):
    def free(self, request):
        for page in self.held[request]:
            self.drop(page)


class CountsNoOwners(Pages):
    def hold(self, pages):
        return pages


class KeepsOneBack(Pages):
    def take(self, count):
        if 0 < count == self.num_free:
            raise OutOfBlocks("the last page")
        return super().take(count)


# ---- step 4 goes wrong ------------------------------------------------------------------------


class FreesForAll(Sharing):
    """Gives a page back although others still read it."""

    def free(self, request):
        for page in reversed(self.held.pop(request)):
            self.drop(page)


class NeverGivesBack(Sharing):
    """Forgets to count down: the page has an owner for ever."""

    def free(self, request):
        for page in reversed(self.held.pop(request)):
            if self.owners[page] == 1:
                self.owners[page] = 0
                self.drop(page)


class CountsOnlyFresh(Sharing):
    """Finds pages, and does not count itself among their owners."""

    def allocate(self, request, tokens, keys=(), *, count=True):
        self.must_fit(request, tokens, keys)
        found = self.find(tokens, keys)
        self.held[request] = found + self.take(self.pages_for(tokens) - len(found))
        self.keys[request] = keys
        return len(found) * self.page_tokens


class HoldsWhatIsRefused(Sharing):
    """Counts itself among the owners before it knows whether there is room for the rest."""

    def must_fit(self, request, tokens, keys=()):
        pass


class AllPagesFresh(Sharing):
    """Puts what it found in front of as many pages as if it had found nothing."""

    def allocate(self, request, tokens, keys=(), *, count=True):
        self.must_fit(request, tokens, keys)
        found = self.find(tokens, keys)
        self.hold(found)
        self.held[request] = found + self.take(self.pages_for(tokens))
        self.keys[request] = keys
        return len(found) * self.page_tokens


class CountsPages(Sharing):
    """Returns pages where tokens are asked for."""

    def allocate(self, request, tokens, keys=(), *, count=True):
        return super().allocate(request, tokens, keys) // self.page_tokens


class NeverPublishes(Sharing):
    """Does not note the keys, so nothing of this request is ever found."""

    def allocate(self, request, tokens, keys=(), *, count=True):
        cached = super().allocate(request, tokens, keys)
        self.keys[request] = ()
        return cached


# ---- step 5 goes wrong ------------------------------------------------------------------------


class NewestFirst(Evicting):
    """Evicts the page that became idle last."""

    def take(self, count):
        if count <= self.num_free:
            while len(self.blank) < count:
                page, _ = self.idle.popitem()
                PoolBooks.drop(self, page)
        return super().take(count)


class TakesBeforeItHolds(Evicting):
    """Takes fresh pages while those that it found are still idle: right in step 6, not here."""

    def allocate(self, request, tokens, keys=(), *, count=True):
        self.must_fit(request, tokens, keys)
        found = self.find(tokens, keys)
        fresh = self.take(self.pages_for(tokens) - len(found))
        self.hold(found)
        self.held[request], self.keys[request] = found + fresh, keys
        return len(found) * self.page_tokens


class HeadFirst(Evicting):
    """Lets the head of a prompt go idle before its tail."""

    def free(self, request):
        for page in self.held.pop(request):
            self.owners[page] -= 1
            if not self.owners[page]:
                self.drop(page)


class IdleFirst(Evicting):
    """Evicts while blank pages are left."""

    def take(self, count):
        if count <= self.num_free:
            for page in list(self.idle)[:count]:
                del self.idle[page]
                PoolBooks.drop(self, page)
        return super().take(count)


class EvictsForNothing(Evicting):
    """Throws out what it has, and then finds that it does not suffice."""

    def take(self, count):
        while len(self.blank) < count and self.idle:
            page = next(iter(self.idle))
            del self.idle[page]
            PoolBooks.drop(self, page)
        return super().take(count)


class KeepsTheKey(Evicting):
    """Reuses a page and leaves its old key in the books."""

    def take(self, count):
        if count <= self.num_free:
            while len(self.blank) < count:
                page = next(iter(self.idle))
                del self.idle[page]
                self.blank.append(page)
        return super().take(count)


class NothingIsIdle(Evicting):
    """Forgets every page that nobody holds."""

    def drop(self, page):
        PoolBooks.drop(self, page)


class AllIsIdle(Evicting):
    """Keeps pages that nobody can find, behind those that somebody might ask for."""

    def drop(self, page):
        self.idle[page] = None
