"""KV memory in pages: who holds which, what may be shared, what goes first when memory runs out.

After PagedAttention (Kwon et al., 2023) and vLLM's block pool: a request holds whole pages,
anywhere in the pool; a full page whose key is known may be held by several requests; a page that
nobody holds keeps its content until it is needed, and the one unused longest goes first. Of one
request the tail goes before the head, since a prefix without its head is of no use to anybody.
"""

from collections.abc import Hashable, Iterable, Sequence

from labutils import arguments

from .holdings import Holding, Holdings
from .page_audit import PageLeak, audit
from .page_runs import Found, PageRuns

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
        self._runs = PageRuns()

    @property
    def num_free(self) -> int:
        """Pages that can be had now: blank ones and idle ones."""
        return len(self._blank) + self._runs.num_idle

    @property
    def num_used(self) -> int:
        """Pages that some request holds; a shared page counts once."""
        return self.num_blocks - len(self._blank) - self._runs.num_idle

    @property
    def num_idle(self) -> int:
        """Pages that nobody holds and that can still be found under their key."""
        return self._runs.num_idle

    def pages_for(self, tokens: int) -> int:
        """Pages that ``tokens`` tokens take, the last one perhaps filled in part."""
        return -(-tokens // self.page_tokens)

    def match(self, keys: Sequence[Hashable]) -> int:
        """How many of the first ``keys`` are resident, without a gap. Changes nothing."""
        return sum(length for _, length in self._runs.find(keys, len(keys)))

    def look_up(self, tokens: int, keys: Sequence[Hashable] = ()) -> tuple[int, int]:
        """What ``allocate`` would find: cached tokens, and the pages free beside theirs."""
        _, hits, idle_hits = self._find(tokens, keys)
        return hits * self.page_tokens, self.num_free - idle_hits

    def can_allocate(self, tokens: int, keys: Sequence[Hashable] = ()) -> bool:
        """Whether ``allocate`` would succeed now."""
        _, hits, idle_hits = self._find(tokens, keys)
        return self.pages_for(tokens) - hits + idle_hits <= self.num_free

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
        found, hits, idle_hits = self._find(tokens, keys)
        fresh = self.pages_for(tokens) - hits
        if fresh + idle_hits > self.num_free:
            raise self._out_of_blocks(request_id, fresh + idle_hits)
        if not self.prefix_sharing:
            keys = ()
        if count:
            self.queries += len(keys)
            self.hits += hits
        holding = self._held[request_id] = Holding(keys)
        if found:
            self._runs.claim(found, holding)  # first, so that fresh pages are not those just found
        holding.pages += self._take(fresh)
        return hits * self.page_tokens

    def can_extend(self, request_id: Hashable, tokens: int) -> bool:
        """Whether ``extend`` would succeed now."""
        fresh = -(-tokens // self.page_tokens) - len(self._held[request_id].pages)
        return fresh <= len(self._blank) or fresh <= self.num_free

    def extend(self, request_id: Hashable, tokens: int) -> None:
        """Let a request hold ``tokens`` tokens in all. ``OutOfBlocks`` changes nothing."""
        self.extend_each([(request_id, tokens)])

    def extend_each(self, wanted: Iterable[tuple[Hashable, int]]) -> None:
        """``extend`` for pairs (request id, tokens), in order: all of them or none."""
        held, page_tokens, growing = self._held, self.page_tokens, []
        for request_id, tokens in wanted:
            pages = held[request_id].pages
            missing = tokens - len(pages) * page_tokens
            if 0 < missing <= page_tokens:  # the usual case
                growing.append(pages)
            elif missing > 0:
                growing += [pages] * -(-missing // page_tokens)
        if not growing:
            return
        if len(growing) > self.num_free:
            raise self._out_of_blocks(request_id, len(growing))
        for pages, page in zip(growing, self._take(len(growing))):
            pages.append(page)

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
            self._runs.publish(holding, full)

    def free(self, request_id: Hashable) -> None:
        """Give up a request's pages: those with a key go idle, tail first, the others blank."""
        holding = self._held[request_id]
        del self._held[request_id]
        self._blank += reversed(holding.pages[holding.known :])
        self._blank += reversed(holding.copies)
        self._runs.release(holding)

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

    def idle_pages(self) -> tuple[int, ...]:
        """The pages that nobody holds and that can be found, the one to be evicted first."""
        return tuple(self._runs.idle_pages())

    def ref_count(self, page: int) -> int:
        """How many requests hold ``page``."""
        return sum(page in holding.pages for holding in self._held.values())

    def check(self) -> None:
        """Recount everything from the tables; ``PageLeak`` names the first page that is wrong."""
        audit(self.num_blocks, self._blank, self._held, self._runs)

    def _find(self, tokens: int, keys: Sequence[Hashable]) -> tuple[Found, int, int]:
        """Resident pages for ``tokens``, never the last token's; how many; how many are idle."""
        if tokens < 1:
            raise ValueError(f"tokens = {tokens!r}: expected a whole number of at least 1")
        found = self._runs.find(keys, min(len(keys), (tokens - 1) // self.page_tokens))
        if not found:
            return found, 0, 0
        hits = sum(length for _, length in found)
        return found, hits, sum(length for run, length in found if not run.holders)

    def _take(self, fresh: int) -> list[int]:
        """1 or more pages: blank ones while there are any, then the idle ones unused longest."""
        taken = self._blank[: -fresh - 1 : -1]
        del self._blank[-fresh:]
        if len(taken) < fresh:
            taken += self._runs.evict(fresh - len(taken))
        return taken

    def _out_of_blocks(self, request_id: Hashable, needed: int) -> OutOfBlocks:
        return OutOfBlocks(
            f"request {request_id!r} needs {needed} more pages of {self.page_tokens} tokens; "
            f"{self.num_free} of {self.num_blocks} are free"
        )
