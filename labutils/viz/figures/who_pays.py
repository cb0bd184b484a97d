"""The figure of chapter 11: policies side by side, who keeps which promise, and who pays."""

from collections.abc import Mapping

import numpy as np

from labutils.serving.promises import Kept
from labutils.viz.labels import readable
from labutils.viz.style import color, dress, line, new_figure, points

LOOKS = {"chat": "measurement", "documents": "theory"}
OFFSETS = {"chat": -0.11, "documents": 0.11}  # or one mark hides the other
LONGEST_S = 300.0


class Bills:
    """A row for each policy: promises kept by kind, the worst first token, and the bill."""

    def __init__(self, policies, *, title: str):
        self.policies = list(policies)
        self.fig, (self._kept, self._wait) = new_figure(
            title=title, cols=2, height=0.9 + 0.52 * len(self.policies), width=9.4, sharey=True,
            width_ratios=(1, 1.5),
        )  # fmt: skip
        rows = np.arange(len(self.policies))
        dress(self._kept, x="all promises kept (%)")
        self._kept.set(xlim=(-3, 103), yticks=rows, yticklabels=self.policies)
        self._kept.set_ylim(len(rows) - 0.4, -0.6)
        dress(self._wait, x="worst first token (s)")
        self._wait.set_xscale("log")
        self._wait.set(xlim=(0.4, 220 * LONGEST_S), xticks=(1, 10, 100))
        self._wait.xaxis.set_major_formatter("{x:g}")
        self._wait.minorticks_off()
        self._kept.grid(axis="y", visible=False)
        self._wait.grid(axis="y", visible=False)
        self._marks = {
            kind: [ax.plot([], [], **points(role, markersize=8))[0]
                   for ax in (self._kept, self._wait)]
            for kind, role in LOOKS.items()
        }  # fmt: skip
        self._limits = {
            kind: self._wait.plot([], [], **line(role, linewidth=1.2, linestyle="--"))[0]
            for kind, role in LOOKS.items()
        }
        self._bills = {
            kind: [
                self._wait.text(180 * LONGEST_S, row + 1.6 * OFFSETS[kind], "", ha="right",
                                va="center", fontsize=9.5, color=readable(color(role)))
                for row in rows
            ]
            for kind, role in LOOKS.items()
        }  # fmt: skip
        for x, (kind, role) in zip((0.0, 0.2), LOOKS.items()):
            look = {"color": readable(color(role)), "fontsize": 10, "va": "bottom"}
            said = f"■ {kind}"
            self._kept.text(2 * x, 1.01, said, transform=self._kept.transAxes, **look)
        look = {"fontsize": 10, "va": "bottom", "ha": "right"}
        self._wait.text(1, 1.01, "the bill", transform=self._wait.transAxes, **look)
        self._wait.text(0, 1.01, "- - promised", transform=self._wait.transAxes, fontsize=10,
                        va="bottom")  # fmt: skip

    def draw(self, runs: Mapping[str, Kept], promised_s: Mapping[str, float]) -> dict[str, dict]:
        """Move all marks; returns the bill of each policy."""
        first = next(iter(runs.values()))
        told = {name: bill(kept, first) for name, kept in runs.items()}
        rows = np.arange(len(runs))
        for kind, marks in self._marks.items():
            got = [kept.by_kind().get(kind) for kept in runs.values()]
            here = [row + OFFSETS[kind] for row, one in zip(rows, got) if one]
            known = [one for one in got if one]
            marks[0].set_data([100 * one.share for one in known], here)
            marks[1].set_data([one.worst_ttft_s for one in known], here)
            limit_s = promised_s[kind] if known else np.nan
            self._limits[kind].set_data([limit_s, limit_s], [-0.6, len(rows) - 0.4])
            for text, name in zip(self._bills[kind], runs):
                text.set_text(f"{kind}: {told[name][kind]}" if kind in told[name] else "")
        return told


def bill(kept: Kept, first_come: Kept) -> dict[str, str]:
    """Who pays under a policy, by kind: ``{"chat": "31 late, 4 refused"}``.

    A kind pays with its broken promises. One that keeps them all pays if its worst wait is more
    than a tenth longer than ``first_come``.
    """
    told = {}
    for kind, got in kept.by_kind().items():
        before_s = first_come.by_kind()[kind].worst_ttft_s
        late = got.requests - got.kept - got.refused
        counts = {"late": late, "refused": got.refused}
        said = [f"{number} {word}" for word, number in counts.items() if number]
        if not said and got.worst_ttft_s > 1.1 * before_s:
            said = [f"{got.worst_ttft_s:.0f} s instead of {before_s:.0f}"]
        if said:
            told[kind] = ", ".join(said)
    return told
