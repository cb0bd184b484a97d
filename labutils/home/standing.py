"""Where a learner stands: the journal read against the outlines. There is no second store."""

import math
from collections.abc import Iterable

from labutils.exercises.definition.verdict import Status
from labutils.exercises.journal.journal import events
from labutils.workspace.outlines import Outline, Stretch, outlines
from labutils.workspace.routes import Part


class Standing:
    """What was done, by the journal's events ``log``, and what that leaves to do.

    Minutes are those that a chapter states, in proportion to the tasks of each of its stretches.
    """

    def __init__(self, log: Iterable[dict] | None = None):
        self._done: set[str] = set()
        self._shown: set[str] = set()  # outcomes; "run all" shows them, too
        self._acts: list[str] = []
        self._drilled_s = 0.0
        for event in events() if log is None else log:
            if isinstance(event.get("id"), str):
                self._read(event["id"], event.get("event"), event.get("status"))
            if event.get("event") == "drill" and isinstance(event.get("seconds"), int | float):
                self._drilled_s += event["seconds"]

    def _read(self, name: str, kind, status) -> None:
        if kind == "outcome":
            self._shown.add(name)
        if kind in ("predict", "reveal") or (kind == "check" and status == Status.right):
            self._done.add(name)
        if kind in ("predict", "reveal", "hint") or (
            kind == "check" and status != Status.not_attempted
        ):
            self._acts.append(name)

    @property
    def last(self) -> Outline | None:
        """The chapter last worked in."""
        of = {task: one for one in outlines() for task in one.everything}
        return next((of[name] for name in reversed(self._acts) if name in of), None)

    def is_begun(self, chapter: Outline) -> bool:
        return not set(chapter.everything).isdisjoint(self._acts)

    def open_tasks(self, chapter: Outline) -> list[str]:
        """The core tasks that are not done. A prediction counts as done when its outcome was met
        in a chapter where something else was done."""
        done = self._done | (self._shown if self.is_begun(chapter) else set())
        return [task for task in chapter.tasks if task not in done]

    def minutes_left(self, chapter: Outline, first: float = 0, last: float = math.inf) -> int:
        """The minutes left of a chapter, or of its stretches from ``first`` to ``last``."""
        left = set(self.open_tasks(chapter))
        inside = [one for one in chapter.stretches if first <= one.first and one.last <= last]
        shares = [self._share(chapter, one, left) for one in inside]
        return round(sum((one.last - one.first) * share for one, share in zip(inside, shares)))

    def _share(self, chapter: Outline, stretch: Stretch, left: set[str]) -> float:
        """The open share of a stretch; one without tasks goes with what surrounds it."""
        if stretch.tasks:
            return len(left & set(stretch.tasks)) / len(stretch.tasks)
        others = {at: one.tasks for one in chapter.stretches if (at := one.first) != stretch.first}
        later = {task for at, tasks in others.items() if at > stretch.first for task in tasks}
        before = {task for at, tasks in others.items() if at < stretch.first for task in tasks}
        return 0.0 if later - left or (before and before.isdisjoint(left)) else 1.0

    def parts_left(self, parts: Iterable[Part]) -> list[int]:
        """The minutes left of each part of a route. Time at drills counts for one part only."""
        left, drilled = [], self._drilled_s / 60
        for part in parts:
            if part.is_drills:
                left.append(max(0, round(part.minutes - drilled)))
                drilled = max(0.0, drilled - part.minutes)
            else:
                left.append(self.minutes_left(part.chapter, part.first, part.last))
        return left
