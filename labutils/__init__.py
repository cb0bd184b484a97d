"""labutils: the package that every notebook of *Tokens in Flight* shares.

Rooms, from the ground up. A room imports only from rooms that are named before it:

0. ground: ``moved``, ``ground``
1. physics: ``laws``, ``metrics``, ``llm``
2. simulate and measure: ``simulation``, ``workload``, ``measure``, ``telemetry``, ``caching``
3. serve: ``engine``, ``serving``
4. serve others: ``retrieval``, ``server``, ``loadtest``, ``ray_fleet``
5. teach: ``topics``, ``workspace``, ``cards``, ``exercises``, ``viz``, ``live``, ``drills``,
   ``home``, ``classroom``, ``authoring``, ``__main__``, ``course``

Importing ``labutils`` itself loads none of them but ``moved``, which knows the names of earlier
editions.
"""

from pathlib import Path

from labutils import moved

__version__ = "0.1.0"

_PACKAGE = Path(__file__).resolve().parent

moved.install()


def datafile(name: str) -> Path:
    """Path of a file that the course ships, e.g. ``datafile("topics.json")``.

    A checkout's ``data/`` folder wins over the copy inside an installed wheel.

    Raises ``FileNotFoundError`` when neither holds ``name``.
    """
    for folder in (_PACKAGE.parent / "data", _PACKAGE / "_data"):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"datafile({name!r}): the course ships no data file of that name")
