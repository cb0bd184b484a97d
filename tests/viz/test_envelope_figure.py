"""The figure of predictions over measurements."""

import pytest

from labutils.serving import envelope
from labutils.viz.figures import envelope as figures
from labutils.viz.style import color, title_of


@pytest.fixture
def opened():
    said = envelope.Figures(0.105, 0.3, 0.01, 0.02, 4.4)
    runs = {share: [envelope.Figures(0.1, 0.2, 0.01, 0.02, 4.0)] for share in (0.7, 1.0, 1.2)}
    runs[1.0] *= 3
    return envelope.Envelope(dict.fromkeys(runs, said)).opened(runs, drift=0.01)


def points_at(fig, role):
    """Heights of the marks of a role, those of the key left out."""
    (ax,) = fig.axes
    own = [mark for mark in ax.lines if mark.get_color() == color(role)]
    return [y for mark in own if mark.get_transform() == ax.transData for y in mark.get_ydata()]


def test_envelope_marks_predictions_runs_and_guesses(opened):
    guesses = {(0.7, "ttft_p99_s"): 0.24, (1.2, "backlog_per_s"): ...}
    fig = figures.envelope_figure(opened, guesses)
    assert points_at(fig, "theory") == pytest.approx([1.05, 1.5, 1, 1] * 2 + [1.1])
    assert points_at(fig, "prediction") == pytest.approx([1.2])
    assert len(points_at(fig, "measurement")) == 4 + 12 + 1
    assert title_of(fig) == "3 of 5 predictions lie in the band of ±10 %"  # 4.4 / 4 is outside
    assert any("not graded" in text.get_text() for text in fig.axes[0].texts)


def test_a_guess_beyond_the_axes_is_written_out(opened):
    fig = figures.envelope_figure(opened, {(0.7, "ttft_p99_s"): 4.0})
    assert "20" in {text.get_text() for text in fig.axes[0].texts}
    assert max(points_at(fig, "prediction")) < fig.axes[0].get_ylim()[1]
