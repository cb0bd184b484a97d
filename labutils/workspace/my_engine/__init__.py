"""The engine that the learner writes: kept in ``my/engine``, mapped, proved, measured, exported.

- ``texts``: a room of its own: the course's engine as text, and its functions one by one
- ``store``: the learner's functions, kept in ``my/engine``
- ``engine``: the learner's engine, to run; ``map``: whose lines it has
- ``prove``, ``bench``, ``export``: token for token, how fast, and as a package of its own
- ``measured``: what was measured, kept in ``my/engine``
- ``facts``, ``page``: what an export has to show, in the room ``markup``'s HTML

The same from a terminal: ``python -m labutils engine``.
"""

from .engine import my_engine
from .map import engine_map

__all__ = ["engine_map", "my_engine"]
