"""The engine that the learner writes: kept in ``my/engine``, mapped, proved, measured, exported.

- ``course``: the course's engine as text, and which lab writes which of its functions
- ``functions``, ``load``: functions in a text, and a package made of texts
- ``assemble``: the learner's functions in the course's engine; ``store``: kept in ``my/engine``
- ``slips``: functions of the engine with a mistake, after a patch of the course's text
- ``engine``: the learner's engine, to run; ``map``: whose lines it has
- ``prove``, ``bench``, ``export``: token for token, how fast, and as a package of its own

The same from a terminal: ``python -m labutils engine``.
"""

from .engine import my_engine
from .map import engine_map

__all__ = ["engine_map", "my_engine"]
