"""A scene played on a batcher: who waits, what the model does, and how each request ends."""

from collections.abc import Mapping

import numpy as np
from matplotlib.patheffects import withStroke

from labutils.exercises.rehearsals.event_lines import event_lines
from labutils.exercises.rehearsals.played import Played
from labutils.exercises.rehearsals.scene import Stops
from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import key, legible_on, readable
from labutils.viz.style import CARD, band, color, dress, new_figure, points

ENDS = {
    "answered": ("answered", "service"),
    "failed": ("error", "limit"),
    "refused": ("refused", "limit"),
    "hung up": ("hangs up", "reference"),
    "raised": ("error", "limit"),
    "another's answer": ("another's result", "limit"),
    "a promise": ("no result yet", "limit"),
    "cannot hang up": ("hung up, and is kept", "limit"),
}
_ROOM = 1.22  # of the last moment: the words at the ends need space
_ROOM_BLOCKED = 1.75  # of the end of a blocking call, whose words are longer


def event_timeline(got: Played, wanted: Played | None = None, *, title: str | None = None):
    """Draw one scene: a row for each request, and the model's batches below.

    ``wanted`` is the same scene as it should go: a hollow mark stands where a request should have
    been answered and was not, or not then.
    """
    fig, ax = new_figure(
        title=title or _title(got, wanted), x="time (ms)", height=1.6 + 0.36 * _rows(got)
    )
    _draw(ax, got, wanted, end_ms=_end_ms(got, wanted))
    return fig


def in_words(got: Played, wanted: Played | None = None) -> str:
    """The same as a text alternative: every event with its time, and what should have come."""
    lines = [" ".join(line.split()) for line in event_lines(got, wanted)]
    return f"Timeline of a scene. {'; '.join(lines).replace(' <- ', ', ')}."


def event_timelines(plays: Mapping[str, Played], *, title: str):
    """Draw scenes below each other on one scale of time; ``plays`` maps a name to each."""
    end_ms = max(_end_ms(played, None) for played in plays.values())
    heights = [_rows(played) + 1.6 for played in plays.values()]
    fig, axes = new_figure(
        title=title, height=1.0 + 0.36 * sum(heights), rows=len(plays), height_ratios=heights
    )
    for ax, (name, played) in zip(np.atleast_1d(axes), plays.items()):
        dress(ax, title=name)
        _draw(ax, played, None, end_ms=end_ms)
    np.atleast_1d(axes)[-1].set_xlabel("time (ms)")
    return fig


def _rows(got: Played) -> int:
    return len(got.scene.names) + 1


def _end_ms(got: Played, wanted: Played | None) -> float:
    ends = [end.at_ms for one in (got, wanted) if one for end in one.ends.values()]
    ends += [event.at_ms for event in got.scene.events] + [call.end_ms for call in got.calls]
    blocked_ms = max((call.end_ms for call in got.calls if call.blocks), default=0.0)
    return max(_ROOM * float(np.nanmax(ends)), _ROOM_BLOCKED * blocked_ms)


def _title(got: Played, wanted: Played | None) -> str:
    said = f"{got.answered} of {len(got.ends)} get their own result"
    if wanted is None:
        return said
    wrong = sum(not end.same(wanted.ends[name], 0.01) for name, end in got.ends.items())
    if not wrong:
        return f"{said}, and everybody hears what they should, in time"
    if got.answered != wanted.answered:
        return f"{said}, and {wanted.answered} should (○: where)"
    return f"{said}; {wrong} should hear something else, or at another time (○: when)"


def _draw(ax, got: Played, wanted: Played | None, *, end_ms: float) -> None:
    names = got.scene.names
    for row, name in enumerate(names):
        _row(ax, row, name, got, wanted, end_ms)
    _model(ax, len(names), got)
    for stop in (event for event in got.scene.events if isinstance(event, Stops)):
        ax.axvline(stop.at_ms, color=color("reference"), linewidth=1.6)
        _word(ax, stop.at_ms, -0.62, "told to stop", "reference")
    for death in got.deaths[:1]:
        ax.axvline(death.at_ms, color=color("limit"), linewidth=1.6)
        _word(ax, death.at_ms, -0.62, "the batcher's task dies", "limit")
    waits, in_batch = mixed("waiting", 0.45), color("service")
    key(ax, ((0.76, waits, "waits"), (0.86, in_batch, "in the batch")), up=3, size=9.5)
    ax.set(xlim=(0, end_ms), ylim=(len(names) + 0.6, -0.95))
    ax.set_yticks(range(len(names) + 1), [*names, "model"])
    ax.grid(axis="y", visible=False)


def _row(ax, row: int, name: str, got: Played, wanted: Played | None, end_ms: float) -> None:
    asks_ms = next(e.at_ms for e in got.scene.events if e.name == name)
    end = got.ends[name]
    silent = end.at_ms != end.at_ms
    until_ms = end_ms if silent else end.at_ms
    works = [call for call in got.calls if name in call.names]
    begins_ms = min((call.start_ms for call in works), default=until_ms)
    if works or not silent:
        _bar(ax, row, asks_ms, min(begins_ms, until_ms), "waiting", 0.45)
    for call in works:
        _bar(ax, row, call.start_ms, min(call.end_ms, until_ms), "service", 1.0)
    if silent:
        after_ms = max((call.end_ms for call in works), default=asks_ms)
        ax.plot([after_ms, end_ms], [row, row], color=color("limit"), linestyle=(0, (2, 2)))
        _word(ax, after_ms, row, "never hears anything", "limit")
    else:
        _word(ax, end.at_ms, row, *ENDS[end.kind])
    _should(ax, row, end, wanted.ends[name] if wanted else end)


def _should(ax, row: int, end, wanted) -> None:
    if not end.same(wanted, 0.01):
        hollow = {"markerfacecolor": CARD, "markeredgecolor": color("ink"), "markeredgewidth": 1.6}
        ax.plot([wanted.at_ms], [row], **points("ink", marker="o", markersize=9, **hollow))


def _model(ax, row: int, got: Played) -> None:
    for call in got.calls:
        _bar(ax, row, call.start_ms, call.end_ms, "service", 0.75)
        ax.text(
            (call.start_ms + call.end_ms) / 2, row, len(call.names),
            ha="center", va="center", fontsize=9, color=legible_on(mixed("service", 0.75)),
        )  # fmt: skip
        if call.blocks:
            ax.axvspan(call.start_ms, call.end_ms, **band("limit", alpha=0.10))
    if blocking := [call for call in got.calls if call.blocks]:
        _word(ax, blocking[0].end_ms, row, "on the event loop: nothing else happens", "limit")


def _bar(ax, row: int, start_ms: float, end_ms: float, name: str, alpha: float) -> None:
    if end_ms > start_ms:
        ax.barh(row, end_ms - start_ms, left=start_ms, height=0.62, color=color(name), alpha=alpha)


def _word(ax, x: float, y: float, text: str, name: str) -> None:
    ax.annotate(
        text, (x, y), xytext=(6, 0), textcoords="offset points", va="center", fontsize=9.5,
        color=readable(color(name)), path_effects=[withStroke(linewidth=4, foreground=CARD)],
    )  # fmt: skip
