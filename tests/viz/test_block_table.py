"""Block tables: an entry per page in order, a line to the place that it names."""

from labutils.viz.figures.block_table import block_tables
from labutils.viz.style import title_of

TABLES = {"A": [4, 1, 2], "B": [0]}


def test_a_line_leads_from_each_entry_to_its_page():
    (ax,) = block_tables(TABLES, num_pages=6).axes
    ends = [tuple(line.get_xdata()) for line in ax.lines]
    assert ends == [(0.5, 4.5), (1.5, 1.5), (2.5, 2.5), (4.5, 0.5)]


def test_entries_and_memory_are_numbered_and_the_title_counts_the_jumps():
    fig = block_tables(TABLES, num_pages=6)
    words = [text.get_text() for text in fig.axes[0].texts]
    assert words[:3] == ["A", "0", "4"] and words[-9:-3] == list("012345")
    assert title_of(fig) == "The tables keep the order: 1 of 2 pages lie apart from the one before"
