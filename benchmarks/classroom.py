"""A class on one machine: JupyterHub, a dozen learners at once, an endless loop, a killed kernel.

JupyterHub and its proxy are no part of the course; ``classroom_hub`` finds them, or says in one
line how to install them. Everybody logs in over HTTP, runs chapter 03 cell by cell over a kernel's
websocket, and answers each exercise wrong, then right, at the same moment as the others.
"""

import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from labutils.metrics.latency import percentile, percentile_interval

from .classroom_chapter import right_sources
from .classroom_evidence import Memory, losses, memory_of
from .classroom_hub import Hub, installation, running_hub
from .classroom_lesson import Luck, Record, teach
from .registry import Goal, Row, Settings, benchmark

LONGEST_CHECK_S = 20.0
"""A check that takes longer counts as harm, as lost progress does."""


@dataclass(frozen=True)
class Outcome:
    """A lesson that is over: what each learner did, lost (nothing, where empty) and needed."""

    records: list[Record]
    lost: dict[str, list[str]]
    memory: list[Memory]

    @property
    def ordinary(self) -> list[Record]:
        """Those without bad luck: whom the others might harm."""
        return [record for record in self.records if record.luck is Luck.ordinary]

    @property
    def check_s(self) -> list[float]:
        """Seconds of every check of an ordinary learner, from sending the cell to idle."""
        return [seconds for record in self.ordinary for seconds in record.check_s]


@benchmark
def a_class_at_once(settings: Settings) -> Iterator[Row]:
    """Chapter 03 under JupyterHub: all at once, one in an endless loop, one without a kernel"""
    alone, together = _lesson(1), _lesson(settings.choose(12, 3))
    yield from _progress(together)
    yield from _waiting(together, alone)
    yield from _memory(together.memory)


@benchmark
def a_first_morning(settings: Settings) -> Iterator[Row]:
    """The same class where nothing is compiled yet and nobody shares what they compile"""
    outcome = _lesson(settings.choose(12, 3), cold=True)
    yield from _progress(outcome)
    yield from _waiting(outcome)


def _lesson(learners: int, *, cold: bool = False) -> Outcome:
    found, right, memory = installation(), right_sources(), []

    def measure(hub: Hub, names: list[str]) -> None:
        memory.extend(memory_of(hub, name) for name in names)

    with (
        tempfile.TemporaryDirectory(prefix="class-") as scratch,
        running_hub(found, Path(scratch), cold=cold) as hub,
    ):
        records = teach(hub, learners, right, measure)
        lost = {record.name: losses(hub, record) for record in records}
    return Outcome(records, lost, memory)


def _progress(outcome: Outcome) -> Iterator[Row]:
    """How many lost nothing; then the two with bad luck by themselves."""
    trouble = "; ".join(f"{name}: {', '.join(what)}" for name, what in outcome.lost.items() if what)
    checks = sum(len(record.checks) for record in outcome.records)
    note = trouble or f"{checks} checks in the journals, notebooks as they were saved"
    intact = sum(not what for what in outcome.lost.values())
    goal = Goal(len(outcome.records), at_least=True)
    yield Row("learners who lost nothing", intact, "", goal=goal, note=note)
    for record in outcome.records:
        if record.luck is not Luck.ordinary:
            kept = int(not outcome.lost[record.name])
            yield Row(f"  of one who {record.luck.value}", kept, "", goal=Goal(1, at_least=True))


def _waiting(outcome: Outcome, alone: Outcome | None = None) -> Iterator[Row]:
    checks, chapter = outcome.check_s, [record.chapter_s for record in outcome.ordinary]
    log_in = [record.log_in_s for record in outcome.records]
    yield Row("log in, until the own server answers", max(log_in), "s", statistics.median(log_in))
    yield Row("the chapter, run and answered", max(chapter), "s", statistics.median(chapter))
    for q in (0.5, 0.9, 0.95):
        low, high = percentile_interval(checks, q)
        note = f"{low:.2g} to {high:.2g} s (95 %, were the {len(checks)} checks independent)"
        yield Row(f"check, p{100 * q:.0f}", percentile(checks, q), "s", note=note)
    yield Row("check, longest", max(checks), "s", goal=Goal(LONGEST_CHECK_S))
    if alone is not None:
        (only,) = alone.records
        yield Row("  of one learner alone: the chapter", only.chapter_s, "s")
        yield Row("  of one learner alone: check, p50", percentile(only.check_s, 0.5), "s")
        yield Row("  of one learner alone: check, longest", max(only.check_s), "s")


def _memory(sizes: list[Memory]) -> Iterator[Row]:
    for name in ("server", "kernel"):
        pss = [getattr(one, f"{name}_pss") for one in sizes]
        rss = [getattr(one, f"{name}_rss") for one in sizes]
        note = f"RSS {max(rss):.0f} MiB, median {statistics.median(rss):.0f}"
        yield Row(f"memory of a {name}, PSS", max(pss), "MiB", statistics.median(pss), note=note)
    total = sum(one.pss for one in sizes)
    note = f"{total / len(sizes):.0f} MiB for each of {len(sizes)} learners"
    yield Row("memory of all, PSS", total, "MiB", note=note)
