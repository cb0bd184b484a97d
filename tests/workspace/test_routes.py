"""Routes by goal: what their parts are, how long they take, and what cannot be read."""

import json
from itertools import pairwise

import pytest

from labutils.workspace.outlines import Outline, Stretch, outlines
from labutils.workspace.routes import duration, routes


def known(name, heading, *edges):
    stretches = tuple(Stretch(first, last, {}) for first, last in pairwise(edges))
    return Outline(name, heading, f"notebooks/{name}.ipynb", False, stretches, {}, ())


KNOWN = (
    known("03_q", "03 · Queues", 0, 27, 37, 74),
    known("lab4_b", "Lab 4 · Batcher", 0, 58, 82),
    known("90_d", "90 · Drills", 0, 150),
)


def with_parts(tmp_path, *parts):
    entry = {"id": "one", "title": "One", "who": "You.", "parts": parts, "after": "You can."}
    path = tmp_path / "routes.json"
    path.write_text(json.dumps([entry]))
    return routes(path, KNOWN)


def test_whole_chapters_stretches_and_drills_add_up(tmp_path):
    [route] = with_parts(tmp_path, "03@27-37", "lab4", "drills 20")
    assert [part.minutes for part in route.parts] == [10, 82, 20] and route.minutes == 112
    assert [part.is_whole for part in route.parts] == [False, True, False]
    assert [part.is_drills for part in route.parts] == [False, False, True]
    assert [part.chapter.label for part in route.parts] == ["03", "Lab 4", "90"]
    said = [part.stretch for part in route.parts]
    assert said == [" from 27 to minute 37", "", " for 20 min"]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("03@27", "route 'one': cannot read '03@27'; expected 03, 03@0-37 or drills 20"),
        ("04", "route 'one': '04': no chapter '04'; known are 03, lab4, 90"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, part, message):
    with pytest.raises(ValueError) as error:
        with_parts(tmp_path, part)
    assert str(error.value) == message


def test_the_course_offers_five_and_knows_the_minutes_of_every_chapter():
    goals = [route.id for route in routes()]
    assert goals == ["evening", "interview", "service", "engine", "teach"]
    for chapter in outlines():
        edges = [0, *(stretch.last for stretch in chapter.stretches)]
        assert edges == sorted(set(edges))
        assert [stretch.first for stretch in chapter.stretches] == edges[:-1]


def test_a_course_may_have_no_routes(tmp_path):
    assert routes(tmp_path / "routes.json", KNOWN) == ()


def test_minutes_as_a_person_says_them():
    said = [duration(minutes) for minutes in (0, 45, 60, 200)]
    assert said == ["0 min", "45 min", "1 h", "3 h 20 min"]
