"""The figures of the engine's labs say what the run was."""

from types import SimpleNamespace

import numpy as np
import pytest

from labutils.engine import Plan, Request
from labutils.serving.trials.step_book import StepBook
from labutils.viz.figures import engine as figures
from labutils.viz.style import color, title_of


def after(request, computed):
    """``request`` after a step: with what it had to compute in memory, and its next token."""
    request.computed, request.known = computed, max(request.known, computed + 1)
    return request


@pytest.fixture
def book():
    """A prefills and decodes, B is preempted and prefills again, behind a page that was found."""
    notes, a, b = StepBook(), Request("A", 5, 9), Request("B", 6, 9)
    pool = SimpleNamespace(page_tokens=4, num_pages=9, num_free=0)
    scheduler = SimpleNamespace(waiting=[])
    engine = SimpleNamespace(scheduler=scheduler, pool=pool, requests=[a, b], open={"A": a, "B": b})
    steps = [
        ({a: (5, 5)}, (), 2, 2),
        ({a: (1, 6), b: (6, 6)}, (), 1, 4),
        ({a: (1, 7)}, (b,), 1, 2),
        ({b: (2, 7)}, (), 0, 2),
    ]
    for chunks, preempted, waiting, in_use in steps:
        for request in preempted:
            request.computed = 0
        if preempted == () and list(chunks) == [b]:
            del engine.open["A"]
        scheduler.waiting, pool.num_free = [None] * waiting, 9 - in_use
        pairs = [(after(request, end), new) for request, (new, end) in chunks.items()]
        notes(engine, Plan(pairs, preempted))
    return notes


def test_the_book_counts_tokens_that_lie_in_memory(book):
    assert book.filled == [5, 12, 7, 7]
    assert book.reserved == [8, 16, 8, 8]
    assert (book.total, book.waiting, book.ended_by) == (36, [2, 1, 1, 0], [0, 0, 0, 1])
    assert book.ids == ("A", "B")
    assert book.filled_share == pytest.approx(31 / (4 * 36))


def test_step_chart_paints_what_each_request_did(book):
    fig = figures.step_charts({"one": book}, token_budget=8)
    lives, tokens = fig.axes
    picture = np.asarray(lives.images[0].get_array())
    prefill, lost = picture[0, 0], picture[1, 2]
    assert picture.shape == (2, 4, 3)
    assert np.allclose(picture[1, 1], prefill) and np.allclose(picture[1, 3], prefill)
    assert np.allclose(picture[0, 1], picture[0, 2]) and not np.allclose(picture[0, 1], prefill)
    assert np.allclose(lost, [int(color("limit")[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    heights = [bar.get_height() for bar in tokens.patches]
    assert heights == [0, 1, 1, 0, 5, 6, 0, 2]
    assert title_of(fig) == "In 4 steps 38 % of the places stay empty"
    assert "budget 8" in {text.get_text() for text in tokens.texts}
    assert "67 %" not in lives.get_title(loc="left")
    assert "4 steps, 62 % of the places busy" in lives.get_title(loc="left")


def test_two_runs_share_the_steps(book):
    fig = figures.step_charts({"one": book, "two": book})
    assert len(fig.axes) == 4
    assert title_of(fig) == "The same requests take 4 against 4 steps"


def test_reserved_slots_say_how_many_hold_a_token(book):
    fig = figures.reserved_slots(book)
    assert title_of(fig).startswith("22 % of the slots hold a token")
    assert "all 36" in {text.get_text() for text in fig.axes[0].texts}
