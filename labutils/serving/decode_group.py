"""The sequences that decode together, one token each per step."""

from collections.abc import Hashable
from heapq import heappop, heappush
from itertools import count

from .sequence import Sequence


class DecodeGroup:
    """Sequences that decode in the same steps, in the order in which they joined.

    Every step adds one token to every member. Counting that member by member would cost more than
    the rest of the scheduler. So the group counts its steps, once for all, and brings the counts of
    a member up to date when it leaves.
    """

    def __init__(self, page_tokens: int = 1):
        self.page_tokens = page_tokens
        self.steps = 0  # carried out since the group exists
        self.context_tokens = 0  # what the next step reads: the sum of the known tokens
        self.members: dict[Hashable, Sequence] = {}
        self._chunks: dict[Hashable, tuple[Hashable, int]] = {}
        self._joined: dict[Hashable, int] = {}  # the step count when a member joined
        self._limit: dict[Hashable, int] = {}  # the step count at which its answer is full
        self._limits: list[tuple[int, int, Hashable]] = []  # a heap of (limit, rank of joining, id)
        self._ranks = count()
        # The members whose step number s starts a new page if s % page_tokens == i, by i; and what
        # each knew, or would have known, when the count was 0.
        self._starting_page: list[dict[Hashable, int]] = [{} for _ in range(page_tokens)]

    def __len__(self) -> int:
        return len(self.members)

    @property
    def chunks(self) -> tuple[tuple[Hashable, int], ...]:
        """One new token for every member."""
        return tuple(self._chunks.values())

    @property
    def newest(self) -> Sequence | None:
        """The member that joined last."""
        return next(reversed(self.members.values()), None)

    @property
    def steps_to_limit(self) -> int:
        """Steps until the first answer is as long as it may get. There must be a member."""
        limits = self._limits
        while self._limit.get(limits[0][2]) != limits[0][0]:
            heappop(limits)  # left by a member that is gone
        return limits[0][0] - self.steps

    def join(self, sequence: Sequence) -> None:
        """Take in a sequence that has one token to compute."""
        request_id, known, steps = sequence.id, sequence.known, self.steps
        self.members[request_id] = sequence
        self._chunks[request_id] = (request_id, 1)
        self._joined[request_id] = steps
        self._starting_page[(steps + 1 - known) % self.page_tokens][request_id] = known - steps
        self.context_tokens += known
        self._limit[request_id] = limit = steps + sequence.most - known
        heappush(self._limits, (limit, next(self._ranks), request_id))

    def leave(self, request_id: Hashable) -> Sequence:
        """Let a member go, its counts up to date."""
        sequence = self.members.pop(request_id)
        joined = self._joined.pop(request_id)
        del self._chunks[request_id], self._limit[request_id]
        del self._starting_page[(joined + 1 - sequence.known) % self.page_tokens][request_id]
        sequence.known += self.steps - joined
        sequence.computed = sequence.known - 1
        self.context_tokens -= sequence.known
        return sequence

    def advance(self, steps: int) -> list[Sequence]:
        """Everybody gains a token in each of ``steps`` steps; who is complete then leaves."""
        self.steps += steps
        self.context_tokens += steps * len(self.members)
        full = []
        while self.members and self._limits[0][0] <= self.steps and self.steps_to_limit <= 0:
            full.append(self.leave(self._limits[0][2]))
        return full

    def starting_page(self, first: int, end: int) -> list[tuple[Hashable, int]]:
        """Whose token starts a page in the steps from number ``first`` on, before ``end``.

        The next step has number 0. Pairs of the member's id and the tokens of which it then has the
        KV, after ``end`` steps; each member comes once at most.
        """
        now, turn, starting = self.steps, self.page_tokens, self._starting_page
        more = now + end - 1
        return [
            (request_id, offset + more)
            for step in range(now + first, now + min(end, first + turn))
            for request_id, offset in starting[step % turn].items()
        ]

    def pages_started(self, step: int = 0) -> int:
        """How many members start a page in a step; the next one has number 0."""
        return len(self._starting_page[(self.steps + step) % self.page_tokens])
