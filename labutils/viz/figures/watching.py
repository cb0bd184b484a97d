"""The figures of chapter 13: what users waited, what buckets and counters say, who is woken."""

from collections.abc import Mapping, Sequence

import numpy as np

from labutils.metrics.latency import percentile
from labutils.telemetry.watching import BurnRule, KeptTraces, Minutes, Verdict, burn_rates
from labutils.viz.labels import key_above, label_line, readable
from labutils.viz.style import CARD, band, color, dress, line, new_figure, points

SIZE = {"width": 6.5, "height": 2.8}
_TALL = 10  # cells in a column
_BESIDE = {"textcoords": "offset points"}


def users_waits(users: Sequence, *, limit_s: float, server_says_s: float):
    """Draw each user's first token against the arrival, by the tries; a cross got no answer.

    ``server_says_s`` is the p99 that the server shows of the same seconds.
    """
    late = sum(user.ttft_s > limit_s for user in users)
    fig, ax = new_figure(
        title=f"{late} of {len(users)} users waited over {limit_s:g} s; the server's p99 is "
        f"{server_says_s:.2f} s",
        x="second of arrival", y="first token after (s)", **SIZE,
    )  # fmt: skip
    answered = [user for user in users if user.is_answered]
    top = 1.2 * max([limit_s, *(user.ttft_s for user in answered)])
    groups = (
        ("one try", "service", "o", [user for user in answered if user.tries == 1]),
        ("more tries", "measurement", "^", [user for user in answered if user.tries > 1]),
        ("never answered", "ink", "x", [user for user in users if not user.is_answered]),
    )
    for name, look, marker, those in groups:
        waits_s = [min(user.ttft_s, top) for user in those]
        ring = {"markeredgecolor": color(look) if marker == "x" else CARD}
        drawn = points(look, marker=marker, markersize=6, **ring)
        ax.plot([user.arrival_s for user in those], waits_s, **drawn, label=f"{name}: {len(those)}")
    limit = ax.axhline(limit_s, **line("limit", linewidth=1.4))
    whole = range(int(top))
    ax.set_yticks([*whole, top], [*map(str, whole), "never"])
    ax.set(ylim=(0, 1.1 * top))
    ax.locator_params(axis="x", integer=True)
    label_line(ax, limit, f"promised: {limit_s:g} s", x=ax.get_xlim()[0])
    key_above(ax)
    return fig


def bucket_guess(values_s, edges_s: Sequence[float], q: float, guess: tuple[float, float, float]):
    """Draw the values up to each moment, what buckets keep of them, and a guessed quantile.

    ``guess`` is (value, low, high) as the buckets give it.
    """
    ordered = np.sort(np.asarray(values_s))
    truth, (value, low, high) = percentile(ordered, q), guess
    shares = 100 * np.arange(1, ordered.size + 1) / ordered.size
    edges = np.array([0.0, *(edge for edge in edges_s if np.isfinite(edge))])
    up_to = 100 * np.searchsorted(ordered, edges, side="right") / ordered.size
    fig, ax = new_figure(
        title=f"The buckets say {value:.2f} s, the true p{100 * q:g} is {truth:.2f} s: both lie "
        f"between {low:g} and {high:g} s",
        x="first token after (s)", y="requests so far (%)", **SIZE,
    )  # fmt: skip
    ax.axvspan(low, high, **band("queue"))
    (true,) = ax.step(ordered, shares, where="post", **line("service", linestyle="-"))
    look = {**line("theory", linestyle=(0, (4, 1.2))), "marker": "o", "markersize": 6}
    (kept,) = ax.plot(edges, up_to, **look)
    ax.axhline(100 * q, **line("reference", linewidth=1.4))
    for x, look, marker, name, side in ((value, "theory", "D", "guess", -16),
                                        (truth, "service", "*", "truth", 9)):  # fmt: skip
        ax.plot(x, 100 * q, **points(look, marker=marker, markersize=10))
        ax.annotate(f"{name} {x:.2f}", (x, 100 * q), xytext=(0, side), **_BESIDE,
                    ha="center", color=readable(color(look)))  # fmt: skip
    before = up_to[edges <= low][-1]
    room = 100 - min(before, 100 * q)
    ax.set(xlim=(low - 0.3 * (high - low), high + 0.3 * (high - low)))
    ax.set(ylim=(100 - 1.7 * room, 100 + 0.35 * room))
    label_line(ax, kept, "what the buckets keep", x=low + 0.04 * (high - low))
    label_line(ax, true, "all values", x=low + 0.7 * (high - low))
    return fig


def mean_and_service(each: Mapping[str, float], service: tuple[float, float, float], q: float):
    """Draw each replica's quantile, their mean, and the service's with its bounds, a row for each.

    ``service`` is (value, low, high).
    """
    mean, (value, low, high) = float(np.mean(list(each.values()))), service
    inside = "inside" if low < mean <= high else "outside"
    fig, ax = new_figure(
        title=f"The mean of {len(each)} p{100 * q:g}s is {mean:.2f} s, {inside} of what the "
        f"service's can be: {low:g} to {high:g} s",
        x=f"p{100 * q:g} of the gap between tokens (s)", **SIZE,
    )  # fmt: skip
    ax.axvspan(low, high, **band("queue"))
    rows = [(f"replica {name}", p, "reference", "o") for name, p in each.items()]
    rows += [("their mean", mean, "measurement", "X"), ("all requests", value, "theory", "D")]
    for row, (_, p, look, marker) in enumerate(rows):
        ax.plot(p, row, **points(look, marker=marker, markersize=9))
        ax.annotate(f"{p:.2f}", (p, row), xytext=(8, 0), **_BESIDE, va="center",
                    color=readable(color(look)))  # fmt: skip
    ax.set_yticks(range(len(rows)), [name for name, *_ in rows])
    ax.set(xlim=(0, 1.2 * max(high if np.isfinite(high) else value, *each.values())))
    ax.set(ylim=(len(rows) - 0.5, -0.9))
    ax.text(low, -0.6, " the service's is in here", va="center")
    return fig


def restarted(times_s, values, *, per_s: float):
    """Draw a counter as it was read, and what it counted with its restarts corrected.

    ``per_s`` is the corrected rise per second.
    """
    times, read = np.asarray(times_s), np.asarray(values)
    steps = np.diff(read)
    counted = read[0] + np.cumsum([0, *np.where(steps < 0, read[1:], steps)])
    subtracted = (read[-1] - read[0]) / (times[-1] - times[0])
    fig, ax = new_figure(
        title=f"Last less first gives {subtracted:.2f} requests a second; with the restart "
        f"corrected it is {per_s:.2f}",
        x="second of the run", y="requests ended", **SIZE,
    )  # fmt: skip
    (true,) = ax.plot(times, counted, **line("service", linestyle="-"))
    (raw,) = ax.plot(times, read, **line("measurement", linestyle=(0, (4, 1.2))))
    ends = {"marker": "o", "markersize": 5}
    (chord,) = ax.plot(times[[0, -1]], read[[0, -1]], **line("limit", linewidth=1.4), **ends)
    ax.set(xlim=(0, times[-1]), ylim=(0, 1.1 * counted.max()))
    label_line(ax, true, "corrected", x=0.78 * times[-1])
    label_line(ax, raw, "as it was read", x=0.3 * times[-1])
    label_line(ax, chord, "last less first", x=0.45 * times[-1])
    return fig


def burn_windows(day: Minutes, rule: BurnRule, objective: float, on: Sequence[int]):
    """Draw how fast the budget burns over both windows, around a day's one incident.

    ``on`` are the minutes at whose end the alarm is on.
    """
    fig, ax = new_figure(
        title=burn_finding(day, rule, objective, on), x="minutes since the trouble began",
        y="burn rate", **SIZE,
    )  # fmt: skip
    (incident,) = day.incidents
    since = np.arange(len(day.total)) + 1 - incident.start_min
    ax.axvspan(0, incident.length_min, **band("queue"))
    windows = ((rule.short_min, "measurement", 1.2), (rule.long_min, "theory", 2.4))
    drawn = [
        ax.plot(
            since, burn_rates(day, window, objective), **line(look, linestyle="-", linewidth=w)
        )[0]
        for window, look, w in windows
    ]
    limit = ax.axhline(rule.burn, **line("limit", linewidth=1.4))
    ax.set(xlim=(-0.2 * incident.length_min, incident.length_min + 1.4 * rule.long_min))
    top = max(rule.burn, *(one.get_ydata().max() for one in drawn))
    ax.set(ylim=(0, 1.25 * top))
    is_on = np.isin(np.arange(len(day.total)), list(on))
    bar = {"where": is_on, "step": "pre", "color": color("ink"), "linewidth": 0}
    ax.fill_between(since, 1.12 * top, 1.18 * top, **bar)
    for one, window, x in zip(drawn, (rule.short_min, rule.long_min), (0.3, 1.15)):
        label_line(ax, one, f"last {window} min", x=x * incident.length_min)
    label_line(ax, limit, f"limit: {rule.burn:g}", x=ax.get_xlim()[1])
    if is_on.any():
        at = (since[is_on][-1], 1.15 * top)
        ax.annotate("alarm on", at, xytext=(6, 0), **_BESIDE, va="center")
    return fig


def burn_finding(day: Minutes, rule: BurnRule, objective: float, on: Sequence[int]) -> str:
    """When the alarm is on, and until when it were with the long window alone."""
    (incident,) = day.incidents
    lasts = f"The trouble lasts {incident.length_min} min"
    rung = [now + 1 - incident.start_min for now in on if now >= incident.start_min]
    if not rung:
        return f"{lasts}, and the alarm never sounds"
    alone = np.flatnonzero(burn_rates(day, rule.long_min, objective) > rule.burn)
    until = (
        f"; with {rule.long_min} min alone it would be until {alone[-1] + 1 - incident.start_min}"
    )
    return (
        f"{lasts}; the alarm is on from minute {rung[0]} to {rung[-1]}{until if alone.size else ''}"
    )


def alarms(false_a_month: Mapping[str, tuple[float, float]], minutes: Mapping[str, Sequence[float]],
           incidents: Sequence[str]):  # fmt: skip
    """Draw for each rule its false alarms a month, and the minutes until it finds each incident.

    ``false_a_month`` holds (mean, standard error); an incident that is never found stands beyond
    the axis, at *never*.
    """
    rows, names = range(len(false_a_month)), list(false_a_month)
    (first, wakes), (last, wakes_not) = ((n, false_a_month[n][0]) for n in (names[0], names[-1]))
    found = sum(map(np.isfinite, minutes[last]))
    fig, (left, right) = new_figure(
        title=f"False alarms a month: {wakes:.1f} with {first}, {wakes_not:.1f} with {last}, which "
        f"find {found} of {len(incidents)} incidents",
        width=7, height=3.2, cols=2, sharey=True, width_ratios=(1, 1.4),
    )  # fmt: skip
    means, errors = zip(*false_a_month.values())
    left.errorbar(means, rows, xerr=errors, **points("limit", marker="o", capsize=3))
    for row, mean in zip(rows, means):
        left.annotate(f"{mean:.1f}", (mean, row), xytext=(0, 8), **_BESIDE,
                      ha="center")  # fmt: skip
    left.set_yticks(rows, names)
    left.set(ylim=(len(rows) - 0.5, -0.6), xlim=(-0.12 * max(means), 1.25 * max(max(means), 1)))
    dress(left, x="false alarms a month")
    finite = [m for row in minutes.values() for m in row if np.isfinite(m)]
    never = 3 * max([10, *finite])
    looks = (("theory", "o"), ("measurement", "^"), ("backlog", "D"))
    for at, (incident, (look, marker)) in enumerate(zip(incidents, looks)):
        at_min = [min(row[at], never) for row in minutes.values()]
        beside = [row + 0.17 * (at - 1) for row in rows]
        right.semilogx(at_min, beside, **points(look, marker=marker), label=incident)
    ticks = [t for t in (1, 10, 100, 1000) if t < 0.6 * never]
    right.set_xticks([*ticks, never], [*(f"{t}" for t in ticks), "never"])
    right.minorticks_off()
    right.set_xlim(0.7, 1.6 * never)
    dress(right, x="minutes until it is found")
    fig.legend(loc="outside lower center", ncols=3, fontsize=10, frameon=False, handletextpad=0.1)
    return fig


def alarms_told(false_a_month, minutes) -> str:
    """The numbers of ``alarms`` in words."""
    return "; ".join(
        f"{name}, {mean:.1f} ± {error:.1f} false a month, found after "
        f"{', '.join(f'{minute:g}' for minute in minutes[name])} min"
        for name, (mean, error) in false_a_month.items()
    )


def samples(is_late, kept: Mapping[str, KeptTraces]):
    """Draw each user as a cell, the late ones first, a grid for each way of sampling."""
    late = np.asarray(is_late)
    counts = [f"{name} sampling kept {late[one.places].sum()}" for name, one in kept.items()]
    fig, axes = new_figure(
        title=f"Of {late.sum()} late users {', '.join(counts)}", width=6.5, height=3.2,
        rows=len(kept),
    )  # fmt: skip
    cells = _cells(late)
    for ax, (name, one) in zip(np.atleast_1d(axes), kept.items()):
        is_kept = np.isin(np.arange(late.size), one.places)
        groups = ((~is_kept, "reference", ".", 2.4, "not kept"),
                  (is_kept & ~late, "theory", "s", 3.4, "kept, in time"),
                  (is_kept & late, "limit", "X", 5.5, "kept, late"))  # fmt: skip
        for those, look, marker, size, said in groups:
            drawn = points(look, marker=marker, markersize=size, markeredgewidth=0)
            ax.plot(*cells[those].T, **drawn, label=said)
        counted, weighted = sample_told(late, one)
        dress(ax, title=f"{name}: {counted}; weighted: {weighted}")
        ax.set(xticks=[], yticks=[], xlim=(-1, cells[:, 0].max() + 1), ylim=(_TALL - 0.4, -0.6))
        ax.spines[:].set_visible(False)
        ax.grid(False)
    last = np.atleast_1d(axes)[-1]
    blocks = [(those, said) for those, said in ((late, "late"), (~late, "in time")) if those.any()]
    last.set_xticks(
        [cells[those, 0].mean() for those, _ in blocks],
        [f"{those.sum()} {said}" for those, said in blocks],
    )
    fig.legend(*last.get_legend_handles_labels(), loc="outside lower center", ncols=3,
               fontsize=10, frameon=False)  # fmt: skip
    return fig


def _cells(is_late) -> np.ndarray:
    """(column, row) of each user: columns of late ones, a gap, columns of the others."""
    cells = np.empty((is_late.size, 2))
    first = 0
    for those in (is_late, ~is_late):
        at = np.arange(those.sum())
        cells[those] = np.column_stack((first + at // _TALL, at % _TALL))
        first += at.size // _TALL + 2
    return cells


def sample_told(is_late: np.ndarray, kept: KeptTraces) -> tuple[str, str]:
    """How many of the kept ones are late, and the share of all that it stands for."""
    there = is_late[kept.places]
    weighted = kept.estimate(there.astype(float))
    share = f"{100 * weighted.mean:.1f} ± {100 * weighted.standard_error:.1f} % of all"
    return f"{there.sum()} of {there.size} kept are late", share


def verdicts(found: Mapping[str, Verdict], *, tolerated: float, of: str = "above the limit"):
    """Draw the interval of each difference against what is tolerated; its word beside it.

    ``of`` says of what the shares are.
    """
    said = ", ".join(f"{told.word} {name}" for name, told in found.items())
    fig, ax = new_figure(
        title=f"Canary: {said}", width=6.5, height=2.5,
        x=f"share {of}, canary less the rest (percentage points)",
    )  # fmt: skip
    limit = 100 * tolerated
    ax.axvline(limit, **line("limit", linewidth=1.4))
    ax.axvline(0, **line("reference", linewidth=1))
    for row, told in enumerate(found.values()):
        low, high = 100 * told.low, 100 * told.high
        look = points("service" if told.word == "good enough" else "measurement")
        ax.plot(
            [low, high], [row, row], **{**look, "marker": "|", "linestyle": "-", "linewidth": 3}
        )
        ax.plot(100 * told.difference, row, **look)
        look = {"ha": "center", "bbox": {"facecolor": CARD, "edgecolor": "none", "pad": 0.5}}
        ax.annotate(told.word, ((low + high) / 2, row), xytext=(0, 7), **look, **_BESIDE)
    ax.annotate(f"tolerated: {limit:g}", (limit, -0.75), xytext=(5, 0), **_BESIDE,
                color=readable(color("limit")))  # fmt: skip
    ax.set_yticks(range(len(found)), list(found))
    ax.set(ylim=(len(found) - 0.5, -0.95))
    left, right = ax.get_xlim()
    ax.set_xlim(left, max(right, limit + 0.2 * (right - left)))
    return fig
