"""Figures of lab 7: which words come out of a step with drafts, and how often."""

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.patches import Rectangle

from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import key_above, legible_on
from labutils.viz.style import CARD, INK, band, color, dress, line, new_figure, points


def run_figure(steps: Sequence[tuple[Sequence[str], Sequence[str]]]):
    """Draw the texts that were drafted in each step, and of what it got the target's own last."""
    drafts = max(len(drafted) for drafted, _ in steps)
    yields = [len(got) for _, got in steps]
    half = -(-len(steps) // 2)
    fig, axes = new_figure(
        title=f"{len(steps)} steps yield {sum(yields)} tokens: each yields at least {min(yields)}, "
        f"step {yields.index(max(yields)) + 1} yields {max(yields)}",
        width=8.4, height=1.15 + 0.21 * half, cols=2,
    )  # fmt: skip
    for ax, first in zip(axes, (0, half)):
        for row, (drafted, got) in enumerate(steps[first : first + half]):
            for at, text in enumerate(drafted):
                _cell(ax, row, at, text, "service" if at < len(got) - 1 else None)
            _cell(ax, row, drafts + 0.25, got[-1], "theory")
        ax.set(xlim=(0, drafts + 1.25), ylim=(half, 0))
        rows = range(first, min(first + half, len(steps)))
        ax.set_yticks([row - first + 0.5 for row in rows], [f"{row + 1}" for row in rows])
        ax.set_xticks([at + 0.5 for at in range(drafts)] + [drafts + 0.75], [
            *(f"draft {at + 1}" for at in range(drafts)), "target"])  # fmt: skip
        ax.tick_params(length=0, labelsize=8.5, bottom=False, labelbottom=False, labeltop=True)
        ax.spines[:].set_visible(False)
        ax.grid(False)
        ax.set_ylabel("step", fontsize=10, color=INK)
    return fig


def _cell(ax, row: int, at: float, text: str, look: str | None) -> None:
    """A token in a box, which is filled if the token stays; it may be a $, which is no formula."""
    shade = mixed(look, 0.8) if look else CARD
    box = {"facecolor": shade, "edgecolor": color("reference"), "linewidth": 0.6}
    ax.add_patch(Rectangle((at + 0.04, row + 0.06), 0.92, 0.88, **box))
    ax.text(at + 0.5, row + 0.5, text, ha="center", va="center", parse_math=False,
            color=legible_on(shade), fontsize=8.5)  # fmt: skip


def off(counted: Mapping[tuple, int], chances: Mapping[tuple, float]):
    """Counts that are expected (of 5 or more), counts over them, and 1.96 of its deviations."""
    total = sum(counted.values())
    cells = [cell for cell, chance in chances.items() if chance * total >= 5]
    share = np.array([chances[cell] for cell in cells])
    ratio = np.array([counted.get(cell, 0) for cell in cells]) / (total * share)
    return total * share, ratio, 1.96 * np.sqrt((1 - share) / (total * share))


def percent_beyond_chance(counted: Mapping[tuple, int], chances: Mapping[tuple, float]) -> float:
    """How many continuations came so much too often or too seldom as 5 % do by chance."""
    _, ratio, usual = off(counted, chances)
    return 100 * float((abs(ratio - 1) > usual).mean())


def counts_figure(
    counted: Mapping[str, Mapping[tuple, int]],
    chances: Mapping[tuple, float],
    told: Mapping[str, str],
):
    """Draw how often each continuation came over how often it should, a panel for each rule.

    The first is the target alone, the second is right, all others are wrong. Shaded is what chance
    does 19 of 20 times; ``told`` holds a line for each panel.
    """
    beyond = [percent_beyond_chance(counts, chances) for counts in counted.values()]
    _, right, *wrong = beyond
    fig, axes = new_figure(
        title=f"Beyond chance: {right:.0f} % of the continuations by the rule, "
        f"{min(wrong):.0f} to {max(wrong):.0f} % by wrong rules",
        width=9.4, height=3.2, cols=len(counted), sharey=True,
    )  # fmt: skip
    for ax, (name, counts) in zip(axes, counted.items()):
        expected, ratio, usual = off(counts, chances)
        order, far = expected.argsort(), abs(ratio - 1) > usual
        ax.fill_between(expected[order], 1 - usual[order], 1 + usual[order], **band("theory"))
        ax.axhline(1, **line("theory", linewidth=1.2))
        for shown, look, marker in ((~far, "service", "o"), (far, "limit", "X")):
            look = points(look, marker=marker, markersize=4.5, markeredgewidth=0.3)
            ax.plot(expected[shown], np.minimum(ratio[shown], 3), **look)
        ax.set(xscale="log", xlim=(4, 1.5 * expected.max()), ylim=(-0.1, 3.15))
        ax.xaxis.set_major_formatter("{x:,.0f}")
        dress(ax, title=f"{textwrap.fill(name, 18)}\n{told[name]}")
    axes[0].set_yticks([0, 1, 2, 3], ["0", "1", "2", "3 or more"])
    dress(axes[0], y="counted / expected")
    dress(axes[len(axes) // 2], x="count that is expected of a continuation")
    return fig


def counts_in_words(
    counted: Mapping[str, Mapping[tuple, int]],
    chances: Mapping[tuple, float],
    told: Mapping[str, str],
) -> str:
    """What ``counts_figure`` shows."""
    said = "; ".join(
        f"{name}, {sum(counts.values()):,} draws: {percent_beyond_chance(counts, chances):.0f} % "
        f"of the continuations beyond what chance does 19 of 20 times, {told[name]}"
        for name, counts in counted.items()
    )
    return f"Counts over expected counts, a mark for each continuation. {said}."


def first_words_figure(target, draft, theirs):
    """Draw the share of each word among the first ones: the target's, the draft's, and theirs."""
    rows = [100 * np.asarray(shares) for shares in (target, draft, theirs)]
    word = int(abs(rows[2] - rows[0]).argmax())
    fig, ax = new_figure(
        title=f"Word {word} begins {rows[2][word]:.1f} % of their answers, and should begin "
        f"{rows[0][word]:.1f} %",
        x="share of the answers that begin with the word (%)", width=7, height=2.9,
    )  # fmt: skip
    places = np.arange(len(rows[0]))
    ax.hlines(places, np.minimum(*rows[:2]), np.maximum(*rows[:2]), **line("reference"))
    for shares, name, look in zip(rows, ("target p", "draft q"), ("theory", "service")):
        ax.plot(shares, places, **points(look, markersize=9), label=name)
    tick = {"marker": "|", "markersize": 19, "markeredgewidth": 3}
    ax.plot(
        rows[2],
        places,
        **points("limit", markeredgecolor=color("limit"), **tick),
        label="their answers",
    )
    ax.set_yticks(places, [f"word {place}" for place in places])
    ax.set(ylim=(len(places) - 0.5, -0.5), xlim=(0, 1.08 * max(map(max, rows))))
    key_above(ax, ncols=3)
    return fig
