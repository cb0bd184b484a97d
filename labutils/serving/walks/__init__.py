"""A few requests walked through a scheduler, told step by step, for exercises.

1. ``drive``: step by step, whole prompts and no memory: what a first scheduler needs
2. ``walk``: chunks and memory that runs out, under the auditor's eyes
3. ``fair_walk``: tenants, and what a fair scheduler counts for each
4. ``field_bug``: a scheduler whose rule says how much a request computes next
"""

from .drive import drive
from .fair_walk import fair_walk
from .field_bug import ByChunkRule, longest_stalls
from .walk import walk

__all__ = ["ByChunkRule", "drive", "fair_walk", "longest_stalls", "walk"]
