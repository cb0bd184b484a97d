"""Computations that several askers share, on the stage: a function ``run(flights, key, compute)``.

``Flight`` and ``Flights`` are what a learner is given. ``Computes`` opens a scene about them.
"""

import asyncio
import inspect
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping, Sized
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from labutils.exercises.rehearsals.played import End
from labutils.exercises.rehearsals.scene import Asks, Opening

SETTLE_S = 0.5  # after the last answer, for what still goes on and for what remains
_ORDINALS = ("", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ")


@dataclass
class Flight:
    """A computation under way: its task, and how many wait for it."""

    task: asyncio.Task
    askers: int = 0


class Flights:
    """Computations under way, by key."""

    def __init__(self):
        self.under_way = {}  # key -> Flight


class Unreachable(ConnectionError, KeyError):
    """The error of a computation, where the scene wants one.

    It is a ``KeyError`` too, as a computation's may be: who looks a key up with ``try`` and awaits
    in the same block takes it for an entry that is not there.
    """


@dataclass(frozen=True)
class Computes(Opening):
    """How long a computation takes, and what comes of it.

    What begins before ``down_until_ms`` fails when its time is over. One that is cancelled goes on
    for ``stops_ms`` before it has ended. ``results`` maps a key to a result of its own. Where the
    scene ``looks_after`` it, nothing may remain when all is over: no entry, no task,
    and nothing in a container of the function's own.
    """

    noun = "function"
    tells_cancelled = True
    clock = "`asyncio.get_running_loop().time()`"

    takes_ms: float
    down_until_ms: float = 0.0
    stops_ms: float = 0.0
    results: Mapping[str, Any] = field(default_factory=dict)
    looks_after: bool = False

    def on(self, stage) -> "FlightsOnStage":
        return FlightsOnStage(stage)

    def line(self, clients: int) -> str:
        said = f"a computation takes {self.takes_ms:g} ms"
        if self.down_until_ms:
            said += f"; what begins before {self.down_until_ms:g} ms fails"
        if self.stops_ms:
            said += f"; one that is cancelled needs {self.stops_ms:g} ms to stop"
        for key, result in self.results.items():
            said += f"; the result for {quoted(key)} is {result!r}"
        return f"{said}; in the end we look what remains" if self.looks_after else said

    def asking(self, event: Asks) -> str:
        again = ", and tries again after an error" if event.again else ""
        return f"asks for {quoted(event.key)}{again}"


class FlightsOnStage:
    """The function of a scene, and what it has computed."""

    spares = (Unreachable,)  # where all who wait have heard it, a task may die of it too

    def __init__(self, stage):
        self.stage, self.opens = stage, stage.scene.opens
        self.called, self.begun = Counter(), Counter()  # computations so far, by key
        self.ended_ms: dict[tuple, float] = {}  # (key, result) -> when it came
        self.fallen = False

    @asynccontextmanager
    async def opened(self, make: Callable) -> AsyncIterator[None]:
        """``make`` is the function itself, and there is nothing to enter."""
        self.run, self.flights = make, Flights()
        held = self.held()
        self.stage.loop.call_at(self.stage.horizon_s, self.falls)
        yield
        await asyncio.sleep(SETTLE_S)
        for key in self.called - self.begun:
            call = f"a call of compute() for {quoted(key)}"
            self.stage.note_work(call, float("nan"), End("not awaited"))
        if self.opens.looks_after:
            self.look_after(held)
        self.falls()

    def held(self) -> int:
        """How much lies in the containers beside ``under_way`` that the function reaches."""
        found = inspect.getclosurevars(self.run)
        reached = [*found.nonlocals.values(), *found.globals.values(), *vars(self.run).values()]
        reached += [*(self.run.__defaults__ or ()), *vars(self.flights).values()]
        under_way = self.flights.under_way
        return sum(len(one) for one in reached if isinstance(one, Sized) and one is not under_way)

    def look_after(self, held: int) -> None:
        """Note what the function has left behind."""
        for key in self.flights.under_way:
            self.stage.note_work(f"the entry for {quoted(key)}", float("nan"), End("left"))
        if self.held() > held:
            self.stage.note_work("a container of your code", float("nan"), End("kept"))
        if len(asyncio.all_tasks()) > 1:  # this one, and who else?
            self.stage.note_work("a task of your code", float("nan"), End("leaked"))

    def falls(self) -> None:
        """The curtain: what is cancelled from now on, the function has not cancelled."""
        self.fallen = True

    async def ask(self, event: Asks) -> Any:
        return await self.run(self.flights, event.key, self.computation(event.key))

    def computation(self, key: Hashable) -> Callable[[], Awaitable[Any]]:
        """A function of a client's own: it computes what belongs to ``key``."""

        def called():
            self.called[key] += 1
            return self.compute(key)

        return called

    async def compute(self, key: Hashable) -> Any:
        """Compute one key's result; the scene notes when the computation begins and ends."""
        self.begun[key] += 1
        number = self.begun[key]
        fails = self.stage.now_ms < self.opens.down_until_ms
        note = self._noting(key, number)
        note("going on", float("nan"))
        try:
            await asyncio.sleep(self.opens.takes_ms / 1000)
        except asyncio.CancelledError:
            if not self.fallen:
                note("stopped", self.stage.now_ms)
                await asyncio.sleep(self.opens.stops_ms / 1000)
            raise
        note("failed" if fails else "computed", self.stage.now_ms)
        if fails:
            raise Unreachable("the database does not answer")
        result = self.opens.results.get(key, f"{quoted(key)} {number}")
        self.ended_ms[key, result] = self.stage.now_ms
        return result

    def _noting(self, key: Hashable, number: int) -> Callable[[str, float], None]:
        ordinal = _ORDINALS[number - 1] if number <= len(_ORDINALS) else f"{number}th "
        name, start_ms = f"the {ordinal}computation for {quoted(key)}", self.stage.now_ms
        return lambda kind, at_ms: self.stage.note_work(name, start_ms, End(kind, at_ms))

    def kind_of_answer(self, event: Asks, answer) -> str:
        """Whether it is a result for the key, and one that came while the client waited."""
        if self.fallen:
            return "no answer"
        found = [(key, at_ms) for (key, one), at_ms in self.ended_ms.items() if same(one, answer)]
        ends_ms = [at_ms for key, at_ms in found if key == event.key]
        if ends_ms:
            is_own = event.key in self.opens.results or ends_ms[0] >= event.at_ms
            return "answered" if is_own else "kept"
        if found:
            return "another key's"
        return "None" if answer is None else "no result"

    def kind_of_error(self, error: Exception) -> str:
        if self.fallen:  # whatever comes of a wait that the curtain has ended
            return "no answer"
        return "failed" if isinstance(error, Unreachable) else "raised"


def quoted(key: Hashable) -> str:
    """A key as learners write it: a text in quotation marks, a number without."""
    return f'"{key}"' if isinstance(key, str) else repr(key)


def same(one: Any, other: Any) -> bool:
    """Whether these are the same result; 0, "" and None are three."""
    return type(one) is type(other) and one == other
