"""The lines of steps: a box per row, in order, in the colour of what it computes."""

from matplotlib.colors import to_rgb

from labutils.exercises.catalog.your_engine.lab6_runs import Line
from labutils.viz.figures.lanes import mixed
from labutils.viz.figures.packed_lines import packed_lines
from labutils.viz.style import title_of

LINES = [
    Line([("A", 3), ("B", 5)], {2}, []),
    Line([("A", 1), ("B", 1), ("C", 7)], {0, 8}, ["D"]),
]


def boxes(ax, role):
    shade = mixed(role, 0.75)
    return [
        (round(patch.get_x()), round(patch.get_y()), round(patch.get_width()))
        for patch in ax.patches
        if max(abs(a - b) for a, b in zip(to_rgb(patch.get_facecolor()[:3]), shade)) < 1e-6
    ]


def test_each_row_stands_in_its_place():
    (ax,) = packed_lines(LINES).axes
    assert boxes(ax, "theory") == [(0, 0, 3), (3, 0, 5), (1, 1, 1), (2, 1, 7)]
    assert boxes(ax, "service") == [(0, 1, 1)]  # a token without logits is a prompt's


def test_dots_stand_where_a_prompt_yields_a_token():
    (ax,) = packed_lines(LINES).axes
    dots = [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines]
    assert dots == [(2.5, 0.5), (8.5, 1.5)]


def test_names_and_the_preempted_are_written():
    fig = packed_lines(LINES)
    words = [text.get_text() for text in fig.axes[0].texts]
    assert words[:2] == ["A", "B"] and "D" in words
    assert title_of(fig) == "2 calls of the model, 3 tokens of answers, and no padding"
