"""Pages that can be found under a key, kept in runs: pages that were published together.

A radix tree's idea (SGLang's RadixAttention: Zheng et al., 2024), with a table of first keys in
place of the tree. Keys are chained, so the first key of a run says what leads to it, and a run is
cut in two only when a request takes over a part of it. What nobody shares thus costs one entry for
a whole prompt, when it is published, when it is given up and when it is found; only eviction goes
from page to page, from the tail.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby

from .holdings import Holding


class Run:
    """``pages`` in a row, findable under ``keys``; the same requests hold all of them.

    ``keys`` may be longer than ``pages``: what lost its page is not found.
    """

    __slots__ = ("holders", "keys", "pages")

    def __init__(self, keys: Sequence[Hashable], pages: list[int], holders: set[Holding]):
        self.keys, self.pages, self.holders = keys, pages, holders

    def agreement(self, keys: Sequence[Hashable], start: int, end: int) -> int:
        """How many of the pages ``keys[start:end]`` name, in order; the first is known to agree."""
        end = min(end, start + len(self.pages))
        own, asked = self.keys[: end - start], keys[start:end]
        if own == asked:
            return end - start
        return next((at for at, (a, b) in enumerate(zip(own, asked)) if a != b), end - start)


Found = list[tuple[Run, int]]
"""Runs that begin a prompt, in order, and how many pages of each."""


class PageRuns:
    """All runs of a pool. Those that nobody holds are *idle*, and the one idle longest goes first.

    ``num_idle`` counts the pages of idle runs.
    """

    def __init__(self):
        self.num_idle = 0
        self._by_first_key: dict[Hashable, Run] = {}
        self._idle: OrderedDict[Run, None] = OrderedDict()  # idle longest first

    def __iter__(self) -> Iterator[Run]:
        return iter(self._by_first_key.values())

    def idle_pages(self) -> list[int]:
        """The pages that nobody holds, in the order in which they are evicted."""
        return [page for run in self._idle for page in reversed(run.pages)]

    def find(self, keys: Sequence[Hashable], end: int) -> Found:
        """Where the pages of ``keys[:end]`` are, up to the first gap."""
        found, at = [], 0
        while at < end and (run := self._by_first_key.get(keys[at])) is not None:
            found.append((run, run.agreement(keys, at, end)))
            at += found[-1][1]
        return found

    def claim(self, found: Found, holding: Holding) -> None:
        """Let ``holding`` hold what was ``found``, and nothing more of those runs."""
        runs = []
        for run, length in found:
            if length < len(run.pages):
                run = self._cut(run, length)
            elif not run.holders:
                del self._idle[run]
            if not run.holders:
                self.num_idle -= length
            run.holders.add(holding)
            runs.append(run)
            holding.pages += run.pages
        holding.runs = tuple(runs)
        holding.known = len(holding.pages)

    def publish(self, holding: Holding, full: int) -> None:
        """Make the first ``full`` pages of ``holding`` findable, but for those that are already."""
        known, keys = holding.known, holding.keys
        holding.known = full
        if not holding.copies and self._by_first_key.keys().isdisjoint(keys[known:full]):
            self._add(holding, known, full)
            return
        for is_taken, places in groupby(range(known, full), self._taken(keys, full).__contains__):
            first, *rest = places
            end = first + len(rest) + 1
            if is_taken:
                holding.copies += tuple(holding.pages[first:end])
            else:
                self._add(holding, first, end)

    def release(self, holding: Holding) -> None:
        """Let go of the runs of ``holding``, the last first."""
        for run in reversed(holding.runs):
            run.holders.remove(holding)
            if not run.holders:
                self._idle[run] = None
                self.num_idle += len(run.pages)

    def evict(self, count: int) -> list[int]:
        """Take ``count`` pages of those idle longest, the tail of a run before its head."""
        self.num_idle -= count
        evicted: list[int] = []
        while count > 0:
            run = next(iter(self._idle))
            pages = run.pages
            evicted += pages[: -count - 1 : -1]
            if count < len(pages):
                del pages[-count:]
                break
            count -= len(pages)
            pages.clear()
            del self._idle[run], self._by_first_key[run.keys[0]]
        return evicted

    def _add(self, holding: Holding, first: int, end: int) -> None:
        run = Run(holding.keys[first:end], holding.pages[first:end], {holding})
        self._by_first_key[run.keys[0]] = run
        holding.runs += (run,)

    def _cut(self, run: Run, length: int) -> Run:
        """Make the first pages of ``run`` a run of their own; the rest keeps its place in line."""
        head = Run(run.keys[:length], run.pages[:length], set(run.holders))
        run.keys, run.pages = run.keys[length:], run.pages[length:]
        self._by_first_key[head.keys[0]] = head
        self._by_first_key[run.keys[0]] = run
        for holding in run.holders:
            at = holding.runs.index(run)
            holding.runs = (*holding.runs[:at], head, *holding.runs[at:])
        return head

    def _taken(self, keys: Sequence[Hashable], end: int) -> set[int]:
        """Which of ``keys[:end]`` have a page, gaps or not."""
        taken, at = set(), 0
        while at < end:
            run = self._by_first_key.get(keys[at])
            length = run.agreement(keys, at, end) if run else 0
            taken.update(range(at, at + length))
            at += max(length, 1)
        return taken
