"""The figures of lab 1: claims against the roofline, host and device, runs in order, launches."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from labutils.ground.arguments import positive, sample
from labutils.ground.units import format_quantity
from labutils.measure.stream import Work
from labutils.metrics.latency import percentile
from labutils.viz.labels import label_line, readable
from labutils.viz.style import CARD, band, color, line, new_figure, points

POSSIBLE, ROOM = 1.0, 5.0  # the roofline; how far the axis reaches beyond the claims


def claims(shares: Mapping[str, float]):
    """Draw what benchmarks claim, as a share of the roofline (1 is the roofline itself).

    ``shares`` maps what each benchmark does to its claim, in the order in which it was repaired;
    one row for each. Beyond the roofline no claim can be true.
    """
    if not shares:
        raise ValueError("shares = {}: expected at least one claim")
    values = [positive(f"shares[{name!r}]", share) for name, share in shares.items()]
    fig, ax = new_figure(
        title=_claims_title(values),
        x="claimed share of the roofline (%)",
        height=1.5 + 0.42 * len(values),
    )
    percent, rows = 100 * np.array(values), np.arange(len(values))
    ax.set(xscale="log", xlim=claims_limits(values), ylim=(len(values) - 0.4, -0.6))
    dress_strip(ax)
    ax.plot(percent, rows, **line("measurement", linewidth=1.2, alpha=0.6))
    ax.plot(percent, rows, **points("measurement", markersize=10))
    for row, (at, share) in enumerate(zip(percent, values)):
        ax.annotate(
            percent_text(share), (at, row), xytext=(-10, 0), textcoords="offset points",
            ha="right", va="center", fontsize=10.5, color=readable(color("measurement")),
            path_effects=[withStroke(linewidth=4, foreground=CARD)],
        )  # fmt: skip
    ax.set_yticks(rows, list(shares), fontsize=10.5)
    return fig


def dress_strip(ax) -> None:
    """The strip's own marks: the roofline, and the shade where claims are impossible."""
    right = ax.get_xlim()[1]
    roof = ax.axvline(100, **line("limit"))
    ax.axvspan(100, right, **band("limit", alpha=0.10))
    ax.annotate(
        "roofline", (100, 1), xycoords=("data", "axes fraction"), xytext=(0, 2), ha="center",
        textcoords="offset points", fontsize=10.5, color=readable(roof.get_color()),
    )  # fmt: skip
    ax.grid(axis="y", visible=False)
    ax.xaxis.set_major_formatter("{x:,.12g}")


def claims_limits(shares: Sequence[float]) -> tuple[float, float]:
    """Ends of the strip in per cent, with room for what is written beside the dots."""
    low, high = min(*shares, POSSIBLE), max(*shares, POSSIBLE)
    return 100 * low / ROOM, 100 * high * ROOM


def percent_text(share: float) -> str:
    """A share in per cent, with two digits below ten per cent and three at most above."""
    percent = 100 * share
    digits = 2 if percent < 10 else 3
    return f"{float(f'{percent:.{digits}g}'):,.12g} %"


def _claims_title(values: list[float]) -> str:
    first, last = percent_text(values[0]), percent_text(values[-1])
    if len(values) == 1:
        return f"A benchmark claims {first} of what the machine can do"
    return f"From {first} of the roofline to {last}; the machine is the same"


def host_and_device(works: Sequence[Work], *, watch_s: tuple[float, float]):
    """Draw what the host did and what the device did, and when a clock around the launches ran.

    ``works`` come from ``stream.watch()``; ``watch_s`` are the two readings of the clock. A launch
    takes so little time that a tick stands for it.
    """
    if not works:
        raise ValueError("works = []: expected at least one launch")
    zero = min(watch_s[0], works[0].launched_s)
    launched, begun, ended = (
        1000 * np.array([getattr(work, name) - zero for work in works])
        for name in ("launched_s", "begun_s", "ended_s")
    )
    start, stop = (1000 * (at - zero) for at in watch_s)
    ran, done = short_time((stop - start) / 1000), short_time(ended.max() / 1000)
    fig, ax = new_figure(
        title=f"The clock stops after {ran}; the work is done after {done}",
        x="time (ms)",
        height=2.8,
    )
    ax.set(xlim=(-0.015 * ended.max(), 1.02 * ended.max()), ylim=(-0.5, 1.5))
    least = 0.006 * ended.max()  # else a short time would not show
    ax.barh(1, max(stop - start, least), left=start, height=0.5, color=color("limit"), alpha=0.6)
    ax.plot(launched, np.ones(len(works)), **points("ink", marker="|", markersize=14))
    shades = [color("service"), "#79b897"]
    ax.barh(
        np.zeros(len(works)), ended - begun, left=begun, height=0.5,
        color=[shades[k % 2] for k in range(len(works))],
    )  # fmt: skip
    ax.annotate(
        f"{len(works)} launches; the clock runs for {ran}, here and no longer",
        (max(stop, least), 1), xytext=(12, 0), textcoords="offset points", va="center",
        fontsize=10.5, color=readable(color("limit")),
    )  # fmt: skip
    ax.set_yticks([0, 1], ["device", "host"], fontsize=11)
    ax.grid(axis="y", visible=False)
    return fig


def runs(durations_s: Sequence[float], *, title: str, cold: int = 0, what: str = "run"):
    """Draw durations in their order, with their median, mean and 95th percentile.

    The first ``cold`` of them are drawn apart and count in none of the three; the axis is
    logarithmic then.
    """
    times = 1000 * sample("durations_s", durations_s)
    warm = times[cold:]
    if not warm.size:
        raise ValueError(f"cold = {cold}: expected fewer than the {times.size} durations")
    fig, ax = new_figure(title=title, x=what, y="time (ms)", height=4.0)
    number = np.arange(1, times.size + 1)
    size = 7 if times.size < 80 else 4.5
    ax.plot(number[cold:], warm, **points("measurement", markersize=size))
    if cold:
        ax.set_yscale("log")
        ax.plot(number[:cold], times[:cold], **points("waiting", markersize=9))
        ax.annotate(
            "cold", (number[0], times[0]), xytext=(10, 0), textcoords="offset points",
            va="center", fontsize=10.5, color=readable(color("waiting")),
        )  # fmt: skip
    ax.set(xlim=(0.2, 1.24 * times.size + 1))
    ax.set_ylim(*((times.min() / 1.6, 1.6 * times.max()) if cold else (0, 1.12 * times.max())))
    ax.yaxis.set_major_formatter("{x:g}")
    ticks = MaxNLocator(8, integer=True).tick_values(1, times.size)
    ax.set_xticks([tick for tick in ticks if 1 <= tick <= times.size])
    _levels(ax, warm, times.size)
    return fig


def _levels(ax, warm: np.ndarray, count: int) -> None:
    """The three levels, named at the right, pushed apart where they lie close."""
    levels = {
        "median": (percentile(warm, 0.5), "theory"),
        "mean": (float(warm.mean()), "backlog"),
        "p95": (percentile(warm, 0.95), "limit"),
    }
    at, least = -1.0, 0.075
    for name, (level, role) in sorted(levels.items(), key=lambda item: item[1][0]):
        ax.plot([1, count + 0.5], [level, level], **line(role, linewidth=1.5))
        height = ax.transAxes.inverted().transform(ax.transData.transform((1, level)))[1]
        at = max(height, at + least)
        ax.annotate(
            f"{name} {short_time(level / 1000)}", (count + 0.8, at),
            xycoords=("data", "axes fraction"), va="center", fontsize=10.5,
            color=readable(color(role)),
        )  # fmt: skip


def launch_floor(sizes: Sequence[int], times_s: Sequence[float]):
    """Draw the time of one operation against how many numbers it works on.

    ``times_s`` are those of one operation of each size, ascending. The quickest is what a launch
    costs whatever the work; the title says up to which size an operation costs at most twice that.
    """
    numbers, times = sample("sizes", sizes), 1e6 * sample("times_s", times_s)
    if numbers.size != times.size:
        raise ValueError(f"times_s has {times.size} values: expected {numbers.size}")
    floor = float(times.min())
    beyond = np.flatnonzero(times[1:] > 2 * floor)
    free = numbers[beyond[0] if beyond.size else -1]
    fig, ax = new_figure(
        title=f"Up to {free:,.0f} numbers, an operation costs at most two launches of "
        f"{short_time(floor / 1e6)}",
        x="numbers in one operation",
        y="time of one operation (µs)",
        height=4.0,
    )
    ax.set(xscale="log", yscale="log")
    ax.set(xlim=(numbers[0] / 2, numbers[-1] * 2), ylim=(floor / 2.5, 3 * times.max()))
    level = ax.axhline(floor, **line("limit"))
    (curve,) = ax.plot(numbers, times, **line("measurement", linewidth=1.4))
    ax.plot(numbers, times, **points("measurement"))
    label_line(ax, curve, "measured", x=numbers[-2])
    label_line(ax, level, "launch", x=numbers[-2])
    ax.xaxis.set_major_formatter("{x:,.12g}")
    ax.yaxis.set_major_formatter("{x:g}")
    return fig


def short_time(seconds: float) -> str:
    """Three digits and a unit that suits them."""
    return format_quantity(float(f"{seconds:.3g}"), "s")
