"""Loads of a few requests, and a scheduler walked through them: what all checks of lab 4 try."""

from collections import deque
from collections.abc import Sequence
from random import Random

from labutils.exercises.checkers import Piece, piece_of
from labutils.exercises.definition.sheet import in_its_file

PAGE_TOKENS = 2
NUM_INPUTS = 120
NAMES = ("r1", "r2", "r3", "r4", "r5", "r6")
READS_ITS_PROMPT = (
    [("r1", 1, 2, 5), ("r2", 3, 2, 2), ("r3", 3, 4, 2), ("r4", 3, 4, 3)],
    *(5, 8, 7, True),
)
"""A load in which the newest still reads its prompt when a page is missing."""
_METHODS = (
    "schedule", "commit", "finish", "admits", "_decode", "_preempt", "_prefill", "_may_start"
)  # fmt: skip


@in_its_file
def piece_of_scheduler(mistakes: str, *methods: str, **options) -> Piece:
    """The checker of methods of the scheduler, which is tried in small_loads."""
    targets = (f"scheduler:Scheduler.{name}" for name in methods)
    given = {"inputs": small_loads, "num_inputs": NUM_INPUTS} | options
    return piece_of(*targets, tried=story, mistakes=mistakes, **given)


def story(engine, requests, places, budget, pages, chunked, variant="", cancels=(), fails=()):
    """Walk the engine's scheduler through requests (name, step, prompt tokens, answer tokens).

    Pages hold two tokens. ``variant``: "late ends" are told a step late; "like prompts" begin with
    the same tokens; "shortest first" is another order of the queue; "own limit" is a policy that
    admits two requests at most. ``cancels`` and ``fails`` are pairs (step, name). Returns a
    sentence per step.
    """
    from labutils.serving.walks import walk

    if clock := _clock(engine.Scheduler):
        return [f"{clock} is read: expected no clock in a scheduler; it is told the time, `now_s`"]
    pool = engine.PagePool(pages, PAGE_TOKENS)
    policy = _POLICIES.get(variant, lambda engine: engine.Scheduler)(engine)
    scheduler = _watched(policy)(places, pool, token_budget=budget, chunked=chunked)
    return walk(
        scheduler, requests, late=variant == "late ends", alike=variant == "like prompts",
        cancels=cancels, fails=fails, in_order=variant != "shortest first",
    )  # fmt: skip


def _shortest_first(engine) -> type:
    """A policy that overrides ``wait``: short prompts overtake long ones."""

    class ShortestFirst(engine.Scheduler):
        def wait(self, request, *, first=False):
            super().wait(request, first=first)
            self.waiting = deque(sorted(self.waiting, key=lambda one: one.prompt_tokens))

    return ShortestFirst


def _own_limit(engine) -> type:
    """A policy that overrides ``admits``: two requests at most, whatever places there are."""

    class OwnLimit(engine.Scheduler):
        def admits(self, request):
            return len(self.running) < 2 and super().admits(request)

    return OwnLimit


_POLICIES = {"shortest first": _shortest_first, "own limit": _own_limit}


def _watched(policy: type) -> type:
    """A policy that notes who is put into the queue twice, or is robbed of tokens at its end."""
    from labutils.serving.scheduling import BadPlan

    class Watched(policy):
        def wait(self, request, *, first=False):
            if request in self.waiting:
                raise BadPlan(
                    f"request {request.id!r} is put into the queue a second time: expected that it "
                    "left `running` when it was preempted"
                )
            super().wait(request, first=first)

        def finish(self, request):
            known = request.known
            super().finish(request)
            if request.known != known:
                raise BadPlan(
                    f"request {request.id!r} knew {known} tokens at its end, and knows "
                    f"{request.known} after it: expected that the caller finds them all"
                )

    return Watched


def _clock(scheduler: type) -> str | None:
    """The clock that one of the methods reads, if one does."""
    from labutils.exercises.running.clocks import clock_read_by

    return next(filter(None, (clock_read_by(vars(scheduler)[name]) for name in _METHODS)), None)


def unlike_loads():
    """Loads whose prompts share nothing, so it does not matter which free page is taken."""
    return small_loads(lambda kind: kind is not _alike)


def small_loads(wanted=lambda kind: True):
    """Loads of many kinds, mixed evenly; every one is small enough to be read."""
    from hypothesis import strategies as st

    kinds = [kind for kind in _KINDS if wanted(kind)]
    # One number per request, taken apart: three draws each would take most of a check's time.
    codes = st.one_of(
        [st.lists(st.integers(0, 3 * 6 * 6 - 1), min_size=n, max_size=6) for n in (1, 4, 6)]
    )
    numbers = st.tuples(st.integers(0, 4), st.integers(7, 13), st.integers(0, 2**16))
    return st.tuples(codes, numbers).map(lambda drawn: _load(kinds, drawn[0], *drawn[1]))


def _load(kinds: Sequence, codes: Sequence[int], more: int, pages: int, salt: int) -> tuple:
    """One load. Hypothesis likes to repeat itself; what tells mistakes apart is mixed evenly."""
    mixed = Random(salt)
    return mixed.choice(kinds)(codes, more, pages, mixed)


def _rows(codes: Sequence[int]) -> list[tuple[str, int, int, int]]:
    rows = sorted((1 + code // 36, 1 + code % 6, 1 + code // 6 % 6) for code in codes)
    return [(name, *row) for name, row in zip(NAMES, rows)]


def _any(codes, more, pages, mixed):
    """Places, budget and pages so small that all of them run short."""
    places, chunked = mixed.choice((2, 3, 5)), mixed.random() < 0.6
    return _rows(codes), places, (places if chunked else 1) + more, pages, chunked


def _late(codes, more, pages, mixed):
    """Ends are told late: who has ended still has its place and its pages."""
    return *_any(codes, more, pages, mixed), "late ends"


def _shortest(codes, more, pages, mixed):
    """Another order of the queue: long prompts run, memory runs out, and short ones wait.

    Whoever is preempted is overtaken, and a short one would fit into its pages at once.
    """
    long = [(1, 3 + code % 3, 4 + code // 6 % 3) for code in codes[:3]]
    rows = long + [(2, 1 + code % 2, 2 + code // 6 % 3) for code in [*codes[3:], more, pages]]
    named = [(name, *row) for name, row in zip(NAMES, rows)]
    return named, 5, 5 + more, 5 + pages % 4, mixed.random() < 0.7, "shortest first"


def _alike(codes, more, pages, mixed):
    """Prompts begin alike, and are long enough to share pages."""
    rows = [(name, step, prompt + 2, answer) for name, step, prompt, answer in _rows(codes)]
    return rows, *_any(codes, more, pages, mixed)[1:], "like prompts"


def _cancelled(codes, more, pages, mixed):
    """One or two requests are cancelled, whether they wait or run."""
    names = NAMES[: len(codes)]
    cancels = [(mixed.randint(1, 6), mixed.choice(names)) for _ in range(2)]
    return *_any(codes, more, pages, mixed), "", sorted(set(cancels))


def _all_short(codes, more, pages, mixed):
    """All need a page in the same step: to preempt one request is not enough."""
    rows = [(name, 1, 2, 2 + code % 3) for name, code in zip(NAMES, codes)]
    return rows, 5, 5 + more, 3 + pages % 3, mixed.random() < 0.5, mixed.choice(_ENDS)


def _full(codes, more, pages, mixed):
    """With memory and budget for all of them: places alone are scarce, and ends come late."""
    rows = [(name, 1, 1 + code % 2, 2 + code // 6 % 6) for name, code in zip(NAMES, codes)]
    return rows, 2, 12, 30, True, mixed.choice(_ENDS)


def _spent(codes, more, pages, mixed):
    """A prompt that takes the step's budget to the last token, with places and pages left."""
    budget = mixed.choice((4, 5, 6))
    rows = [(NAMES[0], 1, budget, 3), (NAMES[1], 1, 2, 2), (NAMES[2], 2, 1, 1 + codes[0] % 4)]
    return rows, 3, budget, 12, mixed.random() < 0.7


def _outlived(codes, more, pages, mixed):
    """The newest has ended, which is told late, when the older ones need pages."""
    older = mixed.choice((2, 2, 4))
    rows = [(name, 1, 2, 4 + mixed.randrange(3)) for name in NAMES[:older]]
    rows.append((NAMES[older], 1, 1 + more % 2, mixed.choice((1, 1, 1, 2))))
    pages = mixed.randint(older + 2, 2 * older)
    return rows, 5, 9 + more, pages, mixed.random() < 0.5, "late ends"


_KINDS = (
    *(_any, _any, _any, _late, _late, _shortest, _shortest, _shortest, _alike, _alike),
    *(_cancelled, _cancelled, _all_short, _full, _spent, _outlived, _outlived),
)  # fmt: skip
_ENDS = ("", "late ends", "late ends")
