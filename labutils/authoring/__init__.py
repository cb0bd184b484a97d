"""One source, two editions: build and check everything that the course generates.

``python -m labutils.authoring build [NAME ...]`` writes, from ``solutions/*.py`` alone, the
learner editions (stripped), the solution editions (executed), the topic index and the course
map in the README. ``python -m labutils.authoring check`` rebuilds all of it in memory, compares,
lints the sources, and says in one line each what differs and how to mend it.

The files, in the order in which a chapter passes through them: ``source`` reads it, ``solutions``
blanks its answers, ``opening`` writes its first and last cells, ``editions`` puts a notebook
together, ``execute`` runs it, ``outputs`` settles what came out, ``figures`` takes out what the
README shows, ``index`` collects topics and the map, ``lint`` and ``check`` judge.
"""
