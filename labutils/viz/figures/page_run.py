"""One run on a pool of pages, step by step: whose is every page, and what is the pool full of?"""

from collections.abc import Hashable, Sequence

import numpy as np

from labutils.serving.memory.page_log import PageMoment
from labutils.viz.figures.pages import FREE, IDLE, MARKED, TONES, PageMap, mixed
from labutils.viz.labels import key
from labutils.viz.style import INK, band, color, dress, new_figure, set_title

OWNERS = ("theory", "service", "waiting", "measurement", "backlog", "prediction", "limit")
"""Hues of owners: here a colour says *whose* a page is, and nothing else."""

_LAYERS = (
    ("held", "held by one", "kv", 0.45),
    ("shared", "held by several", "kv", 0.95),
    ("idle", "idle", "reference", 0.5),
)


def owner_tones() -> list[tuple]:
    """A colour for each of 14 owners: seven hues, full and pale."""
    return [mixed(color(role), share) for share in (0.85, 0.5) for role in OWNERS]


def pages_by_state(moments: Sequence[PageMoment]) -> dict[str, np.ndarray]:
    """Pages in each moment that one request holds, that several hold, that are idle."""
    counts = [moment.owners for moment in moments]
    return {
        "held": np.array([sum(n == 1 for n in owners.values()) for owners in counts]),
        "shared": np.array([sum(n > 1 for n in owners.values()) for owners in counts]),
        "idle": np.array([len(moment.idle) for moment in moments]),
    }


class PageRunMap:
    """The pages of one run as a map, coloured by owner, above what the pool was full of.

    ``moments`` are those of a ``PageLog``. A page in several tables is hatched and has the colour
    of the one that holds it longest.
    """

    def __init__(
        self, moments: Sequence[PageMoment], *, num_pages: int, columns: int | None = None
    ):
        if not moments:
            raise ValueError("moments is empty: expected the moments of a run with a step or more")
        self.moments, self._num = list(moments), num_pages
        self._numbers = _numbered(self.moments)
        self.fig, axes = new_figure(
            rows=2, height=6.0, height_ratios=(2.2, 1), title="Whose is which page?"
        )
        columns = columns or max(12, round((3 * num_pages) ** 0.5))  # three times as wide as high
        self._map = PageMap(axes[0], num_pages, columns, lines_above=2, tones=owner_tones())
        look = {"transform": axes[0].transAxes, "color": INK, "va": "bottom", "fontsize": 10.5}
        self._head = axes[0].text(0, 1.02, " ", fontweight="bold", **look)
        hatched = ((0.0, owner_tones()[0], "one colour per owner, hatched: several"),)
        rest = ((0.45, TONES[IDLE], "idle"), (0.6, TONES[FREE], "blank"))
        words = (*hatched, *rest, (0.75, TONES[MARKED], "the one followed"))
        key(axes[0], words, y=-0.02, up=0, va="top", size=9.5)
        self._draw_strip(axes[1])

    def _draw_strip(self, ax) -> None:
        dress(ax, x="step", y="pages", title="\n ")  # room for two keys
        steps, states = np.arange(len(self.moments)), pages_by_state(self.moments)
        floor = np.zeros(len(steps))
        for name, _, role, share in _LAYERS:
            top = floor + states[name]
            shade = {"alpha": 1, "facecolor": mixed(color(role), share)}
            ax.fill_between(steps, floor, top, step="mid", **band(role, **shade))
            floor = top
        ax.set(xlim=(0, max(len(steps) - 1, 1)), ylim=(0, self._num))
        words = [(word, mixed(color(role), share)) for _, word, role, share in _LAYERS]
        key(ax, [(0.25 * at, tone, word) for at, (word, tone) in enumerate(words)], size=9.5)
        self._cursor = ax.axvline(0, color=INK, linewidth=1.4)

    def update(self, *, step: int, follow: Hashable = None) -> str:
        """Show a step; ``follow`` is a request whose pages stand out. Returns the finding."""
        at = min(max(step, 0), len(self.moments) - 1)
        moment = self.moments[at]
        owners = moment.owners
        shared = [page for page, count in owners.items() if count > 1]
        self._map.paint(self._codes(moment, follow), shared)
        self._cursor.set_xdata([at, at])
        blank = self._num - len(owners) - len(moment.idle)
        self._head.set_text(
            f"step {at}: {len(moment.tables)} running, {moment.waiting} waiting; "
            f"{blank} pages blank"
        )
        return self._finding(moment, owners, follow, blank)

    def _codes(self, moment: PageMoment, follow: Hashable) -> np.ndarray:
        codes = np.full(self._num, FREE)
        codes[list(moment.idle)] = IDLE
        for request, table in reversed(moment.tables.items()):
            codes[list(table)] = self._numbers[request]
        if follow in moment.tables:
            codes[list(moment.tables[follow])] = MARKED
        return codes

    def _finding(self, moment: PageMoment, owners, follow, blank: int) -> str:
        shared = sum(count > 1 for count in owners.values())
        saved = sum(count - 1 for count in owners.values())
        parts = [
            f"Step {moment.step}: {len(moment.tables)} requests hold {len(owners)} of {self._num} "
            f"pages, {len(moment.idle)} are idle, {blank} blank",
            f"{shared} are shared, which saves {saved}" if shared else "none is shared",
        ]
        if moment.preempted:
            parts.append(f"{len(moment.preempted)} preempted just before")
        if follow in moment.tables:
            parts.append(f"request {follow}: pages {_listed(moment.tables[follow])}")
        return "; ".join(parts) + "."


def page_run_map(moments, *, num_pages: int, step: int, columns: int | None = None):
    """One step of a run, as a figure that stands still."""
    drawn = PageRunMap(moments, num_pages=num_pages, columns=columns)
    set_title(drawn.fig, drawn.update(step=step).rstrip("."))
    return drawn.fig


def _numbered(moments: Sequence[PageMoment]) -> dict[Hashable, int]:
    """Requests in the order in which they first held a page: the number chooses the colour."""
    numbers: dict[Hashable, int] = {}
    for moment in moments:
        for request in moment.tables:
            numbers.setdefault(request, len(numbers))
    return numbers


def _listed(pages: Sequence[int]) -> str:
    shown = " ".join(map(str, pages[:6]))
    return f"{shown} …" if len(pages) > 6 else shown
