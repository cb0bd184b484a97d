"""The books of a page pool: what is given in lab 5, beneath what the learner writes."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from labutils import arguments
from labutils.serving import OutOfBlocks, PageLeak

Request = Hashable


class PoolBooks:
    """A pool of ``num_blocks`` pages with room for the KV of ``page_tokens`` tokens each.

    Every page is in one place: *blank* (free, nothing worth finding in it), *idle* (free, findable
    under its key until somebody needs the page) or *held* by one request or more.

    - ``blank``: a list of pages;
    - ``idle``: a dict whose keys are pages, the one idle longest first;
    - ``held``: request -> its block table, the pages in the order of its tokens;
    - ``owners``: page -> in how many block tables it stands (a Counter);
    - ``keys``: request -> the keys of its prompt's full pages;
    - ``page_of`` and ``key_of``: key -> page, page -> key, of the pages that can be found.

    A subclass brings the verbs ``allocate``, ``extend`` and ``free``; the scheduler, the simulator
    and the engine then take it for a ``BlockManager``.
    """

    def __init__(self, num_blocks: int, page_tokens: int = 16):
        self.num_blocks = arguments.whole("num_blocks", num_blocks)
        self.page_tokens = arguments.whole("page_tokens", page_tokens)
        self.blank = list(range(self.num_blocks))[::-1]  # page 0 is given out first
        self.idle: dict[int, None] = {}
        self.held: dict[Request, list[int]] = {}
        self.owners: Counter[int] = Counter()
        self.keys: dict[Request, Sequence[Hashable]] = {}
        self.page_of: dict[Hashable, int] = {}
        self.key_of: dict[int, Hashable] = {}

    # ---- what the verbs are made of ---------------------------------------------------------

    @property
    def num_free(self) -> int:
        """Pages that can be had now: blank ones and idle ones."""
        return len(self.blank) + len(self.idle)

    def pages_for(self, tokens: int) -> int:
        """Pages that ``tokens`` tokens take, the last one perhaps filled in part."""
        return -(-tokens // self.page_tokens)

    def finder(self, page_of, keys, tokens, page_tokens) -> list[int]:
        """Pages that a newcomer may share; none, until a subclass knows how to find them."""
        return []

    def find(self, tokens: int, keys: Sequence[Hashable]) -> list[int]:
        """Pages that hold the beginning of a prompt, by its keys."""
        return list(self.finder(self.page_of, keys, tokens, self.page_tokens))

    def must_fit(self, request: Request, tokens: int, keys: Sequence[Hashable] = ()) -> None:
        """Raise ``OutOfBlocks`` unless ``allocate`` has the pages that it needs."""
        if not self.can_allocate(tokens, keys):
            raise OutOfBlocks(f"no room for the {tokens} tokens of request {request!r}")

    def hold(self, pages: Sequence[int]) -> Sequence[int]:
        """Count one owner more for each of ``pages``, and return them; none of them is idle now."""
        for page in pages:
            self.owners[page] += 1
            self.idle.pop(page, None)
        return pages

    def drop(self, page: int) -> None:
        """Nobody holds ``page`` any more: it has no owner and no key, and is blank."""
        self.owners[page] = 0
        self.page_of.pop(self.key_of.pop(page, None), None)
        self.blank.append(page)

    def publish(self, request: Request, computed_tokens: int) -> None:
        """Make the full pages of the first ``computed_tokens`` findable, each offered once."""
        keys = self.keys.get(request, ())
        full = min(computed_tokens // self.page_tokens, len(keys))
        for key, page in zip(keys[:full], self.held[request]):
            if key is not None and key not in self.page_of:
                self.page_of[key], self.key_of[page] = page, key
        self.keys[request] = (None,) * full + tuple(keys[full:])

    # ---- what the scheduler, the simulator and the engine ask --------------------------------

    @property
    def num_used(self) -> int:
        """Pages that some request holds; a shared page counts once."""
        return self.num_blocks - self.num_free

    @property
    def num_idle(self) -> int:
        """Pages that nobody holds and that can still be found."""
        return len(self.idle)

    def look_up(self, tokens: int, keys: Sequence[Hashable] = ()) -> tuple[int, int]:
        """What ``allocate`` would find: cached tokens, and the pages free beside theirs."""
        found = self.find(tokens, keys)
        return len(found) * self.page_tokens, self.num_free - sum(p in self.idle for p in found)

    def can_allocate(self, tokens: int, keys: Sequence[Hashable] = ()) -> bool:
        """Whether ``allocate`` would succeed now."""
        cached_tokens, free = self.look_up(tokens, keys)
        return self.pages_for(tokens) - cached_tokens // self.page_tokens <= free

    def can_extend(self, request: Request, tokens: int) -> bool:
        """Whether ``extend`` would succeed now."""
        return self.pages_for(tokens) - len(self.held[request]) <= self.num_free

    def extend_each(self, wanted: Iterable[tuple[Request, int]]) -> None:
        """``extend`` for pairs (request, tokens); the scheduler has made sure that they fit."""
        for request, tokens in wanted:
            self.extend(request, tokens)

    def room(self, request: Request) -> int:
        """Tokens that fit into the pages that a request holds; 0 if it holds none."""
        return len(self.held.get(request, ())) * self.page_tokens

    def table(self, request: Request) -> tuple[int, ...]:
        """The page numbers of a request, in the order of its tokens."""
        return tuple(self.held[request])

    def tables(self) -> dict[Request, tuple[int, ...]]:
        """All block tables, in the order of allocation."""
        return {request: tuple(pages) for request, pages in self.held.items()}

    def idle_pages(self) -> tuple[int, ...]:
        """The pages that nobody holds and that can be found, the one to be evicted first."""
        return tuple(self.idle)

    def ref_count(self, page: int) -> int:
        """How many requests hold ``page``, counted in their tables."""
        return sum(page in pages for pages in self.held.values())

    def check(self) -> None:
        """Recount everything; ``PageLeak`` says what does not add up."""
        report = self.audit()
        if wrong := {name: count for name, count in report.items() if name != "free" and count}:
            raise PageLeak(f"pages that do not add up: {wrong}")

    # ---- what a check reads -----------------------------------------------------------------

    def attempt(self, verb: str, *args):
        """What a verb returns, or ``"OutOfBlocks"`` where it raises that."""
        try:
            return getattr(self, verb)(*args)
        except OutOfBlocks:
            return "OutOfBlocks"

    def audit(self) -> dict[str, int]:
        """Pages that are free, that are nowhere, in two places, or whose owners are miscounted."""
        tables = self.held.values()
        holders = Counter(page for pages in tables for page in set(pages))
        places = Counter([*self.blank, *self.idle, *holders])
        twice = {page for page, count in places.items() if count > 1}
        twice |= {page for pages in tables for page in pages if pages.count(page) > 1}
        pages = range(self.num_blocks)
        return {
            "free": self.num_free,
            "lost": sum(page not in places for page in pages),
            "twice": len(twice),
            "miscounted": sum(self.owners[page] != holders[page] for page in pages),
        }

    def layout(self) -> dict[Request, list[int]]:
        """All block tables, with pages named 0, 1, … in the order in which they appear there.

        Which page it is does not matter; which tables share one does.
        """
        names: dict[int, int] = {}
        return {
            request: [names.setdefault(page, len(names)) for page in pages]
            for request, pages in self.held.items()
        }
