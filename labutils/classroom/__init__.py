"""A class in numbers: what a learner hands over, and what many of them say together.

``export`` writes one learner's progress to a file that holds no name, no text of an answer, no
value and no time of day; ``merge`` makes one report of many such files. Nothing is sent anywhere:
the learner reads the file, and hands it over.

- ``vocabulary``: the words that a file may hold, and no others
- ``line``: one event of one learner, as a line of the file
- ``handover``: from the progress store to a file
- ``handed_in``: the files of a class, read with limits
- ``gathered``: from files, whole or damaged, to learners
- ``counts``: from learners to counts
- ``days``: the same counts, day by day
- ``tables``, ``figure``: how the counts are shown
- ``report``, ``page``: an executed notebook, and the same as a page
- ``terminal``: ``python -m labutils progress export`` and ``… merge``
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

if TYPE_CHECKING:
    from labutils.classroom.counts import tally
    from labutils.classroom.gathered import Gathered, gather
    from labutils.classroom.handover import export, exported
    from labutils.classroom.line import Line
    from labutils.classroom.report import merge

_HOME = {
    "Gathered": "gathered",
    "Line": "line",
    "export": "handover",
    "exported": "handover",
    "gather": "gathered",
    "merge": "report",
    "tally": "counts",
}

__getattr__, __dir__ = lazily(__name__, _HOME)

__all__ = [
    "Gathered",
    "Line",
    "export",
    "exported",
    "gather",
    "merge",
    "tally",
]
