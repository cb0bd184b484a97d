"""A tiny engine to try functions of the loop on: its model, its clock, and what it went through."""

import copy
import functools
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from numbers import Integral

VOCABULARY = 11
POISON = 10
"""A token that no fragile model can bear."""


@functools.cache
def tiny_model():
    """One layer in float64, whose next token depends on every token before."""
    import torch

    from labutils.engine import LlamaModel, small_spec

    spec = small_spec(
        layers=1, hidden_size=8, num_heads=2, num_kv_heads=1, head_dim=4, ffn_size=8,
        vocab_size=VOCABULARY, max_context=200,
    )  # fmt: skip
    return LlamaModel(spec, dtype=torch.float64, init_std=0.6, seed=3)


class Model:
    """The tiny model as an engine sees it; notes what it is asked, and breaks where it is told to.

    It raises ``ValueError`` for a line with the token ``POISON``, ``RuntimeError`` for one of more
    than ``most_tokens``. ``lines`` are pairs (positions of the line, rows wanted); ``gradients``
    says whether any call could have kept some.
    """

    def __init__(self, most_tokens: int = 1_000):
        self.inner, self.most_tokens = tiny_model(), most_tokens
        self.spec, self.parameters = self.inner.spec, self.inner.parameters
        self.lines: list[tuple[list[int], list[int]]] = []
        self.gradients = False

    def __call__(self, tokens, positions, *, attend, rows):
        import torch

        if tokens.shape[1] > self.most_tokens:
            raise RuntimeError(f"{tokens.shape[1]} tokens: expected at most {self.most_tokens}")
        if POISON in tokens.tolist()[0]:
            raise ValueError(f"token {POISON}: this model cannot bear it")
        self.gradients = self.gradients or torch.is_grad_enabled()
        self.lines.append((positions.tolist()[0], rows.tolist()))
        return self.inner(tokens, positions, attend=attend, rows=rows)


class Clock:
    """Time that stands still until somebody moves it."""

    def __init__(self):
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def make_engine(
    room, model: Model, *, seats: int, budget: int, pages: int, chunked=True, **options
):
    """An engine of ``room`` over pages of two tokens, on a clock that is moved by hand."""
    pool = room.PagePool(pages, 2)
    scheduler = room.Scheduler(seats, pool, token_budget=budget, chunked=chunked)
    options = {"clock": Clock(), "prefix_sharing": False, **options}
    return room.loop.Engine(model, scheduler, **options)


def prompt_of(number: int, length: int, *, poison_at: int | None = None) -> list[int]:
    """A prompt of its own for each request, with ``POISON`` where it is asked for."""
    tokens = [(5 * number + 3 * place) % POISON for place in range(length)]
    if poison_at is not None and poison_at < length:
        tokens[poison_at] = POISON
    return tokens


_COUNTS = ("prompt_tokens", "known", "computed", "pages", "room", "preemptions", "finish_reason")


def touched(requests: Sequence) -> Callable[[], str]:
    """A call that says which counts of ``requests`` are others than now; "" if none is."""
    now = lambda one: {name: copy.copy(getattr(one, name)) for name in _COUNTS}  # noqa: E731
    before = [(one, now(one)) for one in requests]

    def changes() -> str:
        pairs = [(one, name, was[name]) for one, was in before for name in _COUNTS]
        found = [(one, name, was) for one, name, was in pairs if getattr(one, name) != was]
        return ", ".join(f"{o.id}.{name} is {getattr(o, name)}, was {w}" for o, name, w in found)

    return changes


def problem_of_pairs(pairs, generation: type) -> str:
    """Why these are no pairs (request, token) in a list; "" if they are."""
    if not isinstance(pairs, list):
        kind = "None" if pairs is None else f"a value of type {type(pairs).__name__}"
        return f"{kind}, expected a list of pairs (request, token)"
    for pair in pairs:
        if not isinstance(pair, tuple | list) or [type(one) for one in pair[:1]] != [generation]:
            return "a list of other things than pairs (request, token)"
        if not isinstance(pair[-1], Integral):
            return f"a token of type {type(pair[-1]).__name__}, expected an int"
    return ""


@contextmanager
def counted_parts(attention):
    """The buckets and chunks that are made meanwhile, by kind.

    ``paged_attention`` may come from a notebook or from another copy of the engine, and makes the
    classes that it finds there.
    """
    from labutils.engine import attention as course

    made: dict[str, list] = {"Bucket": [], "Chunk": []}
    theirs = getattr(attention.paged_attention, "__globals__", {})
    places = vars(attention), vars(course), theirs
    found = [(place.get(kind), kind) for place in places for kind in made]
    kinds = {one: kind for one, kind in found if isinstance(one, type)}
    inits = {one: one.__init__ for one in kinds}
    for one, kind in kinds.items():
        one.__init__ = _noting(inits[one], made[kind])
    try:
        yield made
    finally:
        for one, init in inits.items():
            one.__init__ = init


def _noting(init, parts: list):
    @functools.wraps(init)
    def noting(self, *args, **options):
        if not any(one is self for one in parts):  # noted by a class below
            parts.append(self)
        init(self, *args, **options)

    return noting


def names(requests: Sequence) -> list:
    """The ids of some requests."""
    return [request.id for request in requests]


def ended(engine) -> dict:
    """What became of each request: its reason, its answer, the kind of its error."""
    return {
        id: (one.finish_reason, one.answer, type(one.error).__name__ if one.error else None)
        for id, one in engine.requests.items()
    }
