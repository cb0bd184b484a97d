"""KV memory in pages: who holds which, what may be shared, what goes first when memory runs out.

After PagedAttention (Kwon et al., 2023) and vLLM's block pool: a request holds whole pages,
anywhere in the pool; a full page whose key is known may be held by several requests; a page that
nobody holds keeps its content until it is needed, and the one unused longest goes first. Of one
request the tail goes before the head, since a prefix without its head is of no use to anybody.
"""

from collections import deque
from collections.abc import Hashable, Iterable, Sequence

from labutils import arguments

from .holdings import Holding, Holdings
from .page_audit import PageLeak, audit

__all__ = ["BlockManager", "OutOfBlocks", "PageLeak"]


class OutOfBlocks(RuntimeError):
    """The memory asked for is not there. Nothing was changed."""


class BlockManager:
    """A pool of ``num_blocks`` pages with room for the KV of ``page_tokens`` tokens each.

    Every page is in exactly one place: *blank* (free, no content worth finding), *idle* (free, but
    findable under its key until it is reallocated) or *held* by one or more requests. Only full,
    computed pages have a key. ``check`` proves all this; every operation is amortised O(1) a page.

    ``queries`` and ``hits`` count full prompt pages looked for and found by ``allocate``.
    """

    def __init__(self, num_blocks: int, page_tokens: int = 16, *, prefix_sharing: bool = True):
        self.num_blocks = arguments.whole("num_blocks", num_blocks)
        self.page_tokens = arguments.whole("page_tokens", page_tokens)
        self.prefix_sharing = prefix_sharing
        self.hits = self.queries = 0
        self._held = Holdings()
        self._blank = list(range(self.num_blocks))[::-1]  # a stack: page 0 on top
        self._page_of: dict[Hashable, int] = {}
        self._key_of: list[Hashable] = [None] * self.num_blocks  # the latest one, found or not
        self._holders = [0] * self.num_blocks  # counted for pages with a key only
        # Idle pages, unused longest first. A page that is hit again leaves its entry behind: the
        # first `_stale[page]` entries of a page count for nothing (lazy deletion).
        self._order: deque[int] = deque()
        self._stale = [0] * self.num_blocks
        self._num_idle = 0

    @property
    def num_free(self) -> int:
        """Pages that can be had now: blank ones and idle ones."""
        return len(self._blank) + self._num_idle

    @property
    def num_used(self) -> int:
        """Pages that some request holds; a shared page counts once."""
        return self.num_blocks - self.num_free

    @property
    def num_idle(self) -> int:
        """Pages that nobody holds and that can still be found under their key."""
        return self._num_idle

    def pages_for(self, tokens: int) -> int:
        """Pages that ``tokens`` tokens take, the last one perhaps filled in part."""
        return -(-tokens // self.page_tokens)

    def match(self, keys: Sequence[Hashable]) -> int:
        """How many of the first ``keys`` are resident, without a gap. Changes nothing."""
        return len(self._resident(keys))

    def look_up(self, tokens: int, keys: Sequence[Hashable] = ()) -> tuple[int, int]:
        """What ``allocate`` would find: cached tokens, and the pages free beside theirs."""
        hits, idle_hits = self._find(tokens, keys)
        return len(hits) * self.page_tokens, self.num_free - idle_hits

    def can_allocate(self, tokens: int, keys: Sequence[Hashable] = ()) -> bool:
        """Whether ``allocate`` would succeed now."""
        hits, idle_hits = self._find(tokens, keys)
        return self.pages_for(tokens) - len(hits) + idle_hits <= self.num_free

    def allocate(
        self, request_id: Hashable, tokens: int, keys: Sequence[Hashable] = (), *, count=True
    ) -> int:
        """Give a new request room for ``tokens`` tokens and return how many are there already.

        ``keys`` name the prompt's full pages. Those resident are shared, but never the page of the
        last of ``tokens``: something has to be computed to get an answer at all (pass fewer keys to
        reserve room beyond the prompt). All or nothing: ``OutOfBlocks`` changes nothing.
        ``count=False`` leaves ``hits`` and ``queries`` alone (a request that was preempted before).
        """
        if request_id in self._held:
            raise ValueError(f"request_id = {request_id!r}: expected one that holds no pages yet")
        hits, idle_hits = self._find(tokens, keys)
        fresh = self.pages_for(tokens) - len(hits)
        if fresh + idle_hits > self.num_free:
            raise self._out_of_blocks(request_id, fresh + idle_hits)
        if hits:
            self._claim(hits, idle_hits)  # first, so that taking fresh pages cannot evict a hit
        if not self.prefix_sharing:
            keys = ()
        if count:
            self.queries += len(keys)
            self.hits += len(hits)
        self._held[request_id] = Holding(hits + self._take(fresh), keys, len(hits))
        return len(hits) * self.page_tokens

    def can_extend(self, request_id: Hashable, tokens: int) -> bool:
        """Whether ``extend`` would succeed now."""
        fresh = -(-tokens // self.page_tokens) - len(self._held[request_id].pages)
        return fresh <= len(self._blank) or fresh <= self.num_free

    def extend(self, request_id: Hashable, tokens: int) -> None:
        """Let a request hold ``tokens`` tokens in all. ``OutOfBlocks`` changes nothing."""
        pages = self._held[request_id].pages
        fresh = -(-tokens // self.page_tokens) - len(pages)
        if fresh == 1 and self._blank:  # by far the most frequent case
            pages.append(self._blank.pop())
        elif fresh == 1 and self._num_idle:
            pages.append(self._evict_one())
        elif fresh > 0:
            if fresh > self.num_free:
                raise self._out_of_blocks(request_id, fresh)
            pages += self._take(fresh)

    def publish(self, request_id: Hashable, computed_tokens: int) -> None:
        """Make the full pages of the first ``computed_tokens`` tokens findable under their keys.

        Call it once their content is written. Where two requests computed the same page at the same
        time, the first to publish is found; the other keeps its copy to itself.
        """
        holding = self._held[request_id]
        pages, keys = holding.pages, holding.keys
        if computed_tokens > len(pages) * self.page_tokens:
            raise ValueError(
                f"computed_tokens = {computed_tokens}: expected at most the "
                f"{len(pages) * self.page_tokens} that request {request_id!r} has room for"
            )
        full = min(computed_tokens // self.page_tokens, len(keys))
        if full > holding.known:
            self._name(pages[holding.known : full], keys[holding.known : full])
            holding.known = full

    def free(self, request_id: Hashable) -> None:
        """Give up a request's pages: those with a key go idle, tail first, the others blank."""
        holding = self._held[request_id]
        del self._held[request_id]
        pages, known = holding.pages, holding.known
        self._blank.extend(pages[: known - 1 if known else None : -1])
        if known:
            self._release(pages[known - 1 :: -1])

    def room(self, request_id: Hashable) -> int:
        """Tokens that fit into the pages that a request holds; 0 if it holds none."""
        holding = self._held.get(request_id)
        return len(holding.pages) * self.page_tokens if holding else 0

    def table(self, request_id: Hashable) -> tuple[int, ...]:
        """The page numbers of a request, in the order of its tokens."""
        return tuple(self._held[request_id].pages)

    def tables(self) -> dict[Hashable, tuple[int, ...]]:
        """The tables of all requests that hold pages, in the order of their allocation."""
        return {request_id: tuple(holding.pages) for request_id, holding in self._held.items()}

    def ref_count(self, page: int) -> int:
        """How many requests hold ``page``."""
        return sum(page in holding.pages for holding in self._held.values())

    def check(self) -> None:
        """Recount everything from the tables; ``PageLeak`` names the first page that is wrong."""
        audit(
            num_blocks=self.num_blocks,
            blank=self._blank,
            idle=self._idle_pages(),
            tables=self.tables(),
            page_of=self._page_of,
            holders=self._holders,
            num_idle=self._num_idle,
        )

    def _resident(self, keys: Iterable[Hashable]) -> list[int]:
        pages = []
        for key in keys:
            page = self._page_of.get(key)
            if page is None:
                break
            pages.append(page)
        return pages

    def _find(self, tokens: int, keys: Sequence[Hashable]) -> tuple[list[int], int]:
        """Resident pages for ``tokens``, never the last token's, and how many of them are idle."""
        if tokens < 1:
            raise ValueError(f"tokens = {tokens!r}: expected a whole number of at least 1")
        if not keys:
            return [], 0
        hits = self._resident(keys[: (tokens - 1) // self.page_tokens])
        return hits, sum(not self._holders[page] for page in hits)

    def _claim(self, hits: list[int], idle_hits: int) -> None:
        for page in hits:
            if not self._holders[page]:
                self._stale[page] += 1
            self._holders[page] += 1
        self._num_idle -= idle_hits

    def _take(self, fresh: int) -> list[int]:
        """``fresh`` pages: blank ones while there are any, then the idle ones unused longest."""
        blank = self._blank
        cut = max(len(blank) - fresh, 0)
        taken = blank[cut:][::-1]
        del blank[cut:]
        if len(taken) < fresh:
            taken += self._evict(fresh - len(taken))
        return taken

    def _evict(self, count: int) -> list[int]:
        order, stale, page_of, evicted = self._order, self._stale, self._page_of, []
        while len(evicted) < count:
            page = order.popleft()
            if stale[page]:
                stale[page] -= 1
            else:
                evicted.append(page)
        for key in map(self._key_of.__getitem__, evicted):
            del page_of[key]
        self._num_idle -= count
        return evicted

    def _evict_one(self) -> int:
        page = self._order.popleft()
        while self._stale[page]:
            self._stale[page] -= 1
            page = self._order.popleft()
        del self._page_of[self._key_of[page]]
        self._num_idle -= 1
        return page

    def _name(self, pages: list[int], keys: Sequence[Hashable]) -> None:
        if not self._page_of.keys().isdisjoint(keys):  # some were published by somebody else
            fresh = [pair for pair in zip(pages, keys) if pair[1] not in self._page_of]
            pages, keys = [page for page, _ in fresh], [key for _, key in fresh]
        self._page_of.update(zip(keys, pages))
        key_of, holders = self._key_of, self._holders
        for page, key in zip(pages, keys):
            key_of[page] = key
            holders[page] = 1

    def _release(self, tail_first: list[int]) -> None:
        holders = self._holders
        idle = [page for page in tail_first if holders[page] == 1]
        if len(idle) < len(tail_first):
            self._let_go([page for page in tail_first if holders[page] != 1])
        for page in idle:
            holders[page] = 0
        self._order.extend(idle)
        self._num_idle += len(idle)
        if len(self._order) > 2 * self.num_blocks + 16:
            self._order = deque(self._idle_pages())
            self._stale = [0] * self.num_blocks

    def _let_go(self, pages: list[int]) -> None:
        for page in pages:
            if self._holders[page]:
                self._holders[page] -= 1  # somebody else holds it too
            else:
                self._blank.append(page)  # a second copy: somebody else published it first

    def _idle_pages(self) -> list[int]:
        """The idle pages, unused longest first, without the entries left behind."""
        stale, idle = self._stale.copy(), []
        for page in self._order:
            if stale[page]:
                stale[page] -= 1
            else:
                idle.append(page)
        return idle

    def _out_of_blocks(self, request_id: Hashable, needed: int) -> OutOfBlocks:
        return OutOfBlocks(
            f"request {request_id!r} needs {needed} more pages of {self.page_tokens} tokens; "
            f"{self.num_free} of {self.num_blocks} are free"
        )
