"""Two walls on a server that runs now, a button that breaks it, and five that say what it is."""

import asyncio
import time
from collections import deque
from typing import ClassVar

import ipywidgets
import numpy as np

from labutils.telemetry.watching.wall.live_panels import AVERAGES, CAUSES
from labutils.viz import Explorer, choice
from labutils.viz.figures.wall_panels import WallPanels
from labutils.viz.show import publish

from .hunt import WRONG_S, Hunt, faults_to_come
from .live_faults import FAULTS, known
from .live_service import LiveService

BEFORE, NOW = "the wall before", "the wall now"
WALLS = {BEFORE: (AVERAGES, 60.0), NOW: (CAUSES, 5.0)}
SHOWN_S, MOST_MOMENTS = 60.0, 80
PERIOD_S = 0.8  # from one refresh to the next
CALM_S = 10.0  # of a service that is well, before something befalls it
LONGEST_S = 900.0
_ROW = {"flex_flow": "row wrap", "align_items": "center"}


class LiveWall:
    """A ``LiveService`` on two walls of ten panels, refreshed about once a second.

    Nothing runs before *Start*. *Inject* lets a fault begin that the seed draws; five buttons name
    faults, and the seconds until the right one stand in ``seconds``, for each wall on its own. The
    server ends with *End*, after a quarter of an hour, and with the kernel. End a cell with the
    wall to show it.
    """

    _watched: ClassVar["LiveWall | None"] = None  # one at a time: a cell that runs again ends it

    def __init__(self, seed: int):
        self.service = LiveService(seed)
        self.seconds: dict[str, float] = {}  # by wall, of the last hunt that ended there
        self.hunt: Hunt | None = None
        self._faults, self._well_since_s = faults_to_come(seed), 0.0
        self._broken_at_s = np.nan  # on the clock of the scrapes
        self._rows = {wall: deque(maxlen=MOST_MOMENTS) for wall in WALLS}  # moment, panels' lines
        self._said = ""
        self._watching: asyncio.Task | None = None
        self._ends = self._is_pressed = False
        title = "A server that runs now, on ten panels: what befalls it?"
        self._panels = WallPanels(
            (-SHOWN_S, 0), title=title, x="seconds ago", rows=5, cols=2, height=5.0,
            longest="over_budget",
        )  # fmt: skip
        walls = {"wall": choice("wall", list(WALLS), BEFORE)}
        self.explorer = Explorer(self._panels.fig, self._draw, controls=walls)
        self.explorer.shows_picture = False  # ten panels of nothing
        self._build()

    def refresh(self) -> None:
        """Scrape the server once and draw the wall anew."""
        self.scrape()
        self._show()

    def scrape(self) -> None:
        """Scrape the server once; what each panel of both walls says of now is kept."""
        now_s = self.service.scrape().time_s
        if len(self.service.scrapes) == 1:
            return
        for wall, (panels, window_s) in WALLS.items():
            fleet, now = [self.service.replica(window_s)], np.array([now_s])
            lines = [panel.lines(fleet, now, window_s) for panel in panels]
            self._rows[wall].append((now_s, lines))

    def start(self) -> None:
        """Start the server, and wait until it serves."""
        self.service.start()
        self._well_since_s = time.monotonic()
        self._said = ""

    def inject(self) -> None:
        """Let the next fault begin, and start the clock."""
        fault = next(self._faults)
        self.service.inject(fault)
        self.hunt, self._said = Hunt(fault), ""
        self._broken_at_s = self.service.scrapes[-1].time_s

    def answer(self, fault: str) -> None:
        """Hand in the name of a fault. If it is right, the fault ends and the clock stops."""
        wall, said = self.explorer.values["wall"], FAULTS[known(fault)].said
        if self.hunt is None:
            raise RuntimeError("nothing is wrong: inject a fault first")
        if not self.hunt.says(fault):
            self._said = f"Not that: {said}. It costs {WRONG_S:.0f} s, and the clock runs."
            return
        seconds, self.hunt = self.hunt.seconds, None
        self.service.heal()
        self.seconds[wall], self._well_since_s = seconds, time.monotonic()
        self._said = f"Right: {said}, after {seconds:.0f} s. {self.told()}".strip()

    def told(self) -> str:
        """What the two walls took, once each was searched; empty before."""
        if len(self.seconds) < len(WALLS):
            return ""
        both = f"{self.seconds[BEFORE]:.0f} s on {BEFORE}, {self.seconds[NOW]:.0f} s on {NOW}."
        return f"In all: {both} The next cell keeps them."

    def _next(self) -> str:
        """What can be done while nothing is wrong."""
        if time.monotonic() - self._well_since_s < CALM_S:
            return "Look at it for a while."
        left = [wall for wall in WALLS if wall not in self.seconds]
        there = f"Choose {left[0]}, and inject" if len(left) == 1 else "Inject"
        return f"{there} a fault."

    def close(self) -> None:
        """End the server and its load; the walls stay as they are."""
        self._end()
        self.service.close()
        self._show()

    def _ipython_display_(self) -> None:
        view = {"version_major": 2, "version_minor": 0, "model_id": self.buttons.model_id}
        text = "Buttons: Start, Inject a fault, End, and five answers. Run this cell to press them."
        publish({
            "application/vnd.jupyter.widget-view+json": view,
            "text/html": f"<p><em>{text}</em></p>", "text/plain": text,
        })  # fmt: skip
        self.explorer._ipython_display_()

    def _build(self) -> None:
        def button(text: str, pressed, **look) -> ipywidgets.Button:
            made = ipywidgets.Button(description=text, layout={"width": "auto"}, **look)
            made.on_click(lambda _: self._press(pressed))
            return made

        self.start_button = button("Start", self._begin, button_style="primary")
        self.inject_button = button("Inject a fault", self.inject, button_style="danger")
        self.end_button = button("End", self._end)
        self.answers = {
            name: button(fault.said, lambda name=name: self.answer(name))
            for name, fault in FAULTS.items()
        }
        first = [self.start_button, self.inject_button, self.end_button]
        second = [ipywidgets.HTML("It is:"), *self.answers.values()]
        rows = [ipywidgets.Box(row, layout=_ROW) for row in (first, second)]
        self.buttons = ipywidgets.VBox(rows)
        self._let()

    def _let(self) -> None:
        """Which buttons can be pressed."""
        runs, hunts = self.service.is_running, self.hunt is not None
        is_well = time.monotonic() - self._well_since_s >= CALM_S
        self.start_button.disabled = self._watching is not None
        self.end_button.disabled = not runs or self._ends
        self.inject_button.disabled = not runs or hunts or not is_well
        self.explorer.controls["wall"].disabled = hunts
        for one in self.answers.values():
            one.disabled = not hunts

    # A kernel may hear a button in a thread of its own, so a button changes what is, and the loop
    # that watches shows it: at once, for it is woken.

    def _press(self, pressed) -> None:
        pressed()
        self._let()
        self._is_pressed = True

    def _begin(self) -> None:
        if LiveWall._watched is not None:
            LiveWall._watched.close()
        LiveWall._watched, self._ends = self, False
        self._said = "The server starts …"
        self._watching = asyncio.get_running_loop().create_task(self._watch())

    def _end(self) -> None:
        self._ends, self.hunt = True, None
        self._said = f"The server has ended. {self.told()}".strip()

    async def _watch(self) -> None:
        """Redraw until the wall is closed. An error ends the server and is shown."""
        try:
            self._show()
            await asyncio.to_thread(self.start)
            ends_s = time.monotonic() + LONGEST_S
            while not self._ends and (began_s := time.monotonic()) < ends_s:
                await asyncio.to_thread(self.scrape)
                self._show()
                await self._pause(began_s + PERIOD_S)
            self._said = self._said if self._ends else "The server has ended: its time is over."
        except Exception as error:
            self._said = self._said if self._ends else f"The server has ended: {error}"
        finally:
            self.service.close()
            self._watching, self.hunt = None, None
        self._show()

    async def _pause(self, until_s: float) -> None:
        while not self._is_pressed and time.monotonic() < until_s:
            await asyncio.sleep(0.05)
        self._is_pressed = False

    def _show(self) -> None:
        self._let()
        self.explorer.shows_picture = any(self._rows.values())
        self.explorer()

    def _draw(self, wall: str) -> str:
        """Draw the last minute on a wall; return what is to be said."""
        panels, kept = WALLS[wall][0], list(self._rows[wall])
        now_s = max((moment_s for moment_s, _ in kept), default=0.0)
        rows = [row for row in kept if row[0] >= now_s - SHOWN_S]  # no axis is for what is gone
        moments_s = np.array([moment_s for moment_s, _ in rows])
        found = [
            {name: np.array([lines[at][name][0] for _, lines in rows]) for name in rows[0][1][at]}
            if rows else {} for at in range(len(panels))
        ]  # fmt: skip
        self._panels.draw(panels, moments_s - now_s, found, self._broken_at_s - now_s)
        return self._status(wall)

    def _status(self, wall: str) -> str:
        if not self.service.is_running and not self._said:
            about = f"{wall.capitalize()} looks back {WALLS[wall][1]:.0f} s."
            return f"Press Start: a server starts on this machine, with a few users. {about}"
        if self.hunt is not None:
            clock = f"Something is wrong, and the clock says {self.hunt.so_far():.0f} s."
            return f"{self._said} {clock} What is it?".strip()
        if not self.service.is_running or self._ends or self._said.endswith("…"):
            return self._said
        return f"{self._said or 'All is well.'} {self._next()}"
