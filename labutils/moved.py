"""Where the modules of earlier editions went, so that a learner's copy of one still runs.

``MOVED`` maps each former name below ``labutils`` to today's; what lies in a package moved with it.
``import labutils`` installs the table: ``from labutils.scaling import amdahl_speedup`` finds the
very module that stands elsewhere today, never a second copy of it. No file of the course uses a
former name itself, and a room that is named like one of them cannot be made again.

>>> today("numpy.linalg")      # no module of the course
'numpy.linalg'
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED: dict[str, str] = {
    "arguments": "ground.arguments",
    "batching": "laws.batching",
    "capacity": "laws.capacity",
    "edition": "ground.edition",
    "files": "ground.files",
    "folder": "ground.folder",
    "latency": "metrics.latency",
    "lazy": "ground.lazy",
    "loopback": "ground.loopback",
    "own_engine": "workspace.my_engine",
    "own_engine.assemble": "workspace.my_engine.texts.assemble",
    "own_engine.course": "workspace.my_engine.texts.course_engine",
    "own_engine.functions": "workspace.my_engine.texts.functions",
    "own_engine.load_pieces": "workspace.my_engine.texts.load_pieces",
    "own_engine.slips": "workspace.my_engine.texts.slips",
    "preflight": "workspace.preflight",
    "queueing": "laws.queueing",
    "scaling": "laws.scaling",
    "serving.layouts": "serving.multi_gpu",
    "simulation.batcher_story": "simulation.batches.batcher_in_simpy",
    "tails": "laws.tails",
    "units": "ground.units",
    "watching": "telemetry.watching",
}
_IN_CHAPTERS: dict[str, str] = {
    "kv_cache.drawn": "kv_cache.inputs",
    "kv_cache.pieces": "kv_cache.workbook",
    "paged_kv_cache.kit": "paged_kv_cache.lab5_runs",
    "speculative_decoding.draft_kit": "speculative_decoding.lab7_runs",
    "streaming_server.load_kit": "streaming_server.lab8_loads",
    "streaming_server.server_kit": "streaming_server.lab8_servers",
    "your_engine.kit": "your_engine.lab6_runs",
}
"""The same, below ``exercises.catalog``."""
MOVED |= {
    f"exercises.catalog.{old}": f"exercises.catalog.{new}" for old, new in _IN_CHAPTERS.items()
}


def today(name: str) -> str:
    """Today's full name of a module, a package, or something in one: the longest match decides.

    A name that never moved comes back as it is.
    """
    root, _, below = name.partition(".")
    former = below if root == "labutils" else ""
    while former and former not in MOVED:
        former = former.rpartition(".")[0]
    return f"{root}.{MOVED[former]}{below[len(former) :]}" if former else name


class _Finder:
    """Finds a module under its former name; finder and loader for Python's import system."""

    @classmethod
    def find_spec(cls, name: str, path=None, target=None) -> ModuleSpec | None:
        return ModuleSpec(name, cls) if today(name) != name else None

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Python makes an empty one, which ``exec_module`` replaces."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(today(module.__name__))


def install() -> None:
    """Make former names importable. They come first: below a former package's name Python would
    find the files of the package that stands there today, and load them a second time."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
