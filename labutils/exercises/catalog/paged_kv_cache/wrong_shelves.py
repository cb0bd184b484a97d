"""Page caches that are mended by half, or wrongly."""

from .shelf import PageCache


class NothingToCompute(PageCache):
    """A prompt whose pages are all known has no token left."""

    def admit(self, request, tokens, keys):
        return super().admit(request, tokens + 1, keys)[0], tokens


class WritesWhereOthersRead(PageCache):
    """Computes one token of a prompt that is fully known, in a page that others read."""

    def admit(self, request, tokens, keys):
        found = self.known_pages(keys)
        self.cached[request] = min(len(found) * self.page_tokens, tokens - 1)
        self.fill(request, found, tokens)
        return self.cached[request], tokens


class GivesUpTheCache(PageCache):
    """A prompt that is known in full is computed from the beginning."""

    def admit(self, request, tokens, keys):
        if len(self.known_pages(keys)) * self.page_tokens == tokens:
            keys = ()
        return super().admit(request, tokens, keys)


class PlansTooEarly(PageCache):
    """Plans the step before it knows what is found."""

    def admit(self, request, tokens, keys):
        start, _ = super().admit(request, tokens, keys)
        return start, start + tokens


class CutsTheEnd(PageCache):
    """Plans too early and clamps: the numbers fit, and somebody else's count is off."""

    def admit(self, request, tokens, keys):
        start, end = super().admit(request, tokens, keys)
        return start, end - start


class KeepsStaleKeys(PageCache):
    def new_page(self):
        return self.free.popleft()


class FindsNothing(PageCache):
    """Looks nothing up."""

    def admit(self, request, tokens, keys):
        return super().admit(request, tokens, ())


class LeavesOutTheLastKey(PageCache):
    """Takes the page of the last key for that of the last token."""

    def admit(self, request, tokens, keys):
        return super().admit(request, tokens, keys[:-1])


class KeepsTheOldCount(PageCache):
    """Notes what was found only once."""

    def admit(self, request, tokens, keys):
        before = self.cached.get(request)
        start, end = super().admit(request, tokens, keys)
        self.cached[request] = start if before is None else before
        return self.cached[request], end


class PagesWithoutKeysFirst(PageCache):
    """Keeps what can be found as long as it may, as lab 5's pool does with blank pages."""

    def new_page(self):
        page = next((one for one in self.free if one not in self.key_of), self.free[0])
        self.free.remove(page)
        self.page_of.pop(self.key_of.pop(page, None), None)
        return page


class ForgetsInOneBook(PageCache):
    """The key no longer leads to the page, which still has it."""

    def new_page(self):
        page = self.free.popleft()
        self.page_of.pop(self.key_of.get(page), None)
        return page


class ForgetsWhenFreed(PageCache):
    """Forgets the keys of everybody who leaves: right, and nothing is ever found again."""

    def leave(self, request):
        for page in self.tables[request]:
            self.page_of.pop(self.key_of.pop(page, None), None)
        super().leave(request)


class NewestPage(PageCache):
    """Takes the page that was freed last."""

    def new_page(self):
        page = self.free.pop()
        self.page_of.pop(self.key_of.pop(page, None), None)
        return page
