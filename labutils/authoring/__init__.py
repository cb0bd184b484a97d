"""One source, two editions: build and check everything that the course generates.

``python -m labutils.authoring build [NAME ...]`` writes, from ``solutions/*.py`` alone, the
learner editions (stripped), the solution editions (executed), the topic index, and the map and
routes in the README. ``python -m labutils.authoring check`` rebuilds all of it in memory, compares,
lints the sources, and says in one line each what differs and how to mend it.

Beside this door lie ``build`` and ``check``. The rooms, each built on those before it:

- ``sources`` (what an author wrote) and ``editions`` (the notebooks made of it)
- ``slides`` (a deck of a chapter) and ``pages`` (index, map, routes, cards)
- ``site`` (the course as pages that read in a browser)
- ``lint`` (the rules that every source obeys)
- ``new`` (what a new exercise, chapter, lab, drill or policy begins with)
"""

from labutils.authoring import lean  # noqa: F401
