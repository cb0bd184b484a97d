"""Where the class stands, in one picture: a bar for each exercise."""

from labutils.classroom.counts import Item, Tally
from labutils.viz import style
from labutils.viz.labels import readable

MOST_BARS = 12
_GROUPS = (  # legend, role of the colour, how many learners
    ("right at first", "service", lambda one: one.tried - one.missed),
    ("right later", "waiting", lambda one: one.missed - one.open),
    ("still open", "limit", lambda one: one.open),
)


def standing(found: Tally):
    """Draw the most missed exercises; return the figure and its text alternative."""
    items = found.exercises[:MOST_BARS][::-1]
    fig, ax = style.new_figure(
        title=_title(found), x="learners", height=1.6 + 0.36 * max(len(items), 1)
    )
    left = [0] * len(items)
    for name, role, count in _GROUPS:
        sizes = [count(one) for one in items]
        ax.barh(range(len(items)), sizes, left=left, color=readable(style.color(role)), label=name)
        for row, size in enumerate(sizes):
            if size:
                ax.text(left[row] + size / 2, row, str(size), ha="center", va="center", color="w")
        left = [start + size for start, size in zip(left, sizes)]
    ax.set_yticks(range(len(items)), [one.title for one in items])
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.grid(False, axis="y")
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3, frameon=False)
    return fig, _alt(items[::-1])


def _title(found: Tally) -> str:
    if not found.exercises:
        return "Nobody has tried an exercise yet"
    worst = found.exercises[0]
    if not worst.missed:
        return "Every exercise was right at the first try"
    return f"{worst.missed} of {worst.tried} learners missed “{worst.title}” at first"


def _alt(items: list[Item]) -> str:
    rows = [
        f"{one.title}: {one.tried} tried, {one.missed} missed it at first, {one.open} still open"
        for one in items
    ]
    return "Bars of learners for each exercise, most missed first. " + "; ".join(rows) + "."
