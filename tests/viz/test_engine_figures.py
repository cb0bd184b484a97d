"""The figures of the engine's labs say what the run was."""

from types import SimpleNamespace

import numpy as np
import pytest

from labutils.serving import StepPlan, StepShape, envelope
from labutils.serving.step_book import StepBook
from labutils.viz.figures import engine as figures
from labutils.viz.style import color, title_of


def engine_with(*, waiting, answers, in_use, page_tokens=4, num_pages=9):
    """As much of an engine as a StepBook looks at."""
    layout = SimpleNamespace(page_tokens=page_tokens, num_pages=num_pages, in_use=in_use)
    scheduler = SimpleNamespace(waiting=[None] * waiting)
    return SimpleNamespace(scheduler=scheduler, answers=dict.fromkeys(answers), layout=layout)


@pytest.fixture
def book():
    """A reads and writes, B is preempted and reads again, behind a page that was cached."""
    notes = StepBook()
    plans = [
        (StepPlan((("A", 5),), (), StepShape(5, 15)), 2, (), 2),
        (StepPlan((("A", 1), ("B", 6)), (), StepShape(6, 21, 1, 6)), 1, (), 4),
        (StepPlan((("A", 1),), ("B",), StepShape(0, 0, 1, 7)), 1, (), 2),
        (StepPlan((("B", 2),), (), StepShape(2, 11), 1, (("B", 4),)), 0, ("A",), 2),
    ]
    for plan, waiting, answers, in_use in plans:
        notes(engine_with(waiting=waiting, answers=answers, in_use=in_use), plan)
    return notes


def test_the_book_counts_tokens_that_lie_in_memory(book):
    assert book.filled == [5, 12, 7, 6]
    assert book.reserved == [8, 16, 8, 8]
    assert (book.total, book.waiting, book.ended_by) == (36, [2, 1, 1, 0], [0, 0, 0, 1])
    assert book.ids == ("A", "B")
    assert book.filled_share == pytest.approx(30 / (4 * 36))


def test_step_chart_paints_what_each_request_did(book):
    fig = figures.step_charts({"one": book}, token_budget=8)
    lives, tokens = fig.axes
    picture = np.asarray(lives.images[0].get_array())
    reads, lost = picture[0, 0], picture[1, 2]
    assert picture.shape == (2, 4, 3)
    assert np.allclose(picture[1, 1], reads) and np.allclose(picture[1, 3], reads)
    assert np.allclose(picture[0, 1], picture[0, 2]) and not np.allclose(picture[0, 1], reads)
    assert np.allclose(lost, [int(color("limit")[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    heights = [bar.get_height() for bar in tokens.patches]
    assert heights == [0, 1, 1, 0, 5, 6, 0, 2]
    assert title_of(fig) == "A run of 4 steps"
    assert "67 %" not in lives.get_title(loc="left")
    assert "4 steps, 62 % of the seats busy" in lives.get_title(loc="left")


def test_two_runs_share_the_steps(book):
    fig = figures.step_charts({"one": book, "two": book})
    assert len(fig.axes) == 4
    assert title_of(fig) == "The same requests take 4 against 4 steps"


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


def test_step_times_name_the_share_outside_the_model():
    def steps(device_s):
        return [SimpleNamespace(schedule_s=1e-4, host_s=3e-4, device_s=device_s)] * 3

    fig = figures.step_times({"large": steps(36e-4), "small": steps(4e-4)})
    assert title_of(fig) == (
        "Share of a step outside the model: 10 % with the large, 50 % with the small"
    )
    widths = [bar.get_width() for bar in fig.axes[0].patches]
    assert widths == pytest.approx([0.1, 0.3, 3.6, 0.1, 0.3, 0.4])


def test_reserved_slots_say_how_many_hold_a_token(book):
    fig = figures.reserved_slots(book)
    assert title_of(fig).startswith("21 % of the slots hold a token")
    assert "all 36 " in {text.get_text() for text in fig.axes[0].texts}
