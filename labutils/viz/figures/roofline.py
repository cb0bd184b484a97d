"""The figures of chapter 05: rates against the batch, rooflines, a prompt's arithmetic, gaps."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from labutils import llm
from labutils.ground.arguments import positive, whole
from labutils.viz.labels import label_line, readable
from labutils.viz.style import color, dress, line, new_figure, points

BATCHES = np.unique(np.geomspace(1, 512, 60).round().astype(int))
LENGTHS = np.geomspace(256, 262_144, 120)


def sharing(model: llm.ModelSpec, device: llm.Accelerator, *, context: int, users: int):
    """Draw the tokens per second of each user, and of all together, against the batch.

    Ceilings by the roofline, ``context`` tokens each; ``users`` is the batch that the title reads.
    Batches whose caches do not fit the device's memory are marked as such.
    """
    room = llm.max_sequences(model, device.memory_bytes, context, usable_share=1)
    one, many = (llm.decode_step(model, device, b, context) for b in (1, whole("users", users)))
    kept = many.tokens_per_s_per_request / one.tokens_per_s
    fig, axes = new_figure(
        title=f"With {users} users each keeps {100 * kept:.0f} % of the speed, and together they "
        f"get {many.tokens_per_s / one.tokens_per_s:.0f} times as much",
        x="users in the batch",
        width=9,
        height=4.0,
        cols=2,
        sharex=True,
    )
    steps = [llm.decode_step(model, device, int(b), context) for b in BATCHES]
    for ax, what, name, shift in (
        (axes[0], "each user", "tokens_per_s_per_request", 6),
        (axes[1], "all together", "tokens_per_s", -12),
    ):
        dress(ax, y="tokens/s", title=what)
        _rates(ax, [getattr(step, name) for step in steps])
        _read(ax, 1, getattr(one, name), 6)
        _read(ax, users, getattr(many, name), shift)
        if room < BATCHES[-1]:
            ax.axvspan(room, BATCHES[-1], color=color("limit"), alpha=0.25, linewidth=0)
    if room < BATCHES[-1]:
        _say_full(axes[0], room, device.memory_bytes)
    return fig


def _say_full(ax, room: int, memory_bytes: float) -> None:
    ax.annotate(
        f"more than {room} do not fit {memory_bytes / 1e9:.0f} GB", (room, 0),
        xytext=(-5, 7), textcoords="offset points", ha="right",
        color=readable(color("limit")), fontsize=10,
    )  # fmt: skip


def _rates(ax, rates) -> None:
    """Draw rates against the batches."""
    ax.semilogx(BATCHES, rates, **line("theory"))
    ax.set(xlim=(0.85, BATCHES[-1]), ylim=(0, 1.12 * max(rates)))
    ax.set_xticks([1, 4, 16, 64, 256], ["1", "4", "16", "64", "256"])
    ax.minorticks_off()
    ax.yaxis.set_major_formatter("{x:,.0f}")


def _read(ax, batch: int, rate: float, shift: float) -> None:
    """Mark a point of the curve and write what it says, ``shift`` points above it."""
    ax.plot(batch, rate, **points("theory", markersize=9))
    ax.annotate(
        f"{batch:,}: {rate:,.0f}", (batch, rate), xytext=(10, shift), textcoords="offset points",
        color=readable(color("theory")), fontsize=10.5,
    )  # fmt: skip


class Roof(NamedTuple):
    """What a machine can do at most: ``bandwidth`` in B/s, ``flops_per_s``."""

    name: str
    bandwidth: float
    flops_per_s: float

    @property
    def ridge(self) -> float:
        """Operations per byte where both limits meet."""
        return self.flops_per_s / self.bandwidth


class Dot(NamedTuple):
    """One pass on a roofline: ``flops`` done with ``bytes_read`` in ``time_s``."""

    text: str
    flops: float
    bytes_read: float
    time_s: float


def roofline(roof: Roof, dots: Iterable[Dot], *, title: str, role: str = "theory"):
    """Draw a machine's roofline and where passes lie under it.

    Across: operations per byte read. Upwards: operations per second. ``role`` is that of the dots
    ("measurement" for measured ones). Williams, Waterman and Patterson 2009.
    """
    bandwidth, peak = (
        positive("bandwidth", roof.bandwidth),
        positive("flops_per_s", roof.flops_per_s),
    )
    dots = list(dots)
    if not dots:
        raise ValueError("dots = []: expected at least one")
    scale, unit = _unit(peak)
    x = np.array([dot.flops / dot.bytes_read for dot in dots])
    y = np.array([dot.flops / dot.time_s for dot in dots]) / scale
    low, high = min(x.min(), roof.ridge / 8) / 2, max(x.max(), roof.ridge * 4) * 3
    fig, ax = new_figure(
        title=title, x="operations per byte read (FLOP/B)", y=f"rate ({unit})", height=4.8
    )
    across = np.geomspace(low, high, 200)
    limit = np.minimum(across * bandwidth, peak) / scale
    (roof_line,) = ax.loglog(across, limit, **line("limit", linestyle="-"))
    ax.set(xlim=(low, high), ylim=(min(y.min(), limit[0]) / 2, 4 * limit[-1]))
    _draw_ridge(ax, roof.ridge, limit[-1])
    ax.loglog(x, y, **points(role, markersize=8))
    _label_dots(ax, dots, x, y, role)
    label_line(ax, roof_line, f"{roof.name}: arithmetic", x=high / 2)
    label_line(ax, roof_line, "memory", x=low * 1.6)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
    return fig


def _draw_ridge(ax, ridge: float, top: float) -> None:
    bottom = ax.get_ylim()[0]
    ax.loglog([ridge] * 2, [bottom, top], **line("reference", linewidth=1.2))
    ax.annotate(
        f"ridge: {ridge:.3g} FLOP/B", (ridge, bottom), xytext=(5, 6), textcoords="offset points",
        color=readable(color("reference")), fontsize=10.5,
    )  # fmt: skip


def _label_dots(ax, dots, x, y, role: str) -> None:
    """Write each dot's text below it, on the side where there is room."""
    right = ax.get_xlim()[1]
    for dot, at, rate in zip(dots, x, y):
        side, shift = ("right", 6) if at > right / 12 else ("left", 7)
        ax.annotate(
            dot.text, (at, rate), xytext=(shift, -14), textcoords="offset points", ha=side,
            color=readable(color(role)), fontsize=10,
        )  # fmt: skip


def _unit(rate: float) -> tuple[float, str]:
    return (1e12, "TFLOP/s") if rate >= 1e12 else (1e9, "GFLOP/s")


def prompt_arithmetic(model: llm.ModelSpec, *, read_at: int = 2048):
    """Draw a prompt's operations against its length: those in the weights, those of attention."""
    at = whole("read_at", read_at)
    once, twice = (llm.prefill_flops(model, n).total for n in (at, 2 * at))
    parts = [llm.prefill_flops(model, n) for n in LENGTHS]
    linear, attention = np.array([(f.linear, f.attention) for f in parts]).T / 1e12
    equal = LENGTHS[int(np.argmin(np.abs(np.log(linear / attention))))]
    fig, ax = new_figure(
        title=f"Twice {at:,} tokens are {twice / once:.2f} times the arithmetic; the square rules "
        f"beyond {equal / 1000:.0f},000 only",
        x="tokens in the prompt",
        y="operations (TFLOP)",
        height=4.6,
    )
    ax.set(xscale="log", yscale="log", xlim=(LENGTHS[0], LENGTHS[-1]))
    ax.set_ylim(linear[0] / 20, 3 * attention[-1])
    ax.set_xticks([1024, 8192, 65536], ["1,024", "8,192", "65,536"])
    ax.minorticks_off()
    ax.yaxis.set_major_formatter("{x:g}")
    _draw_terms(ax, linear, attention)
    ax.plot([at, 2 * at], np.array([once, twice]) / 1e12, **points("ink", marker="o"))
    return fig


def _draw_terms(ax, linear, attention) -> None:
    """Draw the sum and its two terms, and name them once all are there."""
    looks = (
        (linear + attention, "ink", "-", "all", 100_000),
        (linear, "weights", (0, (6, 2)), "weights' matrices", 1500),
        (attention, "kv", (0, (2, 1)), "attention", 6000),
    )
    drawn = [ax.plot(LENGTHS, y, **line(role, linestyle=d))[0] for y, role, d, *_ in looks]
    for curve, (*_, text, x) in zip(drawn, looks):
        label_line(ax, curve, text, x=x)


def bystanders(gaps_ms: Mapping[str, np.ndarray], *, own_ms: Mapping[str, float]):
    """Draw the gaps between tokens of running answers while one long prompt is read.

    ``gaps_ms`` maps a way of reading it to the successive gaps, ``own_ms`` to the prompt's own
    time to its first token.
    """
    worst = {name: max(gaps) for name, gaps in gaps_ms.items()}
    (first, most), (last, least) = next(iter(worst.items())), list(worst.items())[-1]
    fig, axes = new_figure(
        title=f"Read {first}, a prompt stops every running answer for {most:.0f} ms; {last}, for "
        f"{least:.0f} ms at a time",
        y="gap (ms)",
        height=4.6,
        rows=len(gaps_ms),
        sharex=True,
        sharey=True,
    )
    for ax, (name, gaps) in zip(np.atleast_1d(axes), gaps_ms.items()):
        gaps = np.asarray(gaps)
        edge = np.minimum(1, 0.1 * gaps)  # a thin line between two bars, never a gap in time
        ax.bar(np.cumsum(gaps) - gaps / 2, gaps, width=gaps - edge, color=color("flops"))
        own = f"{name}: the prompt's own first token after {own_ms[name]:.0f} ms"
        dress(ax, y="gap (ms)", title=own[0].upper() + own[1:])
        ax.set(ylim=(0, 1.15 * most))
    np.atleast_1d(axes)[-1].set_xlabel("time (ms)")
    return fig
