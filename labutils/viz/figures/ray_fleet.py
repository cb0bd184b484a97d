"""Figures of lab 9: where answers were when a replica died, and a fleet that grows under load."""

from collections.abc import Mapping, Sequence

import numpy as np

from labutils.viz.labels import label_line, note
from labutils.viz.style import color, dress, line, new_figure, points

_LANES = 5  # of requests that a replica holds at the same time, before they are drawn on each other


def answers(rows: Sequence[Mapping], moments: Mapping[str, float], *, title: str):
    """Draw each answer as a line on its replica, with a cross where it did not end whole.

    ``rows``: of each request ``sent_s``, ``finish_s``, the ``replica`` and how it ``ended``.
    ``moments``, in words, are drawn across all of them.
    """
    numbers = _numbers(rows)
    fig, ax = new_figure(title=title, x="time (s)", width=7.5, height=1.2 + 0.75 * len(numbers))
    for at, number in enumerate(numbers):
        own = sorted((one for one in rows if one["replica"] == number), key=_sent)
        for row, lane in zip(own, _lanes(own)):
            y = at + (lane - (_LANES - 1) / 2) * 0.8 / _LANES
            role = "service" if row["ended"] == "done" else "limit"
            ax.plot([row["sent_s"], row["finish_s"]], [y, y], color=color(role), lw=1.6)
            ax.vlines(row["sent_s"], y - 0.07, y + 0.07, color=color(role), lw=1.6)
            if row["ended"] != "done":
                ax.plot(row["finish_s"], y, **points("limit", marker="X"))
    for said, at_s in moments.items():
        ax.axvline(at_s, **line("reference", linewidth=1.2))
        note(ax, said, (at_s, -0.62), "ink", shift=(4, 0))
    ax.set_yticks(range(len(numbers)), [f"replica {number}" for number in numbers])
    ax.set_ylim(len(numbers) - 0.4, -0.85)
    ax.grid(axis="y", visible=False)
    return fig


def answers_in_words(rows: Sequence[Mapping]) -> str:
    """The same as a text alternative."""
    said = []
    for number in _numbers(rows):
        own = [row for row in rows if row["replica"] == number]
        whole = sum(row["ended"] == "done" for row in own)
        last_s = max(row["finish_s"] for row in own)
        said.append(f"replica {number}: {whole} of {len(own)} whole, the last at {last_s:.1f} s")
    return f"Answers as lines over time, a band for each replica. {'; '.join(said)}."


def counters(times_s: Sequence[float], scrapes: Sequence[Mapping[str, float]], *, title: str):
    """Draw the counter of each replica as it was scraped, and their sum."""
    fig, ax = new_figure(title=title, x="time (s)", y="tokens counted", width=7, height=3.4)
    (whole,) = ax.plot(
        times_s, [sum(one.values()) for one in scrapes], **line("limit", linestyle="-")
    )
    each = {}
    for number in sorted({number for one in scrapes for number in one}):
        there = [(at, one[number]) for at, one in zip(times_s, scrapes) if number in one]
        (each[f"replica {number}"],) = ax.plot(*zip(*there), **line("service", linestyle="-"))
    ax.set(xlim=(0, 1.2 * times_s[-1]), ylim=(0, None))
    label_line(ax, whole, "their sum")
    for name, drawn in each.items():
        end = drawn.get_xdata()[-1], drawn.get_ydata()[-1]
        ax.plot(*end, **points("service", markersize=6))
        if end[0] < times_s[-1]:
            note(ax, f"{name} is gone", end, "service", shift=(6, -12))
    return fig


def counters_in_words(times_s: Sequence[float], scrapes: Sequence[Mapping[str, float]]) -> str:
    """The same as a text alternative."""
    sums = [sum(one.values()) for one in scrapes]
    at = int(np.argmin(np.diff(sums)))
    return (
        f"Lines of counted tokens over time, one for each replica, and their sum: it rises to "
        f"{sums[at]:.0f} at {times_s[at]:.1f} s, falls to {sums[at + 1]:.0f}, and ends at "
        f"{sums[-1]:.0f}."
    )


def scaling(
    times_s: Sequence[float], up: Sequence[int], rows: Sequence[Mapping], *, title: str
):  # fmt: skip
    """Draw replicas that are up, and below when the first token of each request came."""
    fig, (top, below) = new_figure(
        title=title, x="time (s)", rows=2, sharex=True, width=7, height=3.6
    )
    top.step(times_s, up, where="post", **line("service", linestyle="-"))
    top.set_ylim(0, max(up) + 0.5)
    top.set_yticks(range(max(up) + 1))
    dress(top, title="replicas that are up")
    heard = [row for row in rows if row["ttft_s"] is not None]
    sent_s, waits_s = np.array([(row["sent_s"], row["ttft_s"]) for row in heard]).T
    below.plot(sent_s, waits_s, **points("measurement", markersize=5, alpha=0.4))
    below.set_ylim(-0.08 * waits_s.max(), 1.1 * waits_s.max())
    dress(below, title="first token after (s)")
    top.label_outer()
    top.set_xlabel("")
    return fig


def _numbers(rows: Sequence[Mapping]) -> list[str]:
    """Of the replicas that any of them reached."""
    return sorted({row["replica"] for row in rows if row["replica"]}, key=int)


def _sent(row: Mapping) -> float:
    return row["sent_s"]


def _lanes(rows: Sequence[Mapping]) -> list[int]:
    """For each row, in the order of beginning, the first lane that is free."""
    free_s, lanes = [-np.inf] * _LANES, []
    for row in rows:
        lane = next((n for n, at_s in enumerate(free_s) if at_s <= row["sent_s"]), _LANES - 1)
        free_s[lane] = row["finish_s"]
        lanes.append(lane)
    return lanes
