"""What a change may have reached is always in turn: a toy course with one of each path."""

from pathlib import Path

import pytest

from tests.rotation.reach import Graph, sources
from tests.rotation.small_course import ALPHA, BETA, PAGES, TOY, built
from tests.setup.floors import reach

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "changed, reached",
    [
        ("labutils/leaf.py", {ALPHA, "tests/test_command.py"}),  # inside a function; by its name
        ("labutils/room/lamp.py", {ALPHA}),  # through a lazy door
        ("labutils/room/chair.py", set()),
        ("labutils/pieces.py", {BETA}),
        ("labutils/kinds/a.py", {PAGES}),  # by the folder's conftest, by a computed name
        ("labutils/alone.py", set()),
        ("labutils/__init__.py", {ALPHA, BETA, PAGES, "tests/test_command.py"}),
        ("labutils/exercises/catalog/alpha/one.py", {ALPHA, BETA}),  # beta shows all progress
        ("labutils/exercises/catalog/beta.py", {BETA}),
        ("labutils/exercises/catalog/gamma.py", {ALPHA, BETA}),  # by the id of its exercise
        ("labutils/drills/catalog/queue.py", {BETA}),
        ("tests/proofs/alpha/one.txt", {ALPHA}),
        ("tests/proofs/alpha.txt", {ALPHA}),
        ("tests/answers/alpha.txt", {ALPHA}),
        ("solutions/01_alpha.ipynb", {ALPHA}),
        ("labs/02_beta.ipynb", {BETA}),
        ("data/prices.json", {ALPHA}),
        ("data/models/small/weights.bin", {BETA, PAGES}),  # by the folder
        ("scripts/build.py", {"tests/test_command.py"}),
    ],
)
def test_a_change_reaches_what_rests_on_it(tmp_path, changed, reached):
    roots = {ALPHA, BETA, PAGES, "tests/test_command.py"}
    assert built(tmp_path).reached([changed]) & roots == reached


def test_a_door_above_a_module_reaches_it(tmp_path):
    graph = built(tmp_path, {**TOY, "labutils/chest.py": "import labutils.room.chair"})
    assert "labutils/chest.py" in graph.reached(["labutils/room/__init__.py"])
    assert "labutils/chest.py" in graph.reached(["labutils/room/lamp.py"])  # which the door loads


def test_a_change_reaches_itself_and_a_new_file_is_known(tmp_path):
    assert built(tmp_path).reached(["labutils/alone.py"]) == {"labutils/alone.py"}
    assert "labutils/new.py" in built(tmp_path, {"labutils/new.py": ""}).needs


@pytest.fixture(scope="module")
def course() -> Graph:
    """The graph of this checkout."""
    return Graph(ROOT)


@pytest.mark.full
def test_every_chapter_rests_on_what_is_its_own(course):
    for slug, source in sources(ROOT).items():
        below = reach(source, course.needs)
        assert f"solutions/{Path(source).stem}.ipynb" in below
        catalog = f"labutils/exercises/catalog/{slug}"
        assert any(file.startswith((f"{catalog}.py", f"{catalog}/")) for file in below)


@pytest.mark.full
def test_the_passages_that_each_change_of_a_text_writes_reach_those_who_read_them(course):
    reached = course.reached(["data/corpus.jsonl"])
    assert {sources(ROOT)["where_the_time_goes"], "tests/retrieval/test_search.py"} <= reached
    assert not {sources(ROOT)[slug] for slug in ("littles_law", "paged_kv_cache")} & reached


@pytest.mark.full
def test_drills_that_a_chapter_shows_are_those_it_names(course):
    """The rule for a whole catalogue: nothing but a chapter's own cells opens the drills."""
    for source in sources(ROOT).values():
        opens = "labutils/drills/catalog/__init__.py" in reach(source, course.needs)
        assert opens == ("labutils.drills" in (ROOT / source).read_text())


@pytest.mark.full
def test_a_chapter_rests_on_no_exercises_but_its_own_and_those_it_names(course):
    own = "labutils/exercises/catalog/littles_law"
    reached = course.reached([file for file in course.needs if file.startswith(own)])
    found = {file for file in reached if file.startswith("solutions/") and file.endswith(".py")}
    assert found == {
        sources(ROOT)[slug] for slug in ("littles_law", "start_here", "kv_cache_memory")
    }
