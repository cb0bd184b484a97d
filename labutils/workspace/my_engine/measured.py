"""What was measured of the learner's engine, kept beside it: the race, and the opened envelope."""

import hashlib
import json
import platform
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from types import ModuleType

from labutils.ground.files import locked, make_folder, overwrite_own
from labutils.measure import Machine, Timing
from labutils.measure.machine import torch_version
from labutils.serving.trials.reveal import Reveal, Row, Steadiness

from .bench import Bench, Served
from .store import Store
from .texts.functions import functions_of

KEPT = ".measured.json"


@dataclass(frozen=True)
class Circumstances:
    """When and where something was measured, and ``engine``: of which functions (a digest)."""

    day: str
    machine: str
    versions: str
    engine: str

    @classmethod
    def now(cls, engine: str, *, device: str = "cpu") -> "Circumstances":
        """Today, on this machine, of the engine with this digest."""
        versions = f"{platform.system()}, Python {platform.python_version()}"
        return cls(
            time.strftime("%Y-%m-%d"), str(Machine.here(device)),
            f"{versions}, torch {torch_version()}", engine,
        )  # fmt: skip


@dataclass(frozen=True)
class Opened:
    """An envelope: what was ``sealed`` (a digest of it), at which capacity, and the reveal."""

    sealed: str
    capacity_per_s: float
    requests: int
    reveal: Reveal


def keep_race(room: ModuleType, race: Bench, store: Store | None = None) -> None:
    """Remember a race of the engine ``room``, for the page of ``labutils engine export``."""
    _keep("race", room, asdict(race), store or Store(), device=race.device)


def keep_envelope(room: ModuleType, sealed, reveal: Reveal, store: Store | None = None) -> None:
    """Remember what was predicted for the engine ``room``, and what it then did."""
    opened = Opened(sealed.digest, sealed.capacity_per_s, sealed.plan.requests, reveal)
    _keep("envelope", room, asdict(opened), store or Store())


def kept_race(store: Store) -> tuple[Circumstances, Bench] | None:
    """The last race that was kept; None without one that can be read."""
    return _kept("race", store, _race)


def kept_envelope(store: Store) -> tuple[Circumstances, Opened] | None:
    """The last envelope that was kept; None without one that can be read."""
    return _kept("envelope", store, _opened)


def digest_of(texts: Mapping[str, str]) -> str:
    """Eight letters that no other engine has: comments and docstrings do not count."""
    functions = [one for text in texts.values() for one in functions_of(text).values()]
    meanings = sorted(f"{one.name}: {one.meaning}" for one in functions)
    return hashlib.sha256("\n".join(meanings).encode()).hexdigest()[:8]


def _keep(name: str, room: ModuleType, found: dict, store: Store, *, device: str = "cpu") -> None:
    texts = getattr(room.__spec__.loader, "texts", None)
    if texts is None:
        print("This is not kept for the page: it is no engine of `my_engine()`.")
        return
    engine = digest_of(texts)
    entry = {"where": asdict(Circumstances.now(engine, device=device)), "found": found}
    try:
        make_folder(store.folder)
        with locked(store.folder):
            whole = json.dumps({**_read(store), name: entry})
            overwrite_own(store.folder / KEPT, whole.encode())
    except OSError as error:
        print(f"This cannot be kept for the page ({error.strerror or error}).")


def _kept(name: str, store: Store, made):
    try:
        entry = _read(store)[name]
        return Circumstances(**entry["where"]), made(entry["found"])
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
    ):  # of another edition, or damaged
        return None


def _read(store: Store) -> dict:
    try:
        found = json.loads((store.folder / KEPT).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _race(found: dict) -> Bench:
    timings = {name: Timing(tuple(one["samples_s"])) for name, one in found["timings"].items()}
    served = {
        name: Served(tuple(map(tuple, one["answers"])), one["steps"], one["preemptions"])
        for name, one in found["served"].items()
    }
    race = Bench(**{**found, "timings": timings, "served": served})
    race.rows(), race.line  # whatever is missing is missed here
    return race


def _opened(found: dict) -> Opened:
    reveal = found["reveal"]
    rows = (Row(**{**row, "pieces": tuple(map(tuple, row["pieces"]))}) for row in reveal["rows"])
    return replace(Opened(**found), reveal=Reveal(tuple(rows), Steadiness(**reveal["steady"])))
