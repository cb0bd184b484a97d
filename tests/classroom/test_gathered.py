"""Files of a class in any order, twice, damaged, older: the same learners come out."""

import json
import random

from hypothesis import given, settings, strategies as st

from labutils.classroom.counts import tally
from labutils.classroom.gathered import gather, gather_texts
from labutils.classroom.handover import exported
from tests.classroom.pupils import diary

TOKENS = ("0000000000000001", "00000000000000a2", "fffffffffffffff3")
FILES = [exported(diary(seed), token) for seed, token in enumerate(TOKENS)]
EARLIER = exported(diary(1)[:9], TOKENS[1])
LINES = [line for text in FILES for line in text.splitlines()]


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.lists(st.sampled_from([*FILES, EARLIER]), max_size=5))
def test_neither_order_nor_doubles_matter(chance, doubles):
    texts = [line for text in [*FILES, EARLIER, *doubles] for line in text.splitlines()]
    expected = gather_texts([*LINES, *EARLIER.splitlines()])
    chance.shuffle(texts)
    assert gather_texts(texts) == expected
    assert expected.learners == gather_texts(LINES).learners
    assert expected.num_superseded == 9 and expected.num_lost == expected.num_damaged == 0


def test_the_report_is_the_same_too():
    texts = LINES * 2
    random.Random(4).shuffle(texts)
    assert tally(gather_texts(texts)) == tally(gather_texts(LINES))


def test_a_report_can_be_made_of_a_report():
    gathered = gather_texts([*LINES, *EARLIER.splitlines()])
    assert gather_texts(gathered.text().splitlines()).learners == gathered.learners


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=60) | st.binary(max_size=40), st.integers(0, len(FILES[2]) - 1))
def test_damage_costs_the_damaged_lines_alone(noise, cut):
    noise = noise.decode("latin-1") if isinstance(noise, bytes) else noise
    torn = FILES[2][:cut]
    found = gather_texts(
        [*LINES[: -len(FILES[2].splitlines())], *noise.splitlines(), *torn.splitlines()]
    )
    whole = torn.count("\n")
    assert found.learners[:2] == gather_texts(LINES).learners[:2]
    if whole:
        kept = found.learners[2]
        assert kept[:whole] == gather_texts(LINES).learners[2][:whole]
        assert found.num_lost == kept[0].of - len(kept)


def test_files_of_other_versions_and_encodings_are_read(tmp_path):
    later = json.loads(FILES[0].splitlines()[0]) | {"v": 9, "mood": "fine", "id": "new.exercise"}
    older = {
        "learner": TOKENS[1],
        "n": 0,
        "of": 1,
        "event": "check",
        "id": "old.one",
        "status": "right",
    }
    strange = [json.dumps(later), json.dumps(older), '{"v": 1, "event": "check"}', "[1]", "null"]
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(strange).encode() + b"\xff\n")
    found = gather([tmp_path / "a.jsonl"])
    assert [line.id for line in found.lines] == ["new.exercise", "old.one"]
    assert found.num_damaged == 3
    report = tally(found)
    assert {item.title for item in report.exercises} >= {"old.one"}


def test_a_hostile_line_is_no_line():
    good = json.loads(FILES[0].splitlines()[0])
    for field, value in {
        "id": "<script>alert(1)</script>",
        "diagnosis": "<b>bold</b> text with blanks",
        "status": ["right"],
        "event": {"check": 1},
        "learner": "Ada Lovelace....",
        "n": 10**12,
    }.items():
        assert gather_texts([json.dumps(good | {field: value})]).num_damaged == 1, field
    long = json.dumps(good | {"seconds": 1e300, "t_s": -4, "held": "yes", "mode": ["exact"]})
    (line,) = gather_texts([long]).lines
    assert (line.seconds, line.t_s, line.held, line.mode) == (None, None, None, None)
