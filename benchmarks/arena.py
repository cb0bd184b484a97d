"""The arena: nine policies on four workloads, at the small size and at the full one."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import perf_counter

from labutils.engine import Scheduler
from labutils.serving.arena import RIVALS, Score, Table, contest, play, workloads

from .registry import Goal, Row, Settings, benchmark

SEED = 5
SMALL, FULL = 150, 20_000


def _mine(setting):
    """The ninth, in the place of a learner's: prompts first."""
    return Scheduler(*setting.server(), token_budget=setting.token_budget)


POLICIES = {**RIVALS, "prompts first": _mine}


@benchmark
def arena_small(settings: Settings) -> Iterator[Row]:
    """Arena, small: 9 policies x 4 workloads, one process"""
    begun = perf_counter()
    table = contest(POLICIES, workloads(settings.choose(SMALL, 30), seed=SEED))
    yield Row(f"{SMALL} requests each", perf_counter() - begun, "s", goal=Goal(8), note=_won(table))


@benchmark
def arena_full(settings: Settings) -> Iterator[Row]:
    """Arena, full: 9 policies x 4 workloads, two processes"""
    count = settings.choose(FULL, 30)
    begun = perf_counter()
    pairs = [(policy, name, count) for policy in POLICIES for name in workloads(30, seed=SEED)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        table = Table(tuple(processes.map(_match, pairs)))
    seconds = perf_counter() - begun
    yield Row(f"{count:,} requests each", seconds, "s", goal=Goal(240), note=_won(table))


def _match(pair: tuple[str, str, int]) -> Score:
    policy, name, count = pair
    drawn = workloads(count, seed=SEED)[name]
    return play(policy, POLICIES[policy], drawn, limit_s=900)


def _won(table: Table) -> str:
    (best, kept), *_ = table.ranking()
    return f"{best} kept {kept:.1%}"
