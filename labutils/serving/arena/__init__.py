"""Schedulers against each other, on workloads that they have not seen.

1. ``workload``, ``workloads``: requests of several kinds with their promises, from a seed
2. ``referee``: counts steps, and sees a hand on the length of an answer
3. ``match``: one policy on one workload, and its score
4. ``rivals``: the policies that are there already
5. ``arena``: all against all; ``leaderboard``: the best of each name, kept in ``my/``
6. ``small_engine``, ``scale``: the same matches on a real engine, an eighth as large
7. ``sealed_table``, ``pairs``: who wins, said before; and whether that was right

The rules on one page: ``docs/arena.md``.
"""

from .arena import Table, contest
from .leaderboard import Leaderboard
from .match import Policy, Score, Server, Setting, jain, play
from .pairs import Pair, Pairs
from .referee import Disqualified
from .rivals import RIVALS, policy_of
from .sealed_table import SealedTable
from .small_engine import SmallEngine
from .workload import Part, Workload
from .workloads import workloads

__all__ = [
    "RIVALS", "Disqualified", "Leaderboard", "Pair", "Pairs", "Part", "Policy", "Score",
    "SealedTable", "Server", "Setting", "SmallEngine", "Table", "Workload", "contest", "jain",
    "play", "policy_of", "workloads",
]  # fmt: skip
