"""What the page of an engine says: counted, recorded, or measured when it is exported."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..bench import Bench
from ..engine import my_engine
from ..map import EngineMap, engine_map
from ..measured import Circumstances, Opened, digest_of, kept_envelope, kept_race
from ..prove import Proof
from ..store import Store
from .packed_steps import PackedStep, packed_steps


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
