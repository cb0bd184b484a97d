"""A class file holds words of the course and measured numbers, and nothing of an answer."""

import inspect
import json
import re

import pytest
from hypothesis import given, settings, strategies as st

from labutils.__main__ import main
from labutils.authoring.sources.definitions import read_definitions
from labutils.classroom import vocabulary
from labutils.classroom.handover import export, exported, learner_token
from labutils.classroom.line import Line
from labutils.drills.catalog import templates
from labutils.drills.judging.judging import judge
from labutils.drills.session import drill
from labutils.exercises import check, hint, outcome, predict, reveal
from labutils.exercises.checkers.code import slip_rules
from labutils.exercises.definition.verdict import Status
from labutils.exercises.journal.journal import events, record
from tests.classroom.pupils import START, at, diary, event
from tests.proofs.sheet import proofs_in
from tests.rotation import in_turn

WIDE = in_turn(__file__)

TOKEN = "0123456789abcdef"
NUMBERS = {"v", "n", "of", "t_s", "hints", "seconds", "seed", "link"}
FLAGS = {"revealed", "held", "point"}
EXERCISES = ("mm1.load_for_ten", "mm1.story", "phases.techniques", "continuous.by_hand", "mm1.peak")
SECRET = "zq Ada Lovelace, 10 Downing Street 8675309"


def words_only(text):
    """Whether every line is made of known fields, known words and numbers."""
    for line in text.splitlines():
        said = json.loads(line)
        assert set(said) <= {
            *NUMBERS,
            *FLAGS,
            "learner",
            "event",
            "id",
            "status",
            "diagnosis",
            "mode",
        }
        assert all(type(said[name]) is bool for name in FLAGS & set(said))
        assert all(type(said[name]) in (int, float) for name in NUMBERS & set(said))
        assert said["learner"] == TOKEN
        assert said["event"] in vocabulary.EVENTS
        known = {*vocabulary.exercises(), *vocabulary.predictions()}
        assert said["id"] in known or vocabulary.is_drill(said["id"])
        assert said.get("status", "right") in list(Status)
        assert said.get("mode", "exact") in ("exact", "rough")
        names = vocabulary.mistakes_of(said["id"], said.get("seed", 0), said.get("link", 0))
        assert said.get("diagnosis", "other") in {"other", *names}
    return True


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(SECRET),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
some_id = st.sampled_from(
    [*EXERCISES, "mm1.recovery", "drill.in_flight", "drill.nothing", "mm1.nothing", SECRET]
)
some_event = st.fixed_dictionaries(
    {"event": st.sampled_from([*vocabulary.EVENTS, "class_token", SECRET]), "id": some_id | odd},
    optional={
        "at": st.just(at(77)) | st.text() | odd,
        "by": odd,
        "status": st.sampled_from(list(vocabulary.STATUSES)) | odd,
        "diagnosis": st.just("rounded-down") | odd,
        **dict.fromkeys(("value", "seconds", "hints", "low", "high", "answer", "text"), odd),
        **dict.fromkeys(("held", "point", "revealed", "seed", "link", "mode", "level"), odd),
    },
)


@settings(max_examples=80 if WIDE else 20, deadline=None)
@given(st.lists(some_event, max_size=6))
def test_no_text_of_a_store_reaches_the_file(store):
    text = exported([json.loads(json.dumps(one, default=str)) for one in store], TOKEN)
    assert words_only(text)
    assert "Lovelace" not in text


@pytest.fixture
def my(tmp_path, monkeypatch):
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path / "my"))
    return tmp_path / "my"


def test_no_answer_reaches_the_file(my, capsys):
    tried = 25 if WIDE else 8

    @settings(max_examples=tried, deadline=None)
    @given(st.sampled_from(EXERCISES), odd, st.text())
    def hand_in(exercise_id, answer, word):
        check(exercise_id, answer)
        check(exercise_id, SECRET + word)
        check(exercise_id, {SECRET: answer}, step=word)

    hand_in()

    def raises(arrivals, services):
        raise ValueError(SECRET)

    check("mm1.recursion", raises)
    check("mm1.load_for_ten", 86753.09)
    predict("mm1.recovery", SECRET)
    predict("mm1.recovery", low="86753 s", high="86754 s")
    outcome("mm1.recovery", 31.25)
    hint("mm1.peak")
    reveal("mm1.peak")
    assert any("Lovelace" in json.dumps(one) or "86753" in json.dumps(one) for one in events())
    text = exported(events(), TOKEN)
    assert words_only(text) and len(text.splitlines()) > 3 * tried + 5
    assert not any(part in text for part in ("Lovelace", "86753", "31.25", "Downing"))


def test_no_answer_to_a_drill_reaches_the_file(my):
    session = drill("in_flight", seed=41)
    for answer in (SECRET, "86753.09", {SECRET: 1}, "86753.09 " + SECRET, session.drill.answer):
        session.check(answer, inside=SECRET)
    session = drill("in_flight", seed=42)
    session.predict(86753, 86754)
    session.hint()
    session.check(f"{session.drill.mistakes[0].value!r}")
    session.check(session.drill.answer)
    text = exported(events(), TOKEN)
    assert words_only(text)
    assert not any(part in text for part in ("Lovelace", "86753", repr(session.drill.answer)))
    drills = [json.loads(line) for line in text.splitlines()]
    assert {line["seed"] for line in drills} == {41, 42}
    (named,) = [line for line in drills if line.get("diagnosis") and line["seed"] == 42]
    assert (named["diagnosis"], named["hints"]) == (session.drill.mistakes[0].name, 1)


def wrong_ways(drill, link=0):
    """Each wrong number and each wrong option of a drill and its follow-ups, with its message."""
    right = drill.options.right if drill.options else None
    for mistake in drill.mistakes:
        yield link, drill, (mistake.value, right), mistake.message
    for letter, message in (drill.options.against if drill.options else {}).items():
        given = (letter, None) if drill.answer is None else (drill.answer, letter)
        yield link, drill, given, message
    if drill.follow_up:
        yield from wrong_ways(drill.follow_up, link + 1)


@pytest.mark.parametrize("seed", [3, 20])
def test_every_named_mistake_of_every_drill_has_its_message(seed):
    for template in templates():
        for link, asked, answer, message in wrong_ways(template.drill(seed)):
            verdict = judge(asked, *answer)
            item_id = f"drill.{template.id}"
            said = {"status": verdict.status.value, "diagnosis": verdict.diagnosis}
            store = [event("drill", item_id, 1, seed=seed, link=link, mode="exact", **said)]
            line = json.loads(exported(store, TOKEN))
            known = vocabulary.mistakes_of(item_id, seed, link)
            assert known.get(line["diagnosis"]) == message, (template.id, link, verdict.diagnosis)


def test_no_time_of_day_and_no_writer_reach_the_file():
    text = exported(diary(3), TOKEN)
    assert words_only(text)
    assert str(START.year) not in text and "f00d" not in text
    first, *_, last = (json.loads(line) for line in text.splitlines())
    assert first["t_s"] == 0 and last["t_s"] > 600


def test_a_line_says_what_the_store_says():
    store = [
        event("hint", "mm1.peak", 1.4, level=1),
        event("check", "mm1.peak", 8.5, status="wrong", diagnosis=None, seconds=0.26, value=3),
        event("hint", "mm1.launch", 9.0, level=1),
        event("hint", "mm1.peak", 9.0, level=2),
        event("check", "mm1.peak", 71.5, status="misconception", diagnosis="my-own-word"),
        event("drill_predict", "drill.in_flight", 80, low=1, high=2, held=False, seed=7, link=0),
    ]
    lines = [json.loads(line) for line in exported(store, TOKEN).splitlines()]
    assert [line["t_s"] for line in lines] == [0, 7, 8, 8, 70, 79]
    assert [line.get("hints") for line in lines] == [None, 1, None, None, 2, None]
    assert lines[1]["seconds"] == 0.3 and "diagnosis" not in lines[1]
    assert lines[4]["diagnosis"] == "other"
    assert lines[5]["held"] is False and lines[5]["point"] is False and lines[5]["seed"] == 7
    assert {line["of"] for line in lines} == {6} and [line["n"] for line in lines] == [*range(6)]


def mistakes_with_a_name():
    for slug in read_definitions().exercises:
        for exercise_id, proof in proofs_in(slug).items():
            for _, expected in proof.mistakes.values():
                if not isinstance(expected, Status):
                    yield exercise_id, expected


def test_every_diagnosis_that_a_proof_knows_has_its_word_and_its_question():
    found = list(mistakes_with_a_name())
    assert len(found) > 150
    missing = [
        (i, name) for i, name in found if not vocabulary.mistakes_of(i).get(name, "").strip()
    ]
    assert missing == []


def test_every_rule_for_slips_has_its_word():
    source = inspect.getsource(slip_rules)
    names = set(re.findall(r'Rule\(\s*"([a-z-]+)"', source))
    assert len(names) > 12 and names <= set(vocabulary.GENERAL)


def test_a_later_export_has_the_same_token_and_replaces_the_file(my):
    record({"event": "check", "id": "mm1.peak", "status": "wrong", "diagnosis": None})
    path, first = export()
    assert path.parent == my and path.read_text() == first
    assert export(path)[1] == first
    record({"event": "check", "id": "mm1.peak", "status": "right", "diagnosis": None})
    again, second = export()
    assert again == path and path.read_text() == second and len(second.splitlines()) == 2
    assert json.loads(second.splitlines()[0])["learner"] == learner_token()
    assert learner_token() in path.name and list(my.glob("class-*")) == [path]


def test_nothing_else_is_overwritten(my, tmp_path):
    record({"event": "check", "id": "mm1.peak", "status": "wrong", "diagnosis": None})
    diary_of_mine = tmp_path / "notes.txt"
    diary_of_mine.write_text("dear diary\n")
    with pytest.raises(FileExistsError, match="no earlier export"):
        export(diary_of_mine)
    assert diary_of_mine.read_text() == "dear diary\n"


def test_the_terminal_prints_exactly_what_it_writes(my, tmp_path, capfdbinary):
    progress = my / "progress"
    progress.mkdir(parents=True)
    store = [{**one, "typed": SECRET} for one in diary(5, parts=1, drills=1)]
    progress.joinpath("a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in store))
    assert main(["progress", "export", str(tmp_path / "out.jsonl")]) == 0
    printed, about = capfdbinary.readouterr()
    assert printed == (tmp_path / "out.jsonl").read_bytes()
    assert len(printed.splitlines()) == len(store)
    assert b"Lovelace" not in printed and b"out.jsonl" in about


def test_lines_read_back_as_they_were_written():
    from labutils.classroom.line import read

    for text in exported(diary(11), TOKEN).splitlines():
        line = read(text)
        assert isinstance(line, Line) and line.text() == text
