"""The figures of the drills: how the skill grew by decision, how well the ranges held."""

from collections.abc import Sequence

import numpy as np
from matplotlib.ticker import MaxNLocator

from labutils.drills.skills.levels import FEWEST, WINDOW, Level, Range
from labutils.exercises.guess import CONFIDENCE
from labutils.viz.labels import key_above
from labutils.viz.show import show
from labutils.viz.style import color, line, new_figure, points

ROLES = {"model": "theory", "estimate": "measurement", "limit": "waiting", "commit": "service"}
MOST_RANGES = 30


def show_skill(levels: tuple[Level, ...], ranges: Sequence[Range]) -> None:
    """Show both figures, or say what is missing for them."""
    if not any(level.history() for level in levels):
        print(f"No curve yet: a decision needs {FEWEST} questions first.")
    else:
        fig = skill_history(levels)
        show(fig, alt=skill_in_words(levels))
    if positive := [item for item in ranges if item.low > 0 and item.actual > 0]:
        show(calibration(positive), alt=calibration_alt(positive))


def skill_history(levels: tuple[Level, ...]):
    """Draw the level of each decision against the questions done in it.

    The level is the mean score of the last ``WINDOW`` questions (1 unaided, 0.5 with help).
    Raises ``ValueError`` where no decision has a level yet.
    """
    drawn = [level for level in levels if level.history()]
    if not drawn:
        raise ValueError(f"levels: expected a decision with {FEWEST} questions or more")
    best, worst = (end(drawn, key=lambda level: level.value) for end in (max, min))
    fig, ax = new_figure(
        title=_history_title(best, worst), x="questions done", y=f"level, last {WINDOW} (%)"
    )
    ax.set(ylim=(-3, 103), xlim=(FEWEST - 0.5, _longest(drawn) + 0.5))
    ax.xaxis.get_major_locator().set_params(integer=True)
    for level in drawn:
        _history(ax, level)
    key_above(ax)  # levels that agree would have their names on each other
    return fig


def skill_in_words(levels: tuple[Level, ...]) -> str:
    """The figure of ``skill_history`` for somebody who cannot see it."""
    ends = [
        f"{level.decision.value} {100 * level.value:.0f} % after {len(level.scores)} questions"
        for level in levels
        if level.history()
    ]
    return f"Level by decision against questions done, as lines: {'; '.join(ends)}."


def calibration(ranges: list[Range]):
    """Draw each predicted range over the true value, on a log axis; 1 is the truth.

    ``ranges`` have ends and truths above 0; the last ``MOST_RANGES`` are drawn.
    """
    if not ranges or min(min(item.low, item.actual) for item in ranges) <= 0:
        raise ValueError("ranges: expected at least one, with ends and truths above 0")
    recent = ranges[-MOST_RANGES:]
    held = sum(item.held for item in recent)
    fig, ax = new_figure(
        title=f"{held} of {len(recent)} ranges hold the truth; "
        f"{100 * CONFIDENCE:.0f} % of them should",
        x="range over truth",
        y="range, last on top",
        height=2.3 + 0.12 * len(recent),
    )
    ax.axvline(1, **line("limit", linewidth=1.6))
    for at, item in enumerate(recent, 1):
        _one_range(ax, at, item)
    _log_axis(ax, [end / item.actual for item in recent for end in (item.low, item.high)])
    ax.set(ylim=(0.3, len(recent) + 0.7))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    return fig


def calibration_alt(ranges: list[Range]) -> str:
    """The figure of ``calibration`` for somebody who cannot see it."""
    recent = ranges[-MOST_RANGES:]
    above = sum(item.low > item.actual for item in recent)
    below = sum(item.high < item.actual for item in recent)
    return (
        f"{len(recent)} predicted ranges as bars over the true value: "
        f"{len(recent) - above - below} hold it, {above} lie above it, {below} below."
    )


def _history(ax, level: Level) -> None:
    done, values = np.array(level.history()).T
    name = ROLES[level.decision.name]
    ax.plot(done, 100 * values, **line(name), label=level.decision.value)
    ax.plot(done[-1:], 100 * values[-1:], **points(name))


def _history_title(best: Level, worst: Level) -> str:
    if best is worst:
        return f"“{best.decision.value}” stands at {100 * best.value:.0f} %"
    return (
        f"“{best.decision.value}” stands at {100 * best.value:.0f} %, "
        f"“{worst.decision.value}” at {100 * worst.value:.0f} %"
    )


def _longest(levels: list[Level]) -> int:
    return max(FEWEST + 1, *(len(level.scores) for level in levels))


def _one_range(ax, at: int, item: Range) -> None:
    name = "service" if item.held else "measurement"
    ends = item.low / item.actual, item.high / item.actual
    ax.plot(ends, (at, at), **line(name, linestyle="-", linewidth=4 if item.held else 2))
    if not item.held:
        near = ends[0] if ends[0] > 1 else ends[1]
        ax.plot(near, at, marker="x", markersize=8, markeredgewidth=2.2, color=color(name))


def _log_axis(ax, ratios: list[float]) -> None:
    ends = [0.5, 2.0, *ratios]
    ax.set(xscale="log", xlim=(min(ends) / 1.2, max(ends) * 1.2))
    ticks = [t for t in (0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100) if min(ends) <= t <= max(ends)]
    ax.set_xticks(ticks, [f"{tick:g}×" for tick in ticks])
    ax.minorticks_off()
