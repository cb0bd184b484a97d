"""Block tables: where in memory the pages of each sequence lie."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise

from matplotlib.patches import Rectangle

from labutils.viz.figures.lanes import mixed
from labutils.viz.style import INK, new_figure

_ROLES = ("kv", "service", "theory", "measurement")


def block_tables(tables: Mapping[Hashable, Sequence[int]], *, num_pages: int):
    """Draw each table above the memory; a line leads from each entry to the page that it names.

    ``tables`` map a request to its physical pages, in the order of its tokens: above an entry
    stands which page of the sequence it is (logical), in it where that lies (physical).
    """
    fig, ax = new_figure(title=_title(tables), width=9, height=3.4)
    x, taken = 0, {}
    for row, (request, pages) in enumerate(tables.items()):
        shade = mixed(_ROLES[row % len(_ROLES)], 0.75)
        ax.text(x, -0.75, str(request), va="center", color=INK)
        for logical, page in enumerate(pages, x):
            ax.plot((logical + 0.5, page + 0.5), (1, 3), color=shade, linewidth=1.2)
            ax.text(logical + 0.5, -0.25, logical - x, ha="center", va="center", fontsize=8)
            _box(ax, logical, 0, page, shade, "white")
            taken[page] = shade, "white"
        x += len(pages) + 1
    for page in range(num_pages):
        _box(ax, page, 3, page, *taken.get(page, (mixed("reference", 0.16), INK)))
    for y, name in ((-0.25, "logical"), (0.5, "physical"), (3.5, "memory")):
        ax.text(-0.3, y, name, ha="right", va="center", color=INK, fontsize=9)
    ax.set(xlim=(-1.5, max(num_pages, x) + 0.2), ylim=(4.2, -1.1))
    ax.axis("off")
    return fig


def _box(ax, x: float, y: float, page: int, shade, ink: str) -> None:
    ax.add_patch(Rectangle((x, y), 1, 1, facecolor=shade, edgecolor="white", zorder=2))
    ax.text(x + 0.5, y + 0.5, page, ha="center", va="center", fontsize=9, color=ink, zorder=3)


def _title(tables: Mapping[Hashable, Sequence[int]]) -> str:
    steps = [pair for pages in tables.values() for pair in pairwise(pages)]
    apart = sum(after != before + 1 for before, after in steps)
    return f"The tables keep the order: {apart} of {len(steps)} pages lie apart from the one before"
