"""labutils: the package that every notebook of *Tokens in Flight* shares.

Rooms, from the ground up (a room imports only from the floors below its own):

1. physics: ``queueing``, ``latency``, ``tails``, ``metrics``, ``batching``, ``llm``, ``scaling``,
   ``capacity``; beneath them ``arguments``, ``units``, ``lazy``
2. simulate and measure: ``simulation``, ``workload``, ``measure``
3. serve: ``serving``
4. teach: ``exercises``, ``drills``, ``viz``, ``workspace``, ``preflight``, ``topics``,
   ``classroom``, ``authoring``

Importing ``labutils`` itself loads none of them.
"""

from pathlib import Path

__version__ = "0.1.0"

_PACKAGE = Path(__file__).resolve().parent


def datafile(name: str) -> Path:
    """Path of a file that the course ships, e.g. ``datafile("topics.json")``.

    A checkout's ``data/`` folder wins over the copy inside an installed wheel.

    Raises ``FileNotFoundError`` when neither holds ``name``.
    """
    for folder in (_PACKAGE.parent / "data", _PACKAGE / "_data"):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"datafile({name!r}): the course ships no data file of that name")
