"""Figures of lab 7: what a table of counts says, and where drafting pays."""

from collections.abc import Mapping

from labutils.serving.speculation import Tally
from labutils.viz.labels import readable
from labutils.viz.style import INK, color, line, new_figure, points

_LOOKS = ("theory", "service", "backlog")


def acceptance_figure(tallies: Mapping[str, Tally]):
    """Draw the share of drafts that stayed, of those looked at, by place, for each kind of text."""
    shares = [100 * one.acceptance for one in tallies.values() if one.by_place]
    title = f"{min(shares):.0f} to {max(shares):.0f} % of the drafts stay, by kind of text"
    fig, ax = new_figure(
        title=title, x="place of the draft", y="share that stayed", width=8, height=4
    )
    by_place = {name: one.by_place for name, one in tallies.items() if one.by_place}
    for (name, shares), look in zip(by_place.items(), _LOOKS):
        places = range(1, len(shares) + 1)
        ax.plot(places, shares, **line(look))
        ax.plot(places, shares, **points(look))
        ax.annotate(
            name, (len(shares), shares[-1]), xytext=(8, 0), textcoords="offset points",
            color=readable(color(look)), va="center",
        )  # fmt: skip
    longest = max(map(len, by_place.values()))
    ax.set(ylim=(0, 1), xlim=(0.8, longest + 1.2))
    ax.set_xticks(range(1, longest + 1))
    return fig


def gain_figure(
    measured: Mapping[str, Mapping[int, float]], predicted: Mapping[str, Mapping[int, float]]
):
    """Draw the gain over the batch for each way to draft: points measured, lines predicted."""
    wins = [gain for gains in measured.values() for gain in gains.values() if gain > 1]
    title = f"{len(wins)} of {sum(map(len, measured.values()))} settings gain"
    fig, ax = new_figure(
        title=title, x="batch", y="tokens per second, with drafts over without", width=8, height=4.4
    )
    ax.axhline(1, **line("reference"))
    for (way, gains), look in zip(measured.items(), _LOOKS):
        batches = sorted(gains)
        if said := predicted.get(way):
            ax.plot(batches, [said[batch] for batch in batches], **line(look))
        ax.plot(batches, [gains[batch] for batch in batches], **points(look))
        ax.annotate(
            way, (batches[-1], gains[batches[-1]]), xytext=(8, 0),
            textcoords="offset points", color=readable(color(look)), va="center",
        )  # fmt: skip
    batches = sorted({batch for gains in measured.values() for batch in gains})
    ax.set_xscale("log", base=2)
    ax.set_xticks(batches, [f"{batch}" for batch in batches])
    ax.set_xlim(batches[0] * 0.85, batches[-1] * 1.6)
    ax.annotate(
        "no gain, no loss", (batches[0], 1), xytext=(0, 4), textcoords="offset points", color=INK
    )
    return fig
