"""What the page of an engine says: counted, recorded, or measured when it is exported."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import ModuleType

from .bench import Bench
from .engine import my_engine
from .jobs import VOCABULARY
from .map import EngineMap, engine_map
from .markup.drawings import PackedStep
from .measured import Circumstances, Opened, digest_of, kept_envelope, kept_race
from .prove import Proof, small_model
from .store import Store

NAMES, ANSWER = "ABCDEFG", 9
LIMITS = {"num_pages": 15, "page_tokens": 4, "max_sequences": 5, "token_budget": 16}
MOST_STEPS = 200


@dataclass(frozen=True)
class Facts:
    """All that is known of an engine. ``here`` is the export's own time and place.

    ``race`` and ``envelope`` come with theirs; they are None where nobody has run them, and may be
    of other functions than ``here.engine``. ``steps`` is a text where the engine failed.
    """

    name: str
    here: Circumstances
    map: EngineMap
    texts: Mapping[str, str]
    proof: Proof
    race: tuple[Circumstances, Bench] | None
    envelope: tuple[Circumstances, Opened] | None
    steps: tuple[PackedStep, ...] | str

    @property
    def day(self) -> str:
        """The day of the export."""
        return self.here.day


def facts_of(store: Store, proof: Proof, *, name: str = "") -> Facts:
    """The facts of the engine in ``store``; the steps of its picture run now."""
    texts = store.texts()
    try:
        steps = packed_steps(my_engine(store, quiet=True))
    except Exception as error:  # whatever the learner's code raises; the proof says it too
        steps = f"{type(error).__name__}: {error}"
    here = Circumstances.now(digest_of(texts))
    kept = kept_race(store), kept_envelope(store)
    return Facts(name, here, engine_map(store), texts, proof, *kept, steps)


def packed_steps(room: ModuleType) -> tuple[PackedStep, ...]:
    """Every step of a small job, lab 6's: seven requests, five places, little memory.

    Whatever the engine raises comes out; ``RuntimeError`` if it does not end.
    """
    draws, plans, steps = Random(7), [], []
    engine = room.Engine(small_model(), **LIMITS)
    engine.on_step = lambda _, plan: plans.append(plan)
    for name in NAMES:
        prompt = [draws.randrange(VOCABULARY) for _ in range(draws.randint(5, 13))]
        engine.add_request(prompt, id=name, max_output_tokens=ANSWER)
    while engine.open:
        told = engine.step()
        if told is None or len(steps) >= MOST_STEPS:
            raise RuntimeError(f"no end after {len(steps)} steps; open: {list(engine.open)}")
        steps.append(_packed(plans[-1], {id for id, _ in told}))
    for one in engine.requests.values():
        if one.error is not None:
            raise one.error
    return tuple(steps)


def _packed(plan, told: set) -> PackedStep:
    chunks = sorted(plan.chunks, key=lambda one: (one[1] > 1, one[0].computed - one[1]))
    rows = tuple((request.id, new, request.id in told) for request, new in chunks)
    return PackedStep(rows, tuple(request.id for request in plan.preempted))
