"""The explorer of chapter 13: a recorded run on the wall that a team had, and on its new one."""

from functools import lru_cache

import numpy as np

from labutils.telemetry.watching.wall import NEW, OLD, Recording
from labutils.telemetry.watching.wall.panels import PROMISED_S, late_or_refused, p99_since_start
from labutils.viz.controls import choice, steps
from labutils.viz.explorer import Explorer
from labutils.viz.figures.wall_panels import WallPanels

WALLS = {"the wall they had": OLD, "the new wall": NEW}
ALL = "all four"


def wall_explorer(
    recording: Recording | None = None,
    *,
    wall: str = "the wall they had",
    window_s: float = 30.0,
) -> Explorer:
    """Explore four replicas' metrics on nine panels.

    The controls are the wall, the replicas that it shows, and the window over which rates,
    percentiles and means are taken. ``recording`` is the one that the course keeps, if left out.
    """
    view = _View(Recording.load() if recording is None else recording)
    names = [ALL, *(one.name for one in view.fleet)]
    controls = {
        "wall": choice("wall", list(WALLS), wall),
        "replica": choice("replicas", [(f"only {n}" if n != ALL else n, n) for n in names]),
        "window_s": steps("window (s)", (5.0, 10.0, 30.0, 90.0), window_s),
    }
    return Explorer(view.fig, view.update, controls=controls)


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, recording: Recording):
        self.fleet = recording.service()
        seconds = max(one.times_s[-1] for one in self.fleet)
        self._moments_s = np.arange(2.0, np.floor(seconds) + 1)
        self._panels = WallPanels(
            (0, seconds), title="Four replicas on nine panels: what happened?"
        )
        self.fig = self._panels.fig
        self._found = lru_cache(64)(self._lines)

    def update(self, *, wall, replica, window_s) -> str:
        """Draw the wall for these replicas; return what it says."""
        self._panels.draw(WALLS[wall], self._moments_s, self._found(wall, replica, window_s))
        fleet = self._those(replica)
        if WALLS[wall] is OLD:
            p99s = p99_since_start("vllm:time_to_first_token_seconds")(
                fleet, self._moments_s[-1:], window_s
            )
            worst = max(p99s, key=lambda name: p99s[name][-1])
            said = f"The worst p99 today is {p99s[worst][-1]:.2g} s, on {worst}"
            return f"{said}: {'green' if p99s[worst][-1] <= PROMISED_S else 'red'}."
        shares = late_or_refused(fleet, self._moments_s, window_s)["all"]
        at = int(np.nanargmax(shares))
        said = f"At second {self._moments_s[at]:g}, {shares[at]:.0f} % were late or refused"
        return f"{said} (within {window_s:g} s; allowed is 1 %)."

    def _lines(self, wall, replica, window_s):
        fleet = self._those(replica)
        return [panel.lines(fleet, self._moments_s, window_s) for panel in WALLS[wall]]

    def _those(self, replica: str):
        return [one for one in self.fleet if replica in (ALL, one.name)]
