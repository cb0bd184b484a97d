"""The figures of chapter 12: what each way to cut a model divides, and what it adds."""

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
from matplotlib.ticker import NullLocator

from labutils.llm.layouts import LayoutStep
from labutils.viz.labels import key_above, label_line, readable
from labutils.viz.style import CARD, INK, color, dress, line, new_figure, points

TERMS = {
    "read weights": ("weights", "weights", ""),
    "read kv": ("caches", "kv", "//"),
    "arithmetic": ("arithmetic", "flops", ""),
    "all reduce": ("all-reduces", "waiting", "xx"),
    "launch": ("host", "reference", ""),
}
"""What a term of a step is called, the role that colours it, and its hatch."""
_DASHES = ("-", "--", ":", "-.")
_LOOKS = (("theory", "o"), ("service", "s"), ("backlog", "D"), ("measurement", "^"))


def steps_apart(steps: Mapping[int, Mapping[str, LayoutStep]]):
    """Draw the terms of steps as stacked bars, a panel for each batch and a bar for each layout.

    The title sets the last layout against the first one at the middle batch.
    """
    batch = sorted(steps)[len(steps) // 2]
    (first, before), *_, (last, after) = steps[batch].items()
    fig, axes = new_figure(
        title=f"All-reduces take {_percent(_share(after))} of {1e3 * after.time_s:.1f} ms on "
        f"{last} at batch {batch}; {first} needs {1e3 * before.time_s:.1f} ms",
        x="ms a step", width=7, height=2.7, cols=len(steps), sharey=True,
    )  # fmt: skip
    for ax, (size, row) in zip(axes, steps.items()):
        left = np.zeros(len(row))
        for term, (name, role, hatch) in TERMS.items():
            width = [1e3 * step.terms[term] for step in row.values()]
            look = {"facecolor": color(role), "edgecolor": CARD, "hatch": hatch, "linewidth": 0.5}
            ax.barh(list(row), width, left=left, height=0.7, label=name, **look)
            left += width
        for place, step in enumerate(row.values()):
            ax.text(1e3 * step.time_s, place, f" {1e3 * step.time_s:.1f}", va="center", color=INK)
        dress(ax, title=f"batch {size}\n")
        ax.set(xlim=(0, 1.25 * max(left)), ylim=(len(row) - 0.5, -0.5))
        ax.grid(visible=False, axis="y")
    _key(axes[0], ncols=5, handlelength=1.4)
    return fig


def _share(step: LayoutStep) -> float:
    return step.all_reduce_s / step.time_s


def by_users(steps_s: Mapping[str, Mapping[int, float]], marked: Sequence[int], *, cards: int = 8):
    """Draw what a card yields against what a step takes, along the users of all cards together.

    ``steps_s`` maps a layout to the seconds of a step by the number of users, the same for all;
    some of them are marked. Rings mark where another layout takes the lead.
    """
    yields = {
        name: {users: users / step / cards for users, step in row.items()}
        for name, row in steps_s.items()
    }
    fig, ax = new_figure(
        title=f"Most tokens per card: {leaders_told(yields)}",
        x="ms a step (numbers: users on all cards; rings: where the lead changes)",
        y="tokens/s and card", width=6.4, height=3.1,
    )  # fmt: skip
    for (name, row), (role, _), dash in zip(steps_s.items(), _LOOKS, _DASHES):
        step_ms = 1e3 * np.array(list(row.values()))
        ax.plot(step_ms, list(yields[name].values()), **line(role, linestyle=dash), label=name)
    ax.set(xlim=(0, 1.05 * ax.get_xlim()[1]), ylim=(0, 1.1 * ax.get_ylim()[1]))
    for (name, row), (role, marker) in zip(steps_s.items(), _LOOKS):
        for users in marked:
            spot = (1e3 * row[users], yields[name][users])
            (drawn,) = ax.plot(*spot, **points(role, marker=marker))
            label_line(ax, drawn, f"{users:,}", fontsize=9)
    for name, users in _leads(yields)[:-1]:
        spot = (1e3 * steps_s[name][users], yields[name][users])
        (ring,) = ax.plot(*spot, "o", markersize=11, markerfacecolor="none", color=INK)
        label_line(ax, ring, f"{users:,}", fontsize=9)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    _key(ax, ncols=len(steps_s), handlelength=2.6)
    return fig


def leaders_told(yields: Mapping[str, Mapping[int, float]]) -> str:
    """Which line is highest up to which place, in words."""
    *before, (last, _) = _leads(yields)
    return ", ".join([*(f"{name} up to {end:,} users" for name, end in before), f"then {last}"])


def _leads(yields: Mapping[str, Mapping[int, float]]) -> list[tuple[str, int]]:
    every = next(iter(yields.values()))
    best = [(max(yields, key=lambda name, at=at: yields[name][at]), at) for at in every]
    return [(name, [*run][-1][1]) for name, run in groupby(best, key=lambda one: one[0])]


def all_reduces(
    times_s: Mapping[str, Mapping[int, float]],
    floors_s: Mapping[str, float],
    shares: Mapping[str, Mapping[int, float]],
    row_bytes: float,
):
    """Draw what an all-reduce takes against its message, a line for each link, over its floor.

    ``times_s`` has the seconds by batch, whose rows have ``row_bytes`` each; ``shares`` says at
    some batches which share of a step all of them take.
    """
    marked = list(next(iter(shares.values())))
    told = [f"{_percent(row[marked[-1]])} of a step over {link}" for link, row in shares.items()]
    fig, ax = new_figure(
        title=f"At batch {marked[-1]} all-reduces take {', '.join(told)}",
        x="message (kB), rows of the batch × hidden size × 2", y="one all-reduce (µs)",
        width=6.4, height=3.1,
    )  # fmt: skip
    ax.set(xscale="log", yscale="log")
    size = row_bytes / 1e3 * np.array(list(next(iter(times_s.values()))))
    every = [t for row in times_s.values() for t in row.values()]
    ax.set(xlim=size[[0, -1]] * (0.8, 4), ylim=(0.6e6 * min(every), 1.6e6 * max(every)))
    for (link, row), (role, marker) in zip(times_s.items(), _LOOKS):
        ax.plot(size, [1e6 * t for t in row.values()], **line(role), label=link)
        ax.plot(
            size[[0, -1]], [1e6 * floors_s[link]] * 2, **line(role, linestyle=":", linewidth=1.3)
        )
        ax.text(size[-1], 1e6 * floors_s[link], " floor", va="center", color=readable(color(role)))
        above = link == list(times_s)[-1]
        for batch, share in shares[link].items():
            spot = (batch * row_bytes / 1e3, 1e6 * row[batch])
            ax.plot(*spot, **points(role, marker=marker))
            name = f"{link}, batch" if batch == marked[0] else "batch"
            is_first = batch == marked[0]
            at = (-5, 17 if is_first else 5) if above else (5, -5) if is_first else (9, -3)
            ax.annotate(
                f"{name} {batch}: {_percent(share)} of a step", spot, xytext=at, fontsize=9.5,
                textcoords="offset points", color=readable(color(role)),
                ha="right" if above and not is_first else "left",
                va="bottom" if above else "top" if is_first else "center",
            )  # fmt: skip
    _plain(ax.xaxis, [16, 64, 256, 1024, 4096])
    _plain(ax.yaxis, [5, 10, 20, 50, 100, 200])
    return fig


def trains(chunked_s: Mapping[int, float], stages: int):
    """Draw a prompt's way through a pipeline, a panel for each number of chunks: time by stage.

    ``chunked_s`` maps the number of chunks to the seconds until the last one is through.
    """
    idle = {chunks: (stages - 1) / (chunks + stages - 1) for chunks in chunked_s}
    told = [f"{_percent(idle[n])} {_chunks(n)} ({1e3 * s:.0f} ms)" for n, s in chunked_s.items()]
    fig, axes = new_figure(
        title=f"Share of the time that {stages} stages are idle: {', '.join(told)}", x="time (ms)",
        width=6.4, height=2.5, cols=len(chunked_s), sharex=True, sharey=True,
    )  # fmt: skip
    for ax, (chunks, total_s) in zip(axes, chunked_s.items()):
        turn_ms = 1e3 * total_s / (chunks + stages - 1)
        for stage in range(stages):
            look = {"color": color("theory"), "edgecolor": CARD, "linewidth": 1, "height": 0.8}
            ax.barh([stage] * chunks, turn_ms, left=turn_ms * (stage + np.arange(chunks)), **look)
        dress(ax, title=f"{_chunks(chunks)}: {1e3 * total_s:.0f} ms")
        ax.axvline(1e3 * total_s, **line("limit", linewidth=1.5))
        ax.grid(visible=False, axis="y")
    names = [f"stage {stage + 1}" for stage in range(stages)]
    axes[0].set_yticks(range(stages), names)
    axes[0].set(ylim=(stages - 0.5, -0.5), xlim=(0, None))
    return fig


def _chunks(number: int) -> str:
    return "in one piece" if number == 1 else f"in {number} chunks"


def late_cards(loads: np.ndarray, *, layers: int = 16):
    """Draw the picks of each card in the first ``layers``, and name the busiest card in each.

    ``loads`` has the picks of all layers, shape (layers, cards).
    """
    shown, mean = loads[:layers], loads.mean()
    busiest, late = shown.argmax(axis=1), np.mean(loads.max(axis=1)) / mean
    fig, ax = new_figure(
        title=f"The busiest card gets {late:.2f} times the mean; in {len(shown)} layers "
        f"{len(set(busiest))} cards had their turn",
        x="layer", y="picks of a card", width=6.4, height=2.7,
    )  # fmt: skip
    place = np.arange(1, len(shown) + 1)
    for card in shown.T:
        ax.plot(place, card, **points("theory", markersize=4, marker="o"))
    ax.plot(place, shown.max(axis=1), **points("measurement", markersize=8, marker="^"))
    for x, card, picks in zip(place, busiest, shown.max(axis=1)):
        look = {"ha": "center", "fontsize": 9, "color": readable(color("measurement"))}
        ax.annotate(f"{card + 1}", (x, picks), xytext=(0, 6), textcoords="offset points", **look)
    ax.plot([0.3, len(shown) + 0.5], [mean, mean], **line("limit", linewidth=1.3))
    ax.text(len(shown) + 0.6, mean, f"mean: {mean:.3g}", color=color("limit"), va="center")
    ax.set(xlim=(0.3, 1.17 * len(shown)), ylim=(None, 1.1 * shown.max()))
    ax.set_xticks(place)
    ax.set_title("▲ busiest, with the card's number   ● the others", loc="left", fontsize=10)
    return fig


def expert_batches(
    touched: Mapping[int, float],
    formula: Mapping[int, float],
    busiest: Mapping[int, float],
    routers: Mapping[str, Mapping[int, float]],
    experts: int,
):
    """Draw how many experts a batch touches, and what its busiest card gets, against its tokens.

    ``touched`` and ``busiest`` (over the mean card) are sampled means of the first router;
    ``formula`` and ``routers`` say what to expect.
    """
    batches = list(touched)
    middle, last = batches[len(batches) // 2], batches[-1]
    told = ", ".join(f"{row[last]:.2f} ({name})" for name, row in routers.items())
    fig, (left, right) = new_figure(
        title=f"{middle} tokens touch {touched[middle]:.0f} of {experts} experts; at {last} the "
        f"busiest card has {told} times the mean",
        x="tokens in the batch", width=6.8, height=3, cols=2, sharex=True,
    )  # fmt: skip
    dress(left, y="experts touched")
    dress(right, y="busiest over mean")
    left.plot(list(formula), list(formula.values()), **line("theory"))
    left.axhline(experts, **line("limit", linewidth=1.3))
    for row, role in zip(routers.values(), ("theory", "backlog")):
        right.plot(
            list(row), list(row.values()), **line(role, linestyle="-" if role == "theory" else "--")
        )
    for ax, sampled in ((left, touched), (right, busiest)):
        ax.plot(batches, list(sampled.values()), **points("measurement"))
        ax.set(xscale="log", xlim=(0.9 * batches[0], 1.1 * last), ylim=(0, 1.1 * ax.get_ylim()[1]))
        _plain(ax.xaxis, batches)
    for drawn, name in zip(right.lines, routers):
        label_line(right, drawn, name, x=middle)
    label_line(left, left.lines[0], "formula", x=batches[1])
    left.set_title("● sampled", loc="left", fontsize=10, color=readable(color("measurement")))
    return fig


def apart(rates: Sequence[float], tpot_ms: Mapping, ttft_s: Mapping, formula_ms: Sequence[float]):
    """Draw the mean gap of tokens and the median first token against the rate, by way to serve.

    Both map "together" and "apart" to values at ``rates``; the formula speaks of the gap together.
    """
    low, high = rates[0], rates[-1]
    told = [f"{row[0]:.1f} to {row[-1]:.1f} ms {way}" for way, row in tpot_ms.items()]
    fig, (left, right) = new_figure(
        title=f"From {low:g} to {high:g} requests/s a token goes from {', from '.join(told)}",
        x="requests a second", width=6.8, height=2.9, cols=2, sharex=True,
    )  # fmt: skip
    dress(left, y="mean TPOT (ms)")
    dress(right, y="median TTFT (s)")
    left.plot(rates, formula_ms, **line("theory", linewidth=1.6), label="formula, together")
    for ax, values in ((left, tpot_ms), (right, ttft_s)):
        for (way, row), (role, marker) in zip(values.items(), (("measurement", "o"), ("kv", "s"))):
            look = {**points(role, marker=marker), "linestyle": line(role)["linestyle"]}
            ax.plot(rates, row, **look, label=way)
        ax.set(xlim=(0, high + 0.5), ylim=(0, 1.15 * ax.get_ylim()[1]), xticks=rates)
    _key(left, ncols=3, fontsize=9.5, handlelength=2.2)
    return fig


def draft_gains(gains: Mapping[float, Sequence[float]], pays_to: Mapping[float, int]):
    """Draw the gain of drafts against the batch, from 1 on, a line for each acceptance.

    ``pays_to`` says up to which batch each gains without a gap: a dot where that ends.
    """
    told = [f"{f'up to {n:,}' if (n := pays_to[one]) else 'never'} at {one:g}" for one in gains]
    fig, ax = new_figure(
        title=f"The batch at which drafts pay, by acceptance: {', '.join(told)}",
        x="batch", y="gain in tokens/s (×)", width=6.4, height=3,
    )  # fmt: skip
    most = max(map(len, gains.values()))
    top = 1.15 * max(map(max, gains.values()))
    ax.set(xscale="log", xlim=(1, 2.3 * most), ylim=(0, top))
    ax.axhline(1, **line("limit", linewidth=1.3))
    ax.text(2.2 * most, 1, "no gain, no loss", color=color("limit"), va="bottom", ha="right")
    for (acceptance, row), (role, marker), dash in zip(gains.items(), _LOOKS, _DASHES):
        (drawn,) = ax.plot(range(1, len(row) + 1), row, **line(role, linestyle=dash))
        label_line(ax, drawn, f"acceptance {acceptance:g}", x=2)
        if pays_to[acceptance]:
            ax.plot(
                pays_to[acceptance], row[pays_to[acceptance] - 1], **points(role, marker=marker)
            )
    _plain(ax.xaxis, [n for n in (1, 4, 16, 64, 256) if n <= most])
    return fig


def rounding(gaps: Mapping[str, tuple[float, float]]):
    """Draw what each way to round costs in perplexity, in per cent, with its 95 % interval.

    ``gaps`` maps a way to nats a token and half of the interval.
    """
    held = sum(abs(gap) <= half for gap, half in gaps.values())
    worst = max(gaps, key=lambda name: gaps[name][0])
    fig, ax = new_figure(
        title=f"Dearest: {worst}, {percent_more(gaps[worst][0])} perplexity; "
        f"{held} of {len(gaps)} intervals hold 0",
        x="perplexity, against 32 bits (%)", width=6.4, height=2.7,
    )  # fmt: skip
    for place, (gap, half) in enumerate(gaps.values()):
        low, high = 100 * np.expm1([gap - half, gap + half])
        ax.plot([low, high], [place, place], **line("measurement", linestyle="-", linewidth=1.8))
        ax.plot(100 * np.expm1(gap), place, **points("measurement"))
        ax.text(high, place, f"  {percent_more(gap)}", va="center", fontsize=9.5)
    ax.axvline(0, **line("limit", linewidth=1.3))
    ax.set_yticks(range(len(gaps)), list(gaps))
    ax.set_ylim(len(gaps) - 0.5, -0.5)
    low, high = ax.get_xlim()
    ax.set_xlim(low, high + 0.15 * (high - low))  # room for the last number
    ax.grid(visible=False, axis="y")
    return fig


def percent_more(gap: float) -> str:
    """How much more perplexity so many nats a token are."""
    more = round(100 * np.expm1(gap), 1) + 0.0  # and never −0.0
    return f"{more:+.1f} %".replace("-", "−")


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _plain(axis, ticks: Sequence[float]) -> None:
    """Ticks as plain numbers, and none between them."""
    axis.set_ticks(ticks, [f"{tick:,g}" for tick in ticks])
    axis.set_minor_locator(NullLocator())


def _key(ax, **changes) -> None:
    """A key above the first of several panels, which may be wider than it."""
    if not ax.get_title(loc="left"):
        ax.set_title(" ", loc="left", fontsize=9)  # room for it
    look = {"bbox_to_anchor": (-0.02, 0.97), "fontsize": 9.5, "columnspacing": 1.1}
    key_above(ax, **look | changes).set_in_layout(False)
