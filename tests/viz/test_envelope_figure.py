"""The figure of an opened envelope: predictions, pieces, bands, guesses."""

import pytest

from labutils.serving.trials.reveal import Reveal, Row, Steadiness
from labutils.viz.figures.envelope import envelope_figure
from labutils.viz.style import color, title_of


@pytest.fixture
def rows():
    return (
        Row(0.7, "ttft_p50_s", ((0.105, 0.1), (0.2, 0.1), (0.1, 0.1)), 0.08),
        Row(0.7, "ttft_p99_s", ((0.3, 0.2), (0.3, 0.2), (0.3, 0.2)), 0.08),
        Row(1.5, "backlog_per_s", ((4.4, 4.0), (4.4, 4.0), (4.0, 40.0)), 0.12),
    )


def points_at(fig, role):
    """Heights of the marks of a role, those of the key left out."""
    (ax,) = fig.axes
    own = [mark for mark in ax.lines if mark.get_color() == color(role)]
    return [y for mark in own if mark.get_transform() == ax.transData for y in mark.get_ydata()]


def test_it_marks_predictions_pieces_and_guesses(rows):
    guesses = {(0.7, "ttft_p99_s"): 0.24, (1.5, "backlog_per_s"): ...}
    fig = envelope_figure(Reveal(rows, Steadiness(0.01)), guesses)
    assert points_at(fig, "theory") == pytest.approx([1.05, 1.5, 1.1])
    assert points_at(fig, "prediction") == pytest.approx([1.2])
    pieces = points_at(fig, "measurement")
    assert pieces[:6] == pytest.approx([1.05, 2.0, 1.0, 1.5, 1.5, 1.5])
    assert pieces[-1] >= fig.axes[0].get_ylim()[0]  # a tenth of what was measured: at the edge
    assert title_of(fig) == "2 of 3 predictions lie in their band"
    heights = [patch.get_paths()[0].vertices[:, 1] for patch in fig.axes[0].collections]
    assert [(h.min(), h.max()) for h in heights] == [
        pytest.approx((1 - band, 1 + band)) for band in (0.08, 0.08, 0.12)
    ]


def test_a_busy_machine_and_ungraded_loads_are_said(rows):
    ungraded = tuple(Row(0.7, row.quantity, row.pieces, 0.1, "too few") for row in rows[:2])
    fig = envelope_figure(Reveal((*ungraded, rows[2]), Steadiness(0.2)))
    assert title_of(fig) == "The machine was busy (1 of 1 predictions lie in their band)"
    assert [text.get_text() for text in fig.axes[0].texts if "judged" in text.get_text()] == [
        "load 0.7, not judged"
    ]


def test_a_figure_of_which_nothing_is_judged_counts_nothing(rows):
    ungraded = tuple(Row(0.7, row.quantity, row.pieces, 0.1, "too few") for row in rows)
    title = title_of(envelope_figure(Reveal(ungraded, Steadiness(0.01))))
    assert title == "Not judged: the pieces are too few, or too small"


def test_a_guess_beyond_the_axes_is_written_out(rows):
    fig = envelope_figure(Reveal(rows, Steadiness(0.01)), {(0.7, "ttft_p99_s"): 4.0})
    assert "20" in {text.get_text() for text in fig.axes[0].texts}
    assert max(points_at(fig, "prediction")) < fig.axes[0].get_ylim()[1]


@pytest.mark.parametrize("guesses", [None, {(0.7, "ttft_p99_s"): ...}])
def test_the_key_names_a_guess_only_where_there_is_one(rows, guesses):
    fig = envelope_figure(Reveal(rows, Steadiness(0.01)), guesses)
    assert "your guess" not in {text.get_text() for text in fig.axes[0].texts}
    fig = envelope_figure(Reveal(rows, Steadiness(0.01)), {(0.7, "ttft_p99_s"): 0.24})
    assert "your guess" in {text.get_text() for text in fig.axes[0].texts}
