"""What a server's clients see, in the figures of lab 8: how streams come, end and are awaited."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from labutils.metrics import RequestRecord
from labutils.viz.labels import label_line, note
from labutils.viz.style import color, dress, line, new_figure, points

ENDS = {
    "whole": ("whole", "service"),
    "broken": ("told that it is over", "limit"),
    "refused": ("503 at once", "limit"),
    "cut": ("cut", "limit"),
}
_LUMP_S = 0.0005  # a shorter gap between two pieces is none


def heard_figure(
    streams: Mapping[str, Sequence[tuple[float, str]]], *, title: str,
    moments: Mapping[str, float] | None = None,
):  # fmt: skip
    """Draw what came on each stream: a tick for a token, a triangle for a ping, a word at the end.

    ``streams``: the stream in words -> (seconds, "sent", "token", "ping" or one of ``ENDS``) in
    order. ``moments``, in words, are drawn across all of them.
    """
    fig, ax = new_figure(title=title, x="time (s)", width=7.5, height=1.6 + 0.27 * len(streams))
    for row, heard in enumerate(streams.values()):
        at = {what: [s for s, one in heard if one == what] for _, what in heard}
        (end_s, end), begun_s = heard[-1], heard[0][0]
        word, role = ENDS[end]
        ax.plot([begun_s, end_s], [row, row], color=color("reference"), lw=0.8)
        ax.vlines(at.get("token", []), row - 0.32, row + 0.32, color=color("theory"), lw=0.9)
        ax.plot(at.get("ping", []), [row] * len(at.get("ping", [])), **points("waiting"))
        ax.plot([end_s], [row], **points(role, marker="s" if end == "whole" else "X"))
        note(ax, word, (end_s, row), role, shift=(7, 0), va="center")
    last_s = max(heard[-1][0] for heard in streams.values())
    for said, at_s in (moments or {}).items():
        ax.axvline(at_s, **line("limit", linewidth=1.2))
        note(ax, said, (at_s, -0.75), "limit", shift=(4, 0), va="center")
    for said, role, x in (("| token", "theory", 0.0), ("▲ ping", "waiting", 0.12)):
        if any(what == said[2:] for heard in streams.values() for _, what in heard):
            note(ax, said, (x, 1), role, shift=(0, 4), xycoords="axes fraction")
    ax.set(xlim=(0, 1.3 * last_s), ylim=(len(streams) - 0.4, -1.2 if moments else -0.6))
    ax.set_yticks(range(len(streams)), list(streams))
    ax.grid(axis="y", visible=False)
    return fig


def heard_in_words(streams: Mapping[str, Sequence[tuple[float, str]]]) -> str:
    """The same as a text alternative: what each stream brought, and how it ended when."""
    said = []
    for name, heard in streams.items():
        count = Counter(what for _, what in heard)
        pings = f" and {count['ping']} pings" if count["ping"] else ""
        said.append(
            f"{name}: {count['token']} events{pings}, {end_of(heard)} at {heard[-1][0]:.2f} s"
        )
    return f"Streams as rows over time. {'; '.join(said)}."


def end_of(heard: Sequence[tuple[float, str]]) -> str:
    """How a stream ended, in words."""
    return ENDS[heard[-1][1]][0]


def ends_of(streams: Mapping[str, Sequence[tuple[float, str]]]) -> Counter:
    """How many streams ended in which of the ``ENDS``."""
    return Counter(heard[-1][1] for heard in streams.values())


def pieces_figure(ways: Mapping[str, Sequence[tuple[float, int]]]):
    """Draw how much of a stream has been read by when; ``ways``: name -> (seconds, bytes)."""
    said = [
        f"{name} up to {largest_kb(pieces):.1f} kB at once, the first after "
        f"{1e3 * pieces[0][0]:.0f} ms" for name, pieces in ways.items()
    ]  # fmt: skip
    fig, ax = new_figure(title=_sentence(said), x="time (ms)", y="read (kB)", width=7.5, height=3.1)
    for (name, pieces), look in zip(ways.items(), ("theory", "measurement")):
        at_ms = [0.0, *(1e3 * s for s, _ in pieces)]
        read_kb = np.cumsum([0, *(size for _, size in pieces)]) / 1e3
        ax.plot(at_ms, read_kb, drawstyle="steps-post", label=name, **line(look))
    ax.set(xlim=(0, None), ylim=(0, None))
    for drawn, share in zip(ax.lines, (0.45, 0.75)):
        label_line(ax, drawn, drawn.get_label(), x=share * ax.get_xlim()[1])
    return fig


def pieces_in_words(ways: Mapping[str, Sequence[tuple[float, int]]]) -> str:
    """The same as a text alternative."""
    said = [
        f"{name}: {sum(size for _, size in pieces) / 1e3:.1f} kB, at most {largest_kb(pieces):.1f} "
        f"at once, from {1e3 * pieces[0][0]:.0f} to {1e3 * pieces[-1][0]:.0f} ms"
        for name, pieces in ways.items()
    ]
    return f"Staircases of what has been read over time. {'; '.join(said)}."


def largest_kb(pieces: Sequence[tuple[float, int]]) -> float:
    """The most that came at once, or nearly so."""
    lumps = [0]
    for (before_s, _), (at_s, size) in pairwise([(-math.inf, 0), *pieces]):
        lumps.append(size + lumps[-1] * (at_s - before_s < _LUMP_S))
    return max(lumps) / 1e3


def readers_figure(alike: Sequence[RequestRecord], resting: Sequence[RequestRecord]):
    """Draw the tokens that the clients of the last burst have read by when; one of them rests.

    ``alike`` are the records of bursts in which nobody does.
    """
    quick, slow = quick_and_slow(last_burst(resting))
    took_ms = [token_ms(quick_and_slow(some)[0]) for some in (resting, alike)]
    fig, ax = new_figure(
        title=f"The others take {took_ms[0]:.1f} ms a token beside a slow reader, {took_ms[1]:.1f} "
        f"without; once they are done {unread(quick, slow)} of its {slow.output_tokens} are unread",
        x="time since all have asked (ms)", y="tokens read", width=7.5, height=3.2,
    )  # fmt: skip
    for some, look in ((quick, "theory"), ([slow], "measurement")):
        for one in some:
            at_ms = 1e3 * (np.asarray(one.token_times_s) - one.intended_arrival_s)
            read = np.arange(1, len(at_ms) + 1)
            ax.plot(at_ms, read, drawstyle="steps-post", **line(look, linewidth=1.6))
    ax.set(xlim=(0, None), ylim=(0, None))
    middle = slow.output_tokens // 2
    for drawn, said in (
        (ax.lines[0], f"the other {len(quick)}"),
        (ax.lines[-1], "the slow reader"),
    ):
        label_line(ax, drawn, said, x=drawn.get_xdata()[middle])
    return fig


def readers_in_words(resting: Sequence[RequestRecord]) -> str:
    """The same as a text alternative, of the last burst."""
    quick, slow = quick_and_slow(last_burst(resting))
    done_ms, slow_ms = (
        1e3 * max(one.token_times_s[-1] - one.intended_arrival_s for one in some)
        for some in (quick, [slow])
    )
    return (
        f"Tokens read over time. {len(quick)} lines climb together and end by {done_ms:.0f} ms; "
        f"the slow reader's ends at {slow_ms:.0f} ms, {unread(quick, slow)} tokens behind them."
    )


def last_burst(records: Sequence[RequestRecord]) -> list[RequestRecord]:
    """The requests that came last, at one moment."""
    last_s = max(one.intended_arrival_s for one in records)
    return [one for one in records if one.intended_arrival_s == last_s]


def token_ms(records: Sequence[RequestRecord]) -> float:
    """The median of TPOT, in milliseconds."""
    return 1e3 * float(np.nanmedian([one.tpot_s for one in records]))


def quick_and_slow(records: Sequence[RequestRecord]) -> tuple[list, RequestRecord | None]:
    """The clients that read at once, and the (first) one that rests, if there is any."""
    slow = [one for one in records if "slow_reader" in one.tags]
    return [one for one in records if "slow_reader" not in one.tags], next(iter(slow), None)


def unread(quick: Sequence[RequestRecord], slow: RequestRecord) -> int:
    """Tokens that the slow reader has not read when the last of the others is done."""
    done_s = max(one.token_times_s[-1] for one in quick)
    return int(sum(at_s > done_s for at_s in slow.token_times_s))


def burst_figure(runs: Mapping[str, Sequence[RequestRecord]]):
    """Draw how long each request of a burst waits for its first token, and who is turned away."""
    said = [
        f"{name}: {100 * turned_away(records):.0f} % turned away, waits up to "
        f"{max(_waits(records)[1]):.1f} s" for name, records in runs.items()
    ]  # fmt: skip
    fig, ax = new_figure(
        title=_sentence(said), x="came, after the burst began (s)", y="wait for first token (s)",
        width=7.5, height=3.4,
    )  # fmt: skip
    for (name, records), look in zip(runs.items(), ("theory", "backlog")):
        ax.plot(*_waits(records), label=name, **points(look, markersize=4, markeredgewidth=0))
    top = 1.05 * max(max(line.get_ydata()) for line in ax.lines)
    ax.set(xlim=(0, None), ylim=(-0.16 * top, top))
    for (name, records), drawn in zip(runs.items(), [*ax.lines]):
        label_line(ax, drawn, name)
        away_s = [one.intended_arrival_s for one in records if _is_away(one)]
        ax.vlines(away_s, -0.14 * top, -0.06 * top, color=color("limit"), lw=0.8)
    note(ax, "| turned away", (0, 1), "limit", shift=(0, 4), xycoords="axes fraction")
    return fig


def burst_in_words(runs: Mapping[str, Sequence[RequestRecord]]) -> str:
    """The same as a text alternative."""
    said = []
    for name, records in runs.items():
        waits_s = _waits(records)[1]
        said.append(
            f"{name}: {len(waits_s)} of {len(records)} answered, the wait grows from "
            f"{waits_s[0]:.2f} to {waits_s[-1]:.2f} s, p90 {np.percentile(waits_s, 90):.2f} s"
        )
    return f"Wait for the first token over the moment of asking. {'; '.join(said)}."


def stop_figure(runs: Mapping[str, Sequence[RequestRecord]], *, long_s: float):
    """Draw the waits for a first token around a stop, a panel for each way to ask."""
    said = [f"{late(records, long_s)} of {len(records)} {name}" for name, records in runs.items()]
    fig, axes = new_figure(
        title=f"Waited for more than {long_s:.2f} s: {', '.join(said)}", x="asked (s)",
        y="wait (s)", width=7.5, height=3.8, rows=len(runs), sharex=True, sharey=True,
        squeeze=False,
    )  # fmt: skip
    for ax, (name, records), look in zip(axes.flat, runs.items(), ("theory", "backlog")):
        ax.plot(*_waits(records), **points(look, markersize=4, markeredgewidth=0))
        ax.axhline(long_s, **line("limit", linewidth=1.2))
        dress(ax, title=name)
        ax.label_outer()
    note(axes.flat[0], f"{long_s:.2f} s", (1, long_s), "limit", shift=(0, 3), ha="right",
           xycoords=axes.flat[0].get_yaxis_transform())  # fmt: skip
    name = max(runs, key=lambda name: np.subtract(*_quiet(runs[name])[::-1]))
    start_s, end_s = _quiet(runs[name])
    note(axes.flat[[*runs].index(name)], f"nobody asks for {end_s - start_s:.1f} s",
           ((start_s + end_s) / 2, 0), "ink", shift=(0, 5), ha="center")  # fmt: skip
    return fig


def stop_in_words(runs: Mapping[str, Sequence[RequestRecord]]) -> str:
    """The same as a text alternative."""
    said = []
    for name, records in runs.items():
        start_s, end_s = _quiet(records)
        said.append(
            f"{name}: {len(records)} asked, nobody from {start_s:.1f} to {end_s:.1f} s, the "
            f"longest wait is {max(_waits(records)[1]):.2f} s"
        )
    return f"Wait for the first token over the moment of asking. {'; '.join(said)}."


def late(records: Sequence[RequestRecord], long_s: float) -> int:
    """How many of the answered waited longer than ``long_s`` for their first token."""
    return sum(wait_s > long_s for wait_s in _waits(records)[1])


def turned_away(records: Sequence[RequestRecord]) -> float:
    """Which share heard a 429 or 503."""
    return sum(map(_is_away, records)) / len(records)


def _is_away(record: RequestRecord) -> bool:
    return str(record.status) == "rejected"


def _quiet(records: Sequence[RequestRecord]) -> tuple[float, float]:
    """The longest time in which nobody asked, from and to."""
    return max(
        pairwise(sorted(one.intended_arrival_s for one in records)), key=lambda gap: gap[1] - gap[0]
    )


def _waits(records: Sequence[RequestRecord]) -> tuple[list[float], list[float]]:
    """When the answered came, and how long their first tokens took."""
    answered = sorted((one for one in records if one.ok), key=lambda one: one.intended_arrival_s)
    return [one.intended_arrival_s for one in answered], [one.ttft_s for one in answered]


def _sentence(parts: Sequence[str]) -> str:
    said = "; ".join(parts)
    return said[0].upper() + said[1:]
