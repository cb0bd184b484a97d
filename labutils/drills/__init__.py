"""Interview drills: fresh numbers every time, the mistake named, the skill that grows.

>>> from labutils.drills import drill, due, mock, skill
>>> session = drill()             # the one whose turn it is
>>> session.check("40 ms")        # also .predict, .bound, .hint, .reveal, .again, .follow_up
>>> mock()                        # ten drills in 25 minutes
"""

from labutils.drills.interview import mock
from labutils.drills.schedule import due
from labutils.drills.session import drill  # the function, not the module of that name
from labutils.drills.skills import skill

__all__ = ["drill", "due", "mock", "skill"]
