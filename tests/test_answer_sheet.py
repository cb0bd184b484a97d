"""A sheet of answers, read: of strangers, and of a proof."""

from fractions import Fraction

import pytest

from labutils.exercises.definition.verdict import Status
from tests import answer_sheet
from tests.answers import sheet
from tests.answers.answer import Answer
from tests.proofs import sheet as proofs

BASE = "def area(a, b):\n    total = a * b\n    return total"
TEXT = """\
exercise: some.value
    HALF = 0.5
wrong: twice [scale, !idle] = 4 * HALF
right: exact = Fraction(1, 2)

exercise: some.code
    def area(a, b):
        total = a * b
        return total
wrong: a sum
    [sum, !product]
    ~ a * b => a + b
wrong: in two steps
    -     total = a * b
    +     total = a
    +     total = total * a
wrong: noted
          total = a * b
    +     print(total)
wrong: at once
        return a * a
right: the base
right: as a lambda
    area = lambda a, b: a * b
exercise: some.code
wrong: of another writer
    ~ a * b => a
"""


PROOF = """\
import statistics
LEAST = 2

exercise: some.code
    def area(a, b):
        return a * b
wrong: a mean [a-mean] ~ a * b => statistics.mean([a, b])
wrong: a number [Status.unreadable] = LEAST + 1
right: the base
equivalent: no rectangle has such a side
    return a * b =>
      return b * a
"""


@pytest.fixture(autouse=True)
def text(tmp_path, monkeypatch):
    (tmp_path / "some.txt").write_text(TEXT)
    (tmp_path / "proof.txt").write_text(PROOF)
    monkeypatch.setattr(sheet, "HERE", tmp_path)
    monkeypatch.setattr(proofs, "HERE", tmp_path)


def test_values_stand_behind_the_equals_sign():
    assert list(sheet.answers_of("some", "some.value")) == [
        Answer("some.value", False, "twice", 2.0, ("scale",), ("idle",), rank=1),
        Answer("some.value", True, "exact", Fraction(1, 2)),
    ]


def test_code_is_given_in_full_or_builds_on_the_base():
    assert [one.given for one in sheet.answers_of("some", "some.code")] == [
        BASE.replace("a * b", "a + b"),
        "def area(a, b):\n    total = a\n    total = total * a\n    return total",
        "def area(a, b):\n    total = a * b\n    print(total)\n    return total",
        "def area(a, b):\n    return a * a",
        BASE,
        "area = lambda a, b: a * b",
        "area = lambda a, b: a",
    ]


def test_labels_may_stand_below_and_each_writer_is_ranked():
    answers = list(sheet.answers_of("some", "some.code"))
    assert (answers[0].true, answers[0].false) == (("sum",), ("product",))
    assert [one.rank for one in answers] == [1, 2, 3, 4, 0, 0, 1]


def test_a_patch_names_the_line_that_the_base_lacks():
    with pytest.raises(ValueError, match="'- c': expected such a line"):
        answer_sheet._code("a\nb", "- c")


def test_a_line_that_begins_no_answer_is_named():
    with pytest.raises(ValueError, match="'wrong: '"):
        list(answer_sheet._parts("wrong: \n"))


def test_a_proof_says_what_each_mistake_is_told():
    proof = proofs.proofs_in("proof")["some.code"]
    (code, name), number = proof.mistakes["a mean"], proof.mistakes["a number"]
    assert (code.text, name) == ("def area(a, b):\n    return statistics.mean([a, b])", "a-mean")
    assert code.names["statistics"] and number == (3, Status.unreadable)
    assert proof.alternatives["the base"].text == "def area(a, b):\n    return a * b"
    assert proof.equivalent == {"return a * b => return b * a": "no rectangle has such a side"}
