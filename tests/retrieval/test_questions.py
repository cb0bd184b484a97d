"""The labelled questions: every quote resolves, and a broken file says where."""

import json
from collections import Counter

import pytest

from labutils.retrieval import Passage, read_corpus
from labutils.retrieval.quality import Quote, read_questions


def test_each_quote_stands_in_exactly_one_passage():
    passages, gone = read_corpus(), []
    for question in read_questions():
        for quote in question.right:
            try:
                quote.place(passages)
            except ValueError as error:
                gone.append(f"{question.text}: {error}")
    assert not gone, "\n".join(gone)


def test_the_questions_cover_the_corpus():
    questions = read_questions()
    sources = Counter(quote.source for question in questions for quote in question.right)
    assert len(questions) >= 150 and len(sources) >= 35
    assert max(sources.values()) <= 0.15 * sum(sources.values())


PASSAGES = [
    Passage("a.1", "one", "Queues", "A queue grows. It waits."),
    Passage("a.2", "one", "Queues", "A queue shrinks."),
    Passage("b.1", "two", "Queues", "A queue grows."),
]


@pytest.mark.parametrize(
    ("source", "words", "stands_in"),
    [("one", "A queue", 2), ("one", "Queues", 0), ("three", "grows", 0)],
)
def test_a_quote_that_does_not_resolve_is_named(source, words, stands_in):
    assert Quote("two", "grows").place(PASSAGES) == 2
    with pytest.raises(ValueError) as caught:
        Quote(source, words).place(PASSAGES)
    said = str(caught.value)
    assert repr(words) in said and repr(source) in said and said.endswith(f"in {stands_in}")


GOOD = {"question": "Why?", "right": [{"source": "one", "words": "grows"}]}


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([GOOD, {"question": "What?", "right": []}], "question 1: expected a question"),
        ([{"question": " ", "right": GOOD["right"]}], "question 0: expected"),
        ([GOOD, {"question": "What?", "right": [{"source": "one"}]}], "question 1: expected"),
        ([GOOD, "What?"], "question 1: expected"),
        ([GOOD, GOOD], "question 1: 'Why?' is there twice"),
        ([], "expected a list of questions"),
    ],
)
def test_a_file_that_is_no_list_of_questions(tmp_path, rows, says):
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(rows))
    with pytest.raises(ValueError) as caught:
        read_questions(path)
    assert says in str(caught.value) and "questions.json" in str(caught.value)


def test_a_file_cut_in_the_middle(tmp_path):
    path = tmp_path / "questions.json"
    path.write_text(json.dumps([GOOD])[:-9])
    with pytest.raises(ValueError, match=r"questions.json: expected questions as JSON"):
        read_questions(path)
