"""The lesson: everybody works through one chapter at once, and two of them have bad luck."""

import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum

from .classroom_chapter import NOTEBOOK, Attempt, answered, attempt
from .classroom_hub import Hub
from .classroom_learner import KernelDied, Learner

PATH = f"my/{NOTEBOOK}"
MEET_TIMEOUT_S = 180.0
MISHAP_AFTER = 2  # exercises
ENDLESS = "while True:\n    pass"
ENDLESS_ANSWER = (
    "def least_servers(arrival_rate, mean_service_time, max_mean_wait):\n"
    "    while True:\n        pass"
)


class Luck(Enum):
    """What happens to a learner in this lesson."""

    ordinary = "ordinary"
    loops = "runs an endless loop"
    killed = "loses the kernel"


@dataclass
class Record:
    """What one learner did: checks in order (exercise, right or wrong), their seconds, the rest."""

    name: str
    luck: Luck
    log_in_s: float = 0.0
    chapter_s: float = 0.0
    checks: list[tuple[str, bool]] = field(default_factory=list)
    check_s: list[float] = field(default_factory=list)
    saved: dict = field(default_factory=dict)
    trouble: str = ""


class Room:
    """Where learners meet: ordinary ones answer each exercise at the same moment."""

    def __init__(self, ordinary: int):
        self._together = threading.Barrier(ordinary)
        self.all_done = threading.Event()
        self._working = ordinary
        self._lock = threading.Lock()

    def meet(self) -> None:
        """Wait for the others; who is left alone for too long goes on, and so do they."""
        with suppress(threading.BrokenBarrierError):
            self._together.wait(MEET_TIMEOUT_S)

    def leave(self, *, broken: bool) -> None:
        """An ordinary learner is done. One who broke off keeps nobody waiting."""
        with self._lock:
            self._working -= 1
            if broken:
                self._together.abort()
            if not self._working:
                self.all_done.set()


class Lesson:
    """One learner's way through the chapter."""

    def __init__(self, learner: Learner, luck: Luck, room: Room, right: dict[str, str]):
        self.learner, self.room, self.right = learner, room, right
        self.record = Record(learner.name, luck)
        self._functions: dict[str, str] = {}
        self._num_attempts = 0

    def attend(self) -> None:
        """Log in, open the chapter, work through it, save. Trouble is kept, never raised."""
        is_ordinary = self.record.luck is Luck.ordinary
        try:
            self.record.log_in_s = self.learner.log_in()
            notebook = self.learner.open(PATH)
            if is_ordinary:
                self.room.meet()
            start = time.perf_counter()
            self._work_through(notebook)
            self._save(notebook)
            self.record.chapter_s = time.perf_counter() - start
        except Exception as trouble:
            self.record.trouble = f"{type(trouble).__name__}: {trouble}"
        finally:
            if is_ordinary:
                self.room.leave(broken=bool(self.record.trouble))

    def _work_through(self, notebook: dict) -> None:
        for place, cell in enumerate(notebook["cells"]):
            if cell["cell_type"] != "code":
                continue
            stub = cell["source"]
            cell["source"] = answered(stub, self.right)
            exercise = attempt(cell["source"], self._functions)
            if exercise is None:
                self._run(cell)
                continue
            self._try(cell, exercise)
            self._save(notebook)
            self._num_attempts += 1
            if self._num_attempts == MISHAP_AFTER:
                self._mishap(notebook["cells"][: place + 1])

    def _run(self, cell: dict) -> None:
        for name in re.findall(r"^def (\w+)\(", cell["source"], re.MULTILINE):
            self._functions[name] = cell["source"]
        ran = self.learner.run(cell["source"])
        cell["outputs"] = ran.outputs
        if ran.is_error:
            raise RuntimeError(f"a cell raised:\n{cell['source'][:200]}\n{ran.outputs[-1]}")

    def _try(self, cell: dict, exercise: Attempt) -> None:
        """Answer wrong, then right, everybody at the same moment."""
        wrong = exercise.wrong
        if self.record.luck is Luck.ordinary:
            self.room.meet()
        elif self.record.luck is Luck.loops and exercise.id == "mm1.least_servers":
            wrong = ENDLESS_ANSWER
        for answer, is_right in ((wrong, False), (exercise.right, True)):
            self.learner.run(answer)
            self._check(cell, exercise, is_right)

    def _check(self, cell: dict, exercise: Attempt, is_right: bool) -> None:
        ran = self.learner.run(exercise.check)
        if ran.text.startswith("Right.") is not is_right:
            raise RuntimeError(f"{exercise.id}: expected {is_right}, got {ran.text[:200]!r}")
        self.record.checks.append((exercise.id, is_right))
        self.record.check_s.append(ran.seconds)
        cell["outputs"] = ran.outputs

    def _mishap(self, cells_so_far: list[dict]) -> None:
        if self.record.luck is Luck.loops:
            self.learner.send(ENDLESS)
            self.room.all_done.wait()
            self.learner.interrupt()
            self.learner.run("None")
        elif self.record.luck is Luck.killed:
            self._lose_the_kernel()
            for cell in cells_so_far:
                if cell["cell_type"] == "code":
                    self._again(cell)

    def _lose_the_kernel(self) -> None:
        self.learner.send("import time; time.sleep(600)")
        for kernel in self.learner.hub.kernels_of(self.learner.name):
            kernel.kill()
        try:
            self.learner.run("None")
        except KernelDied:
            self.learner.wait_for_kernel()
            return
        raise RuntimeError("the kernel was killed and ran on")

    def _again(self, cell: dict) -> None:
        """Run a cell once more after the kernel was lost; its check counts once more, too."""
        self.learner.run(cell["source"])
        exercise = attempt(cell["source"], self._functions)
        if exercise is not None:
            self.record.checks.append((exercise.id, True))

    def _save(self, notebook: dict) -> None:
        self.learner.save(PATH, notebook)
        self.record.saved = {"cells": [dict(cell) for cell in notebook["cells"]]}


def luck_of(place: int, learners: int) -> Luck:
    """The last two of three or more learners have bad luck."""
    if learners < 3 or place < learners - 2:
        return Luck.ordinary
    return Luck.loops if place == learners - 2 else Luck.killed


def teach(
    hub: Hub,
    learners: int,
    right: dict[str, str],
    measure: Callable[[Hub, list[str]], None],
) -> list[Record]:
    """Let everybody attend; ``measure(hub, names)`` runs when all are done and kernels live."""
    lucks = [luck_of(place, learners) for place in range(learners)]
    room = Room(lucks.count(Luck.ordinary))
    lessons = [
        Lesson(Learner(hub, f"learner{place + 1:02d}"), luck, room, right)
        for place, luck in enumerate(lucks)
    ]
    threads = [threading.Thread(target=one.attend, daemon=True) for one in lessons]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    measure(hub, [one.record.name for one in lessons])
    for one in lessons:
        one.learner.close()
    return [one.record for one in lessons]
