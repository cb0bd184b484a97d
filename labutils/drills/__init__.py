"""Interview drills: fresh numbers every time, the mistake named, the skill that grows.

>>> from labutils.drills import drill, due, mock, skill
>>> session = drill("one_server_p99", seed=7)     # drill() asks the one whose turn it is
>>> session.check("0.98 s")       # also .predict, .bound, .hint, .reveal, .again, .follow_up
Not right. ...
>>> mock(seed=3)                  # ten drills in 25 minutes
Question 1 of 10, 25:00 min left (level ...

Beside this door lie the three faces: ``session`` in a notebook, ``terminal``, ``widget`` (with its
``desk``; ``phrases`` reads what is typed). The rooms, each built on those before it:

- ``definition`` (what a drill is) and ``catalog`` (all of them, a file each)
- ``judging`` (an answer), ``asking`` (one drill being asked)
- ``repetition`` (whose turn it is), ``skills`` (what the answers add up to)
- ``whiteboard`` (designs to sketch), ``interview`` (the mock and its report)
"""

from labutils.drills.interview.interview import mock
from labutils.drills.repetition.schedule import due
from labutils.drills.session import drill
from labutils.drills.skills.skills import skill

__all__ = ["drill", "due", "mock", "skill"]
