"""Recall with its interval: against scipy, by hand, and on a library of a few definitions."""

import numpy as np
import pytest
from scipy import stats

from labutils.retrieval import Library, fuse_scores, read_corpus
from labutils.retrieval.assistant import fused
from labutils.retrieval.quality import (
    LabelledQuestion,
    Quote,
    Recall,
    cross_fitted,
    found,
    judged,
    read_questions,
    wilson,
)


def test_found_by_hand():
    rankings = [[4, 2, 9], [1, 7, 3], [], [8]]
    right = [{9, 5}, {2}, {1}, {8}]
    assert found(rankings, right, k=2).tolist() == [0, 0, 0, 1]
    assert found(rankings, right, k=3).tolist() == [1, 0, 0, 1]
    with pytest.raises(ValueError, match="rankings has 3 questions: expected 4"):
        found(rankings[:3], right)
    with pytest.raises(ValueError, match="k = 0"):
        found(rankings, right, k=0)


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (3, 11), (97, 168), (13, 13)])
def test_wilson_against_scipy(hits, n):
    theirs = stats.binomtest(hits, n).proportion_ci(method="wilson")
    np.testing.assert_allclose(wilson(hits, n), (theirs.low, theirs.high), atol=1e-6)


def test_wilson_refuses_what_is_no_share():
    for wrong in (8, -1, float("nan")):
        with pytest.raises(ValueError, match=f"found_in = {wrong}: expected 0 to questions = 7"):
            wilson(wrong, 7)


def test_a_gain_is_paired():
    rng = np.random.default_rng(11)
    base = (rng.random(301) < 0.5).astype(float)
    better = base.copy()
    better[np.flatnonzero(base == 0)[:15]] = 1  # never worse, so surely better
    mean, (low, high) = Recall("b", better).gain_over(Recall("a", base))
    assert mean == pytest.approx(15 / 301) and 0.02 < low < mean < high < 0.08
    shuffled = Recall("b", rng.permutation(better)).gain_over(Recall("a", base))
    assert shuffled[1][0] < 0  # as many found, other ones: nothing is sure


def test_cross_fitting_takes_no_credit_for_luck():
    """Forty coins: the best of them seems good on the questions that chose it."""
    coins = (np.random.default_rng(5).random((40, 201)) < 0.5).astype(float)
    judged_fairly, chosen = cross_fitted(dict(enumerate(coins)), splits=30)
    assert coins.mean(axis=1).max() > 0.57
    assert judged_fairly.mean() < 0.54
    assert sum(chosen.values()) == 60


def test_cross_fitting_keeps_a_setting_that_is_good_everywhere():
    good, bad = np.ones(37), np.zeros(37)
    judged_fairly, chosen = cross_fitted({"bad": bad, "good": good}, splits=3)
    assert judged_fairly.tolist() == [1.0] * 37 and chosen == {"bad": 0, "good": 6}


def test_fused_scores_by_hand():
    words = ([3, 1, 2], [8.0, 4.0, 2.0])  # 1, 0.5, 0.25
    near = ([2, 5], [0.9, 0.6])  # 1, 2/3
    # 3: 1 + 0.5 · 2/3, 2: 0.25 + 0.5, 1: 0.5 + 0.5 · 2/3, 5: 0.25 + 0.5 · 2/3
    assert fuse_scores([words, near], [1.0, 0.5]) == [3, 1, 2, 5]
    assert fuse_scores([words, near], [0.1, 1.0]) == [2, 3, 1, 5]
    assert fused(words, near) == [3, 1, 2, 5]
    assert fuse_scores([([], []), near]) == [2, 5]
    assert fuse_scores([([4], [-1.0]), ([], [])]) == [4]
    with pytest.raises(ValueError):
        fuse_scores([words, near], [1.0])


def test_each_way_finds_what_shares_its_words():
    passages = [p for p in read_corpus() if p.source == "glossary"]
    library = Library.of(passages, dimensions=24)
    names = ("goodput", "backpressure", "hedged request", "KV cache")
    at = {p.heading: p.text for p in passages}
    questions = [LabelledQuestion(at[name], (Quote("glossary", at[name]),)) for name in names]
    rows = judged(library, questions, k=1)
    assert {row.share for row in rows.values()} == {1.0}
    wrong = [LabelledQuestion(at[name], (Quote("glossary", at["MQA"]),)) for name in names]
    assert {row.share for row in judged(library, wrong, k=1).values()} == {0.0}


def test_on_the_labelled_questions_fusing_loses_nothing():
    """Fused by ranks it loses; the figures themselves are a benchmark's, and move with the text."""
    rows = judged(Library.of(read_corpus()), read_questions())
    words = rows["words"]
    assert words.share > max(0.55, rows["vectors"].share)
    for name in ("fused by scores, cross-fitted", "fused", "reranked"):
        assert rows[name].gain_over(words)[1][1] > 0, name
