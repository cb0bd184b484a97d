"""The workbook's own pools of lab 5, step by step."""

from itertools import takewhile

from labutils.serving import OutOfBlocks

from .books import PoolBooks


class Pages(PoolBooks):
    """Pages for tokens as they come: all that is asked for, or nothing."""

    def allocate(self, request, tokens, keys=(), *, count=True):
        self.held[request] = self.take(self.pages_for(tokens))
        return 0

    def extend(self, request, tokens):
        self.held[request] += self.take(self.pages_for(tokens) - len(self.held[request]))

    def take(self, count):
        if count > self.num_free:
            raise OutOfBlocks(f"{count} pages are wanted, {self.num_free} are free")
        return self.hold([self.blank.pop() for _ in range(count)])

    def free(self, request):
        for page in reversed(self.held.pop(request)):
            self.drop(page)


def find(page_of, keys, tokens, page_tokens):
    """Pages that a prompt may share: from its first key on, without a gap, not its last token's."""
    may_share = keys[: (tokens - 1) // page_tokens]
    return [page_of[key] for key in takewhile(page_of.__contains__, may_share)]


class Sharing(Pages):
    """A page may stand in several block tables; who leaves last gives it back."""

    finder = staticmethod(find)

    def allocate(self, request, tokens, keys=(), *, count=True):
        self.must_fit(request, tokens, keys)
        found = self.find(tokens, keys)
        self.hold(found)
        self.held[request] = found + self.take(self.pages_for(tokens) - len(found))
        self.keys[request] = keys
        return len(found) * self.page_tokens

    def free(self, request):
        for page in reversed(self.held.pop(request)):
            self.owners[page] -= 1
            if not self.owners[page]:
                self.drop(page)


class Evicting(Sharing):
    """What nobody holds stays findable until its page is needed; idle longest goes first."""

    def drop(self, page):
        if page in self.key_of:
            self.idle[page] = None
        else:
            super().drop(page)

    def take(self, count):
        if count <= self.num_free:
            while len(self.blank) < count:
                page = next(iter(self.idle))
                del self.idle[page]
                super().drop(page)
        return super().take(count)
