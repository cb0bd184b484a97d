"""A learner's asyncio code, tried in virtual time.

A ``scene`` is the list of what happens and when, written as data, drawn anew for each check.
``rehearsal`` plays it on what the scene's opening makes: a batcher (``batcher_on_stage``), or
computations that several askers share (``flights``). ``played`` holds how each request ended;
``event_lines`` writes that down line by line. ``checkers/code/rehearsals.py`` judges it.
"""

from labutils.exercises.rehearsals.rehearsal import rehearse
from labutils.exercises.rehearsals.scene import Asks, Opens, Scene

__all__ = ["Asks", "Opens", "Scene", "rehearse"]
