"""Schedulers against each other, on workloads that they have not seen.

1. ``workload``, ``workloads``: requests of several kinds with their promises, from a seed
2. ``referee``: counts steps, and sees a hand on the length of an answer
3. ``match``: one policy on one workload, and its score
4. ``rivals``: the policies that are there already
5. ``arena``: all against all
"""

from .arena import Table, contest
from .match import Policy, Score, Setting, jain, play
from .referee import Disqualified
from .rivals import RIVALS
from .workload import Part, Workload
from .workloads import workloads

__all__ = [
    "RIVALS", "Disqualified", "Part", "Policy", "Score", "Setting", "Table", "Workload", "contest",
    "jain", "play", "workloads",
]  # fmt: skip
