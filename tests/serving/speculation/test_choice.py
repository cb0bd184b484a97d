"""The expected gain against a race on simulated clocks, and what it refuses."""

import random

import pytest

from labutils.serving.speculation import best_drafts, gains

STEPS = {rows: 8e-3 + 0.5e-3 * rows for rows in range(1, 41)}


def race(alpha, drafts, batch, draft_s, steps=4_000):
    """Tokens per second over those without drafts, one draft at a time."""
    draw, tokens, seconds = random.Random(3), 0, 0.0
    for _ in range(steps):
        for _ in range(batch):
            run = 1
            while run <= drafts and draw.random() < alpha:
                run += 1
            tokens += run
        seconds += drafts * draft_s + STEPS[batch * (drafts + 1)]
    return tokens / seconds / (batch / STEPS[batch])


@pytest.mark.parametrize("batch", (1, 4, 8))
@pytest.mark.parametrize("drafts", (1, 4))
def test_gains_are_those_of_a_race(drafts, batch):
    expected = gains(0.7, STEPS, draft_s=1.5e-3, batch=batch, most=4)
    assert expected[drafts] == pytest.approx(race(0.7, drafts, batch, 1.5e-3), rel=0.03)


def test_a_fuller_batch_wants_fewer_drafts_and_then_none():
    chosen = [best_drafts(0.7, STEPS, draft_s=1e-3, batch=b, most=4) for b in (1, 2, 4, 8)]
    drafts = [one.drafts for one in chosen]
    assert drafts == sorted(drafts, reverse=True) and drafts[0] > drafts[-1]
    assert best_drafts(0.05, STEPS, draft_s=1e-3, most=4) == (0, 1.0)
    assert all(one.gain >= 1 for one in chosen)


@pytest.mark.parametrize(
    "change, said",
    (
        ({"acceptance": 1.2}, "acceptance = 1.2: expected a probability"),
        ({"draft_s": -1}, "draft_s = -1: expected"),
        ({"batch": 0}, "batch = 0: expected"),
        ({"most": 40}, "no step of 41 rows: expected one for each"),
    ),
)
def test_bad_figures_are_refused(change, said):
    costs = {"acceptance": 0.5, "verify_s": STEPS, "draft_s": 1e-3, "most": 2} | change
    with pytest.raises(ValueError, match=said):
        gains(**costs)
