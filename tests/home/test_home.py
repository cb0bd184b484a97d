"""The home: what it says, where its links lead, and the page that JupyterLab opens."""

import json
from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary

from labutils.exercises import outcome, predict
from labutils.exercises.display.card import Link, Links, Table
from labutils.home import home
from labutils.home.home_page import draw
from labutils.workspace import Workspace
from labutils.workspace.folder import HOME
from labutils.workspace.outlines import outline, outlines
from labutils.workspace.routes import Part, Route

from .conftest import answered, finished

ROOT = Path(__file__).resolve().parents[2]


def test_a_fresh_learner_begins_at_the_beginning_and_hears_no_news(my):
    text = repr(home())
    assert f"0 of {len(outlines())} chapters and labs done" in text
    assert "Begin with 00 · Start here. 26 minutes." in text
    assert all(one.heading in text for one in outlines())
    assert "New in" not in text and "predictions" not in text and "engine:" not in text


def test_who_has_worked_continues_at_the_task_that_is_open(my):
    for number in ("00", "01", "02"):
        finished(number)
    answered("mm1.recursion", "right")
    text, page = repr(home()), home().html()
    assert f"3 of {len(outlines())} chapters and labs done" in text
    assert "Continue: 03 · The M/M/1 explosion. 47 of 74 minutes left, at “" in text
    assert "Then 04 · Batching sweep. 73 minutes." in text and "New in" in text
    (cell,) = {at.cell for name, at in outline("03").tasks.items() if name == "mm1.load_for_ten"}
    assert f'<a href="notebooks/03_mm1_explosion.ipynb#cell-id={cell}">' in page
    assert '<a href="notebooks/04_batching_sweep.ipynb">' in page
    assert "05_prefill" not in page  # there is no such file to open


def test_the_links_hold_from_the_folder_that_the_notebook_is_in(my, monkeypatch, tmp_path):
    monkeypatch.chdir(my / "notebooks")
    assert '<a href="04_batching_sweep.ipynb">' in home().html()
    monkeypatch.chdir(tmp_path)  # not served: a kernel elsewhere, Colab
    assert "<a " not in home().html()


def test_the_last_predictions_stand_beside_their_outcomes(my):
    predict("mm1.eight_servers", low=1, high=9)
    outcome("mm1.eight_servers", 0.9)
    row = next(line for line in repr(home()).splitlines() if "bigger fleet" in line)
    assert "1 to 9" in row and "0.9" in row and "too high" in row


def test_routes_say_what_is_left_and_open_where_the_learner_is(my, monkeypatch):
    parts = (Part("03@0-27", outline("03"), 0, 27), Part("04", outline("04"), 0, 73))
    drills = (Part("drills 20", outline("90"), 0, 20),)
    given = (
        Route("evening", "One evening", "You.", parts, "You can."),
        Route("drills", "Drills", "You.", drills, "You can."),
    )
    monkeypatch.setattr("labutils.home.home_card.routes", lambda: given)
    answered("mm1.recursion", "right")
    assert '<a href="notebooks/04_batching_sweep.ipynb">One evening</a>' in home().html()
    assert any(line.split()[:3] == ["One", "evening", "1"] for line in repr(home()).splitlines())
    finished("04")
    assert any(line.split() == ["One", "evening", "done"] for line in repr(home()).splitlines())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Your engine: 0 of"),
        ("def admits(:", "Your engine: my/engine/scheduler.py, line 1"),
    ],
)
def test_it_says_whose_lines_the_engine_has_or_what_keeps_it_from_being_read(my, text, said):
    (my / "engine").mkdir()
    if text:
        (my / "engine/scheduler.py").write_text(text)
    assert said in repr(home())


def test_markup_in_a_text_is_text():
    hostile = "<img src=x onerror=alert(1)>"
    link, table = Link(hostile, 'a"b'), Table((hostile, ""), ((hostile, hostile),), dense=True)
    for part in (table, Links(hostile, (link,), hostile), Table(("",), ((link,),))):
        assert "<img" not in part.html()
    assert link.html().startswith('<a href="a&quot;b">')


@pytest.fixture
def page(my, monkeypatch, tmp_path):
    """The learner's home as it was handed out; signatures go to a folder of the test."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    path = my / HOME
    path.write_bytes((ROOT / HOME).read_bytes())
    return path


def output_of(page: Path) -> str:
    (cell,) = json.loads(page.read_bytes())["cells"]
    return "".join(cell["outputs"][0]["data"]["text/html"])


def test_the_page_shows_the_home_before_any_cell_runs_and_is_trusted(page):
    assert draw(page)
    assert "Begin with" in output_of(page)
    notebook = nbformat.read(page, as_version=4)
    nbformat.validate(notebook)
    assert NotebookNotary().check_signature(notebook)
    assert sorted(path.name for path in page.parent.glob(".home*")) == []


def test_the_page_follows_what_was_done_and_is_left_alone_while_nothing_was(page):
    draw(page)
    before = page.stat().st_mtime_ns
    assert draw(page) and page.stat().st_mtime_ns == before
    finished("00")
    assert draw(page) and "Continue:" in output_of(page)


def test_a_home_that_the_learner_wrote_in_stays_theirs(page):
    body = json.loads(page.read_bytes())
    body["cells"][0]["source"] += "\n# mine"
    page.write_text(json.dumps(body))
    raw = page.read_bytes()
    assert not draw(page) and page.read_bytes() == raw


def test_the_home_is_an_edition_so_that_updates_and_resets_reach_it():
    workspace = Workspace(ROOT, Path("my"))
    assert workspace.editions[-1] == ROOT / HOME
    assert workspace.copy_of(workspace.editions[-1]) == Path("my") / HOME
