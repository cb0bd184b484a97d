"""The labelled pairs of the semantic cache: whole, well mixed, and a broken file says where."""

import json
from collections import Counter

import numpy as np
import pytest

from labutils.retrieval import Embedder, read_corpus
from labutils.retrieval.quality import QuestionPair, compared, read_pairs, read_questions

CACHED = [question.text for question in read_questions()]


def test_each_pair_joins_a_new_question_with_a_labelled_one():
    pairs = read_pairs()
    known = set(CACHED)
    assert not [pair for pair in pairs if pair.cached not in known]
    assert not [pair for pair in pairs if pair.question in known]


def test_there_are_enough_of_each_kind_and_label_for_halves():
    pairs = read_pairs()
    kinds = Counter(pair.kind for pair in pairs)
    assert len(pairs) >= 300
    assert kinds["paraphrase"] >= 130 and kinds["near"] >= 120 and kinds["narrower"] >= 50
    assert sum(pair.same_answer for pair in pairs) >= 130
    assert len({pair.cached for pair in pairs}) >= 0.9 * len(CACHED)


def test_only_a_paraphrase_may_be_served():
    assert {pair.kind for pair in read_pairs() if pair.same_answer} == {"paraphrase"}


def test_most_cached_questions_are_still_the_nearest():
    embedder = Embedder.of([passage.words for passage in read_corpus()])
    pairs = read_pairs()
    _, nearest = compared(pairs, embedder.embed, CACHED)
    said = f"{nearest.sum()} of {len(pairs)} cached questions are still the nearest"
    # The corpus grows and the embedder with it. Below this, pairs want a new look, not a new bound.
    assert nearest.mean() >= 0.6, said


def letters(texts):
    """Unit vectors that count a, b and c: an embedder that can be checked by hand."""
    counts = np.array([[text.count(letter) for letter in "abc"] for text in texts], dtype=float)
    return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def test_similarities_by_hand_and_a_nearer_question_shows():
    pairs = [
        QuestionPair("aab", "ab", True, "paraphrase"),
        QuestionPair("c", "abc", False, "near"),
        QuestionPair("aab", "abc", False, "near"),
    ]
    own, nearest = compared(pairs, letters, ["ab", "abc"])
    assert own == pytest.approx([3 / np.sqrt(10), 1 / np.sqrt(3), 3 / np.sqrt(15)])
    assert nearest.tolist() == [True, True, False]


def test_two_cached_questions_as_near_as_each_other_are_both_nearest():
    own, nearest = compared([QuestionPair("ab", "b", True, "near")], letters, ["a", "b"])
    assert own == pytest.approx([np.sqrt(0.5)]) and nearest.tolist() == [True]


def test_a_pair_whose_cached_question_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"cached has 1 questions: expected 'b' among them"):
        compared([QuestionPair("a", "b", True, "near")], letters, ["a"])


GOOD = {"question": "Why?", "cached": "Why not?", "same_answer": False, "kind": "near"}


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([GOOD, {**GOOD, "question": " "}], "pair 1: expected question"),
        ([GOOD, {**GOOD, "question": "How?", "same_answer": 1}], "pair 1: expected question"),
        ([{**GOOD, "kind": "far"}], "one of paraphrase, near, narrower"),
        ([{**GOOD, "kind": ["near"]}], "pair 0: expected question"),
        ([{**GOOD, "similarity": 0.9}], "pair 0: expected question"),
        ([GOOD, {"question": "How?", "cached": "Why?"}], "pair 1: expected question"),
        ([GOOD, "Why?"], "pair 1: expected question"),
        ([GOOD, {**GOOD, "cached": "When?"}], "pair 1: 'Why?' is there twice"),
        ([], "expected a list of pairs"),
        ({"pairs": [GOOD]}, "expected a list of pairs"),
    ],
)
def test_a_file_that_is_no_list_of_pairs(tmp_path, rows, says):
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(rows))
    with pytest.raises(ValueError) as caught:
        read_pairs(path)
    assert says in str(caught.value) and "pairs.json" in str(caught.value)


def test_a_file_cut_in_the_middle(tmp_path):
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps([GOOD])[:-9])
    with pytest.raises(ValueError, match=r"pairs.json: expected pairs as JSON"):
        read_pairs(path)


def test_a_good_file_is_read_as_it_stands(tmp_path):
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps([GOOD]))
    assert read_pairs(path) == (QuestionPair("Why?", "Why not?", False, "near"),)
