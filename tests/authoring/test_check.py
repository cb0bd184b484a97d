"""Each kind of drift between source and editions is named, with the command that mends it."""

import dataclasses
import json

import pytest

from labutils.authoring import __main__ as command
from labutils.authoring.build import build
from labutils.authoring.check import differences
from labutils.authoring.pages.readme import readme_text
from labutils.authoring.sources.course import read_course
from tests.authoring.fake_course import definitions


def spoil_notebook(course, path, change):
    file = course.root / path
    notebook = json.loads(file.read_text())
    change(notebook)
    file.write_text(json.dumps(notebook))


def only_difference(course):
    found = differences(read_course(course.root))
    assert len(found) == 1, found
    return found[0]


def test_a_fresh_build_matches(built):
    assert differences(built) == []


LEARNER, SOLVED = "notebooks/01_alpha.ipynb", "solutions/01_alpha.ipynb"
MEND = "; run: python -m labutils.authoring build 01_alpha"


@pytest.mark.parametrize(
    ("path", "change", "message"),
    [
        (LEARNER, lambda nb: nb["cells"][2].update(source="Other"), "cell 3 differs in source"),
        (LEARNER, lambda nb: nb["cells"][4]["metadata"].clear(), "cell 5 differs in tags"),
        (LEARNER, lambda nb: nb["cells"][4].update(id="abc"), "cell 5 differs in id"),
        (
            LEARNER,
            lambda nb: nb["cells"][4]["metadata"].update(scrolled=True),
            "cell 5 differs in metadata",
        ),
        (LEARNER, lambda nb: nb["metadata"].update(course={}), "the metadata differ"),
        (LEARNER, lambda nb: nb["cells"].pop(), "9 cells where the source gives 10"),
        (LEARNER, lambda nb: nb["cells"][1].update(execution_count=3), "cell 2 carries outputs"),
        (
            SOLVED,
            lambda nb: nb["cells"][5].update(execution_count=None),
            "not executed once from top to bottom",
        ),
        (
            SOLVED,
            lambda nb: nb["metadata"].update(executed_from="0"),
            "its outputs come from an older source",
        ),
        (
            SOLVED,
            lambda nb: nb["cells"][6]["outputs"].append(
                {"output_type": "stream", "name": "stderr", "text": "Warning"}
            ),
            "cell 7 writes to stderr: 'Warning'",
        ),
    ],
)
def test_drift_is_named_with_its_mend(built, path, change, message):
    spoil_notebook(built, path, change)
    assert only_difference(built) == f"{path}: {message}{MEND}"


def test_a_missing_and_a_broken_edition(built):
    (built.root / LEARNER).unlink()
    assert only_difference(built) == f"{LEARNER}: missing{MEND}"
    (built.root / LEARNER).write_text("{")
    assert "cannot be read as a notebook" in only_difference(built)


def test_a_changed_source_shows_in_both_editions(built):
    source = built.root / "solutions/01_alpha.py"
    source.write_text(source.read_text().replace("n = 40", "n = 41"))
    found = differences(read_course(built.root))
    assert [line.split(":")[0] for line in found] == [LEARNER, SOLVED]
    assert all("cell 5 differs in source" in line for line in found)


def test_another_address_is_written_everywhere_and_nothing_is_executed(built, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("executed")

    before = json.loads((built.root / SOLVED).read_text())
    settings = built.root / "data/course.json"
    settings.write_text(json.dumps({"title": "Fake", "repository": "https://github.com/us/flight"}))
    monkeypatch.setattr("labutils.authoring.build.execute", refuse)
    course = read_course(built.root)
    assert len(differences(course)) > 1
    assert build(course) == [] and differences(course) == []
    after = json.loads((built.root / SOLVED).read_text())
    assert "git+https://github.com/us/flight" in "".join(after["cells"][1]["source"])
    assert [c.get("outputs") for c in before["cells"]] == [c.get("outputs") for c in after["cells"]]


def test_a_changed_answer_shows_in_the_solution_alone(built):
    source = built.root / "solutions/01_alpha.py"
    source.write_text(source.read_text().replace("6 * 7", "7 * 6"))
    assert only_difference(built).startswith(f"{SOLVED}: cell")


def test_strays_index_and_map(built):
    (built.root / "labs/lab9_old.ipynb").write_text("{}")
    assert only_difference(built) == ("labs/lab9_old.ipynb: has no source in solutions/; remove it")
    (built.root / "labs/lab9_old.ipynb").unlink()
    (built.root / "data/topic_index.json").write_text("{}\n")
    assert only_difference(built).startswith("data/topic_index.json: differs from the topic tags")
    build(built, ["02_beta"])
    (built.root / "INDEX.md").unlink()
    assert only_difference(built).startswith("INDEX.md: differs from the topic index")
    build(built, ["02_beta"])
    readme = built.root / "README.md"
    readme.write_text(readme.read_text().replace("| 20 |", "| 30 |", 1))
    assert only_difference(built).startswith("README.md: map or routes differ")
    readme.write_text("# no markers\n")
    assert "expected the lines <!-- map:begin -->" in only_difference(built)


def test_a_notebook_that_grows_too_large_is_named(built):
    def grow(notebook):
        text = {"output_type": "stream", "name": "stdout", "text": "x" * 600_000}
        notebook["cells"][6]["outputs"] = [text]

    spoil_notebook(built, SOLVED, grow)
    assert "bytes, at most 500000" in only_difference(built)


def test_commands_return_1_and_say_why(built, capsys, monkeypatch):
    monkeypatch.setattr("labutils.authoring.lint.read_definitions", definitions)
    root = ["--root", str(built.root)]
    assert command.main([*root, "check"]) == 0
    assert "2 chapters" in capsys.readouterr().out
    (built.root / LEARNER).unlink()
    assert command.main([*root, "check"]) == 1
    assert capsys.readouterr().err == f"{LEARNER}: missing{MEND}\n"
    assert command.main([*root, "build", "no_such"]) == 1
    assert "chapter 'no_such': expected one of 01_alpha, 02_beta" in capsys.readouterr().err
    assert command.main([*root, "build", "beta"]) == 0
    assert command.main([*root, "check"]) == 1
    assert command.main([*root, "build"]) == 0
    assert command.main([*root, "check"]) == 0


def test_the_readme_says_how_to_clone_once_there_is_an_address(pristine):
    course = dataclasses.replace(pristine, repository="https://example.org/us/flight.git")
    readme = (pristine.root / "README.md").read_text()
    assert "git clone" not in readme_text(pristine, readme)
    said = readme_text(course, readme)
    assert "git clone https://example.org/us/flight.git\ncd flight\n" in said
    assert readme_text(course, said) == said
