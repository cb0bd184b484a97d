"""KV memory in pages: which request holds which, what may be shared, what goes when it runs out."""

from array import array
from collections import Counter, OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from hashlib import blake2b

from labutils.ground import arguments

from .request import Request


class RequestTooLong(ValueError):
    """A request that could outgrow the whole memory: it is refused when it arrives."""


class OutOfPages(RuntimeError):
    """The pages asked for are not there. Nothing was changed."""


class PageLeak(AssertionError):
    """The pool's books do not agree with the pages that requests hold."""


class PagePool:
    """``num_pages`` pages with room for the keys and values of ``page_tokens`` tokens each.

    After PagedAttention (Kwon et al., 2023) and vLLM's block pool. Every page is in one place:
    *blank* (free, nothing worth finding), *idle* (free, but found under its key until it is needed)
    or *held* by ``owners[page]`` requests. Only full, computed pages of a prompt have a key. Blank
    pages go first, then the one that has been idle longest.
    """

    def __init__(self, num_pages: int, page_tokens: int = 16):
        self.num_pages = arguments.whole("num_pages", num_pages, at_most=10_000_000)
        self.page_tokens = arguments.whole("page_tokens", page_tokens)
        self.blank = list(range(self.num_pages))[::-1]  # a stack: page 0 on top
        self.idle: OrderedDict[int, None] = OrderedDict()  # idle longest first
        self.owners = [0] * self.num_pages
        self.page_of: dict[Hashable, int] = {}
        self.key_of: dict[int, Hashable] = {}

    @property
    def num_free(self) -> int:
        """Pages that can be had now."""
        return len(self.blank) + len(self.idle)

    def pages_for(self, tokens: int) -> int:
        """Pages that ``tokens`` tokens take, the last one perhaps filled in part."""
        return -(-tokens // self.page_tokens)

    def refuse_too_long(self, request: Request) -> None:
        """``RequestTooLong`` for a request that could outgrow the whole pool."""
        needed = self.pages_for(request.most - 1)  # the last token of an answer is never computed
        if needed > self.num_pages:
            raise RequestTooLong(
                f"request {request.id!r} may need {needed} pages: expected at most "
                f"{self.num_pages}, the whole pool"
            )

    def find(self, request: Request) -> list[int]:
        """The pages that hold the beginning of its prompt, in order, up to the first gap.

        Never that of its last known token: something has to be computed to get a token at all.
        """
        found: list[int] = []
        for key in request.keys[: (request.known - 1) // self.page_tokens]:
            if key not in self.page_of:
                break
            found.append(self.page_of[key])
        return found

    def fits(self, request: Request) -> bool:
        """Whether ``start`` would succeed now."""
        found = self.find(request)
        idle = sum(not self.owners[page] for page in found)
        return self.pages_for(request.known) - len(found) <= self.num_free - idle

    def start(self, request: Request) -> None:
        """Give it pages for all known tokens; what is found counts as computed.

        All or nothing: ``OutOfPages`` changes nothing.
        """
        if not self.fits(request):
            raise OutOfPages(f"request {request.id!r} finds {self.num_free} free pages: too few")
        found = self.find(request)
        self.hold(found)  # first, so that none of them is evicted for the others
        request.pages = found + self.take(self.pages_for(request.known) - len(found))
        request.room = len(request.pages) * self.page_tokens
        request.computed = len(found) * self.page_tokens
        request.cached = request.computed if request.cached is None else request.cached

    def grow(self, request: Request) -> None:
        """Give it one more page. ``OutOfPages`` changes nothing."""
        request.pages += self.take(1)
        request.room += self.page_tokens

    def publish(self, request: Request, new_tokens: int) -> None:
        """Make the pages findable that its last ``new_tokens`` computed tokens have filled.

        Where two requests computed the same page at the same time, the first one is found.
        """
        first = (request.computed - new_tokens) // self.page_tokens
        full = request.computed // self.page_tokens
        for key, page in zip(request.keys[first:full], request.pages[first:full]):
            if key not in self.page_of:
                self.page_of[key], self.key_of[page] = page, key

    def release(self, request: Request) -> None:
        """Take its pages back, the last first: a prefix without its head is of no use."""
        for page in reversed(request.pages):
            self.owners[page] -= 1
            if not self.owners[page]:
                self.drop(page)
        request.pages, request.room, request.computed = [], 0, 0

    def take(self, count: int) -> list[int]:
        """Hold ``count`` pages that nothing holds. ``OutOfPages`` changes nothing."""
        if count > self.num_free:
            raise OutOfPages(f"{count} pages are wanted, {self.num_free} are free")
        taken = [self.blank.pop() if self.blank else self.evict() for _ in range(count)]
        for page in taken:
            self.owners[page] = 1
        return taken

    def hold(self, pages: Iterable[int]) -> None:
        """One more request holds each of ``pages``."""
        for page in pages:
            self.owners[page] += 1
            self.idle.pop(page, None)

    def drop(self, page: int) -> None:
        """Nothing holds ``page`` any more: it is idle if it can be found, else blank."""
        if page in self.key_of:
            self.idle[page] = None
        else:
            self.blank.append(page)

    def evict(self) -> int:
        """Forget the page that has been idle longest; returns it."""
        page, _ = self.idle.popitem(last=False)
        del self.page_of[self.key_of.pop(page)]
        return page

    def check(self, requests: Iterable[Request] = ()) -> None:
        """Recount the pages; ``requests`` are all that hold some. ``PageLeak`` says what is off."""
        held = Counter(page for request in requests for page in request.pages)
        places, blank = Counter([*self.blank, *self.idle, *held]), {*self.blank}
        keys = {page: key for key, page in self.page_of.items()}
        if places.keys() - range(self.num_pages) or keys != self.key_of:
            raise PageLeak("pages outside the pool, or keys and pages that do not match")
        for page, books in enumerate(self.owners):
            where = held if held[page] else self.idle if page in keys else blank
            if places[page] != 1 or page not in where or books != held[page]:
                raise PageLeak(
                    f"page {page}: in {places[page]} places of blank, idle and held (expected 1); "
                    f"{held[page]} requests hold it, {books} by the books; findable: {page in keys}"
                )


def page_keys(tokens: Sequence[int], page_tokens: int, *, salt: str = "") -> tuple[bytes, ...]:
    """Names of the full pages of ``tokens``: a digest of the last name and the page's own tokens.

    Keys and values of a token depend on all before it, so equal names have to mean equal prefixes.
    Prompts with different ``salt`` never share a page (two tenants, two adapters).
    """
    names, name = [], blake2b(salt.encode(), digest_size=16).digest()
    for end in range(page_tokens, len(tokens) + 1, page_tokens):
        page = array("q", tokens[end - page_tokens : end]).tobytes()
        name = blake2b(name + page, digest_size=16).digest()
        names.append(name)
    return tuple(names)
