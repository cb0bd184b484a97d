"""Figures of lab 7: what drafts cost, which of them stay, and where they pay."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from labutils.llm.levers.speculation import speculation_speedup
from labutils.serving.speculation import Tally
from labutils.viz.labels import label_line, readable
from labutils.viz.style import CARD, color, dress, line, new_figure, points

_EVEN = line("reference", linestyle="-", linewidth=1.4)


def rows_figure(steps: Mapping[int, float], draft_s: float):
    """Draw the seconds of a step of the target by its rows, and those of a step of the draft."""
    one, most = 1e3 * steps[1], max(steps)
    fig, ax = new_figure(
        title=f"{most} rows take {steps[most] / steps[1]:.2f} × as long as one; one of the draft "
        f"takes {draft_s / steps[1]:.2f} ×",
        x="rows in the step", y="time of the step (ms)", width=7, height=3.2,
    )  # fmt: skip
    ax.set(xlim=(0.5, most + 0.9), ylim=(0, 3.6 * max(one, 1e3 * steps[most] / 2)))
    (each,) = ax.plot([1, most], [one, most * one], **line("limit"))
    ax.plot(list(steps), [1e3 * s for s in steps.values()], **points("measurement"))
    ax.plot(1, 1e3 * draft_s, **points("service"))
    look = {"textcoords": "offset points", "fontsize": 10, "va": "center"}
    for rows, seconds in list(steps.items())[1:]:
        told = f"{seconds / steps[1]:.2f} ×"
        ax.annotate(told, (rows, 1e3 * seconds), xytext=(0, 11), ha="center", **look)
    told = f"one row of the draft: {draft_s / steps[1]:.2f} ×"
    ax.annotate(told, (1, 1e3 * draft_s), xytext=(9, -1), **look, color=readable(color("service")))
    ax.set_xticks(list(steps))
    label_line(ax, each, "if each row cost as much as the first", x=2.5)
    return fig


def rows_in_words(steps: Mapping[int, float], draft_s: float) -> str:
    """What ``rows_figure`` shows."""
    said = ", ".join(f"{rows} rows {1e3 * s:.2f} ms ({s / steps[1]:.2f} × the first)"
                     for rows, s in steps.items() if rows > 1)  # fmt: skip
    return (
        f"Milliseconds of a step against its rows: one row {1e3 * steps[1]:.2f} ms, {said}. A line "
        "on which each row costs as much as the first rises far above. One row of the draft takes "
        f"{1e3 * draft_s:.2f} ms, {draft_s / steps[1]:.2f} × one of the target."
    )


def price_figure(step_s: float, verify_s: float, draft_s: float, *, drafts: int):
    """Draw one step with drafts beside steps of the target alone, in steps of the latter."""
    each, verifying = draft_s / step_s, verify_s / step_s
    price = drafts * each + verifying
    fig, ax = new_figure(
        title=f"{drafts} drafts and verifying them cost {price:.2f} steps of the target",
        x="time (steps of the target alone)", width=7, height=2.3,
    )  # fmt: skip
    alone = [(place, 1, "1 token", "reference") for place in range(math.ceil(price))]
    drafted = [(place * each, each, "draft", "service") for place in range(drafts)]
    drafted.append((drafts * each, verifying, f"verify: 1 to {drafts + 1} tokens", "theory"))
    for row, boxes in enumerate((alone, drafted)):
        for left, width, text, look in boxes:
            ax.barh(row, width, left=left, height=0.62, color=color(look), edgecolor=CARD)
            ax.text(left + width / 2, row, text, ha="center", va="center", color=CARD, fontsize=9)
    ax.axvline(price, **line("limit", linewidth=1.4), zorder=0.5)  # behind the boxes
    ax.set_yticks([0, 1], ["the target alone", f"with {drafts} drafts"])
    ax.set(ylim=(1.5, -0.5), xlim=(0, 1.02 * math.ceil(price)))
    ax.grid(axis="y", visible=False)
    return fig


def acceptance_figure(tallies: Mapping[str, Tally]):
    """Draw by place how many drafts were looked at and how many stayed, for each kind of text."""
    tallies = {name: one for name, one in tallies.items() if one.by_place}
    shares = [100 * one.acceptance for one in tallies.values()]
    fig, axes = new_figure(
        title=f"{min(shares):.0f} to {max(shares):.0f} % of the drafts that the target looks at "
        "stay, by kind of text",
        width=8, height=3.2, cols=len(tallies), sharex=True, sharey=True, squeeze=False,
    )  # fmt: skip
    for ax, (name, one) in zip(axes.flat, tallies.items()):
        places = range(1, len(one.by_place) + 1)
        look = {"facecolor": CARD, "edgecolor": color("reference"), "linewidth": 1.2}
        ax.bar(places, one.tried[: len(places)], **look, label="looked at")
        ax.bar(places, one.stayed[: len(places)], color=color("service"), label="stayed")
        for place, tried, share in zip(places, one.tried, one.by_place):
            look = {"textcoords": "offset points", "fontsize": 9.5, "ha": "center"}
            ax.annotate(f"{100 * share:.0f} %\nof {tried}", (place, tried), xytext=(0, 3), **look)
        ax.set_ylim(0, 1.25 * max(max(one.tried) for one in tallies.values()))
        ax.grid(axis="x", visible=False)
        dress(ax, x="place of the draft", title=f"{name}: {100 * one.acceptance:.0f} % stay")
    ax.xaxis.get_major_locator().set_params(integer=True)
    dress(axes.flat[0], y="drafts")
    axes.flat[0].legend(loc="upper right", fontsize=9.5, frameon=False)
    return fig


def acceptance_in_words(tallies: Mapping[str, Tally]) -> str:
    """What ``acceptance_figure`` shows."""
    said = "; ".join(
        f"{kind}: α = {one.acceptance:.2f}, by place "
        + ", ".join(f"{100 * share:.0f} % of {n}" for share, n in zip(one.by_place, one.tried))
        + f", {one.tokens_per_verification:.2f} tokens a step"
        for kind, one in tallies.items()
    )
    return f"Bars by place: how many drafts the target looked at, and how many stayed. {said}."


def gain_figure(
    measured: Mapping[str, Mapping[int, float]], predicted: Mapping[str, Mapping[int, float]]
):
    """Draw the gain over the batch, a panel for each way to draft: points measured, lines said."""
    gains = [gain for by_batch in measured.values() for gain in by_batch.values()]
    pairs = [(said[b], measured[way][b]) for way, said in predicted.items() for b in said]
    fig, axes = new_figure(
        title=f"{sum(gain > 1 for gain in gains)} of {len(gains)} settings gain, the best is "
        f"{max(gains):.2f} ×; {sum(said > found for said, found in pairs)} of {len(pairs)} "
        "forecasts are too high",
        width=8, height=3.2, cols=len(measured), sharey=True,
    )  # fmt: skip
    top = max(1, *gains, *(said for said, _ in pairs))
    for ax, (way, by_batch) in zip(axes, measured.items()):
        batches = sorted(by_batch)
        ax.set(ylim=(0, 1.2 * top), xlim=(batches[0] * 0.8, batches[-1] * 1.25))
        _over_batches(ax, batches)
        (even,) = ax.plot(ax.get_xlim(), [1, 1], **_EVEN)
        if said := predicted.get(way):
            ax.plot(batches, [said[b] for b in batches], **line("prediction"), label="forecast")
        found = [by_batch[b] for b in batches]
        ax.plot(batches, found, **points("measurement"), label="measured")
        dress(ax, x="batch (requests)", title=f"drafts: {way}")
        if not said:
            ax.text(0.05, 0.06, "no forecast", transform=ax.transAxes, fontsize=9.5)
    dress(axes[0], y="tokens per second,\nwith drafts / without")
    axes[0].legend(loc="lower left", fontsize=9.5, frameon=False)
    label_line(axes[-1], even, "no gain, no loss", x=batches[0])
    return fig


def gains_in_words(gains: Mapping[str, Mapping[int, float]]) -> str:
    """Each line's name and its gain at each batch."""
    said = "; ".join(
        f"{name}: " + ", ".join(f"{gain:.2f} at {batch}" for batch, gain in by_batch.items())
        for name, by_batch in gains.items()
    )
    return f"Tokens per second with drafts over without, against the batch. {said}."


def _over_batches(ax, batches) -> None:
    ax.set_xscale("log", base=2)
    ax.set_xticks(batches, [f"{batch}" for batch in batches])
    ax.minorticks_off()


def computed_gain_figure(gains: Mapping[float, Mapping[int, float]]):
    """Draw computed gains over the batch, a line for each share of drafts that stay."""
    first, *_, last = sorted(next(iter(gains.values())))
    said = " and ".join(f"from {one[first]:.2f} to {one[last]:.2f} (α = {share:.2f})"
                     for share, one in gains.items())  # fmt: skip
    fig, ax = new_figure(
        title=f"Batch {first} to {last}: the computed gain falls {said}",
        x="batch (requests)", y="tokens per second,\nwith drafts / without", width=7.6, height=3.2,
    )  # fmt: skip
    top = max(max(one.values()) for one in gains.values())
    ax.set(ylim=(0, 1.15 * max(1, top)), xlim=(0.85 * first, 1.2 * last))
    batches = sorted(next(iter(gains.values())))
    _over_batches(ax, batches)
    (even,) = ax.plot(ax.get_xlim(), [1, 1], **_EVEN)
    lines = [ax.plot(batches, [one[b] for b in batches],
                     **{**points(look), **line(look)})[0]
             for one, look in zip(gains.values(), ("theory", "measurement"))]  # fmt: skip
    for drawn, share in zip(lines, gains):
        label_line(ax, drawn, f"α = {share:.2f}", x=batches[len(batches) // 2])
    label_line(ax, even, "no gain, no loss", x=4)
    return fig


def break_even(drafts: int, cost_ratio: float) -> float:
    """The lowest α, in hundredths, from which on so many drafts gain; NaN where they never do."""
    shares = (a / 100 for a in range(101))
    return next((a for a in shares if speculation_speedup(a, drafts, cost_ratio) > 1), math.nan)


def share_in_words(alpha: float, counts: Sequence[int], cost_ratio: float) -> str:
    """What ``share_figure`` shows."""
    said = ", ".join(f"{k} from α = {break_even(k, cost_ratio):.2f} on" for k in counts)
    return (
        f"Gain against α, a line for each number of drafts, all rising. Above 1 stand {said}. The "
        f"more drafts, the steeper the line. Ours has α = {alpha:.2f}."
    )


_COUNTS = ("theory", "service", "queue", "backlog")


def share_figure(alpha: float, counts: Sequence[int], cost_ratio: float):
    """Draw the gain against α by the number of drafts, if verifying is free; ``alpha`` is ours."""
    evens = [break_even(k, cost_ratio) for k in counts]
    fig, ax = new_figure(
        title=f"{', '.join(map(str, counts))} drafts pay from α = "
        f"{', '.join(f'{even:.2f}' for even in evens)} on; ours is {alpha:.2f}",
        x="share α of the drafts that stay", y="tokens per second,\nwith drafts / without",
        width=7.6, height=3.4,
    )  # fmt: skip
    most = max(0.9, alpha)
    share = np.linspace(0, most, 91)
    top = 1.06 * max(speculation_speedup(most, k, cost_ratio) for k in counts)
    ax.set(xlim=(0, most), ylim=(0, top))
    (even,) = ax.plot([0, most], [1, 1], **_EVEN)
    (ours,) = ax.plot([alpha] * 2, [0, top], **line("limit", linewidth=1.4))
    for k, pays, look in zip(counts, evens, _COUNTS):
        gains = [speculation_speedup(a, k, cost_ratio) for a in share]
        (drawn,) = ax.plot(share, gains, **line(look))
        ax.plot(pays, 1, **points(look))
        ax.vlines(pays, 0, 1, color=color(look), linewidth=1, linestyle=":")
        ax.annotate(f"{pays:.2f}", (pays, 0), xytext=(3, 4), textcoords="offset points",
                    color=readable(color(look)))  # fmt: skip
        label_line(ax, drawn, f"{k} drafts" if k > 1 else "1 draft")
    label_line(ax, ours, f"our α: {alpha:.2f}", x=alpha)
    label_line(ax, even, "no gain, no loss", x=0.75)
    return fig
