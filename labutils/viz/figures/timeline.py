"""The life of every request in a simulated run: it waits, reads, writes, loses its memory."""

from collections.abc import Mapping

import numpy as np
from matplotlib.collections import PolyCollection

from labutils.serving.simulator import ServingRun
from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import key
from labutils.viz.style import dress, new_figure

# phase → (what it is called, role, share of the role's colour)
PHASES = {
    "queue": ("waits in the queue", "waiting", 0.35),
    "prefill": ("prompt is read", "theory", 1.0),
    "decode": ("writes its answer", "service", 0.75),
    "preempted": ("preempted", "limit", 1.0),
}
_KEY_AT = (0.0, 0.27, 0.5, 0.75)  # of the panel's width


def request_timelines(runs: Mapping[str, ServingRun], *, until_s: float | None = None):
    """Draw when each request waits, reads, writes and is preempted; one panel for each run.

    ``runs`` maps a title to a run; a row is a request, in order of arrival from top to bottom.
    Panels share the time, which ends with the longest run or at ``until_s`` seconds. Meant for up
    to about a hundred requests: more rows than pixels hide each other.
    """
    fig, axes = new_figure(
        title=_title(runs), height=1.2 + 1.85 * len(runs), rows=len(runs), sharex=True
    )
    axes = np.atleast_1d(axes)
    for ax, (name, run) in zip(axes, runs.items()):
        for phase in PHASES:
            ax.add_collection(_spans(run.timeline, phase))
        dress(ax, y="request", title=f"{name}: {_counters(run)}")
        ax.grid(False)
        ax.set(ylim=(len(run.ids), 0), yticks=[])
    ends = [float(run.timeline.end_s.max(initial=0.0)) for run in runs.values()]
    axes[-1].set_xlim(0, until_s or max(ends))
    axes[-1].set_xlabel("time (s)")
    _name_phases(axes[0])
    return fig


def _spans(timeline, phase: str) -> PolyCollection:
    """All spans of a phase as boxes, one row high."""
    _, role, share = PHASES[phase]
    at = timeline.phase == phase
    left, right, top = timeline.start_s[at], timeline.end_s[at], timeline.request[at]
    corners = ((left, top), (right, top), (right, top + 1), (left, top + 1))
    boxes = np.stack([np.stack(corner, axis=-1) for corner in corners], axis=1)
    shades = [mixed(role, share), mixed(role, 0.85 * share)]  # of neighbours
    colors = [shades[row % 2] for row in top]
    return PolyCollection(boxes, facecolors=colors, linewidths=0, antialiaseds=False)


def _counters(run: ServingRun) -> str:
    read = int(run.telemetry.prefill_tokens.sum())
    return f"{run.telemetry.mean('running'):.1f} run at a time, {read:,} prompt tokens read"


def _title(runs: Mapping[str, ServingRun]) -> str:
    times = [f"{run.telemetry.preemptions.sum():.0f}" for run in runs.values()]
    ends = [f"{run.timeline.end_s.max(initial=0.0):.1f}" for run in runs.values()]
    return f"Done after {_listed(ends)} s, with {_listed(times)} preemption{'s' * (times != ['1'])}"


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _name_phases(first) -> None:
    """The key, in a line of its own above the title of the first panel."""
    first.set_title("\n" + first.get_title(loc="left"), loc="left", fontsize=11)
    phases = zip(_KEY_AT, PHASES.values())
    words = [(x, mixed(role, share), name) for x, (name, role, share) in phases]
    key(first, words, up=22, size=10.5)  # the empty line has made room
