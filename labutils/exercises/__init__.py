"""Exercises: ``predict``, ``check``, ``hint``, ``reveal``, ``outcome``, ``piece``, ``progress``.

Everything goes by explicit ids and explicit arguments. Beside this door lie the learner's calls:
``actions``, ``predictions``, ``summary``. The rooms, each built on those before it:

- ``display`` (cards), ``journal`` (what is kept), ``definition`` (exercise and verdict)
- ``running`` (a learner's code is run), ``comparing`` (its results beside the reference's)
- ``stories`` (scripts for a class), ``rehearsals`` (scenes for asyncio code)
- ``checkers`` (the kinds of answer) and ``catalog`` (every exercise, one module a chapter)

What the machinery calls things:

=============  ====================================================================================
verdict        what a check says of one answer; ``status`` is its kind, ``diagnosis`` its mistake
misconception  a wrong way with a name; an answer that does as it does hears its message
trial          one input, tried on the learner's function and on ours; ``draws`` finds the smallest
               that fails, ``shortest`` shortens a list, ``literal`` writes it to be pasted
culprit        the learner's own line in a traceback; ``guard`` bounds their code's time and prints
script         what happens to one object, step by step: data (``stories``, for a class)
story          scripts of one kind, with fresh numbers each time (``drawing`` draws them)
stage          where the learner's class and ours play the same script
telling        what one of them gave at each step of a script, and where it stopped
scene          what happens to a batcher and when: data (``rehearsals``, for asyncio code)
rehearsal      a scene played in virtual time; ``played`` is what became of it, ``event_lines``
               its lines of text
journal        what a learner did, line by line; ``at_once`` shows a result at its call
=============  ====================================================================================
"""

from labutils.exercises.actions import check, hint, piece, reveal, tried
from labutils.exercises.predictions import outcome, predict
from labutils.exercises.running.assembly import assembled
from labutils.exercises.summary import progress

__all__ = [
    "assembled",
    "check",
    "hint",
    "outcome",
    "piece",
    "predict",
    "progress",
    "reveal",
    "tried",
]
