"""The card at a chapter's end: predictions, sketch, exercises, and the page that is kept."""

import re

import pytest

from labutils.drills.catalog import find
from labutils.exercises import catalog, hint, outcome, predict
from labutils.exercises.journal.journal import record
from labutils.home import recap
from labutils.topics import all_topics
from labutils.viz import Sketch, sketch as sketch_module
from labutils.workspace.outlines import outline

from .conftest import answered

TITLE = "How does mean latency grow with load?"


def test_a_chapter_that_nobody_began_has_no_recap_and_no_page(my):
    assert repr(recap("03")).startswith("03 · The M/M/1 explosion. Nothing yet.")
    assert not (my / "recaps").exists()


def test_it_says_what_hit_what_was_right_at_which_try_and_with_what_help(my):
    predict("mm1.eight_servers", low=1, high=9)
    outcome("mm1.eight_servers", 3)
    answered("mm1.recursion", "not_attempted", "raised", "wrong", "right", "right")
    answered("mm1.load_for_ten", "wrong")
    hint("mm1.load_for_ten")
    text = repr(recap("03"))
    assert "1 of 1 predictions hit, 1 of 2 exercises right." in text
    assert re.search(r"bigger fleet .* 1 to 9 +3 +hit", text)
    assert re.search(r"recursion +right at try 3 +none", text)
    assert re.search(r"ten requests wait +open after 1 try +1 hint", text)
    assert "Next: 04 · Batching sweep. 73 minutes." in text


def test_its_drills_are_about_the_chapter_and_not_met_yet(my):
    answered("mm1.recursion", "right")
    names = re.findall(r'drill\("(\w+)"\)', repr(recap("03")))
    assert len(names) == 2
    places = {topic.id: {place.path for place in topic.places} for topic in all_topics()}
    assert all(outline("03").path in places[find(name).topics[0]] for name in names)
    record({"event": "drill", "id": f"drill.{names[0]}", "seed": 3, "link": 0, "status": "right",
            "seconds": 40})  # fmt: skip
    assert names[0] not in repr(recap("03"))


@pytest.fixture
def drawn(my, monkeypatch):
    """The sketch of chapter 03, drawn and compared."""
    monkeypatch.setattr(sketch_module, "_open_sketches", {})
    sketch = Sketch((0.1, 0.5, 0.9), x_label="load", y_label="ms", y_range=(5, 2000), y_log=True,
                    x_range=(0, 1), title=TITLE)  # fmt: skip
    sketch([10, 15, 30])
    return sketch.reveal(lambda load: 10 / (1 - load), label="M/M/1", finding="It doubles at 0.5")


def test_the_sketch_is_drawn_again_from_the_journal(drawn):
    card = recap("03")
    assert f"Your sketch, “{TITLE}” {drawn.text}"[:60] in repr(card)
    assert 'alt="ms against load. M/M/1:' in card.html() and "data:image/png" in card.html()


@pytest.mark.parametrize("event", [{}, {"plot": {"x": 3}}, {"plot": {}, "values": [], "real": 1}])
def test_a_sketch_of_another_version_is_passed_over(my, event):
    record({"event": "sketch", "id": TITLE, **event})
    assert "Nothing yet" in repr(recap("03"))


def test_the_page_that_is_kept_stands_alone_and_is_replaced(drawn, my):
    text = repr(recap("03"))
    assert text.endswith("Kept, to print: my/recaps/03_mm1_explosion.html.")
    (page,) = (my / "recaps").iterdir()
    first = page.read_text(encoding="utf-8")
    assert "<title>03 · The M/M/1 explosion</title>" in first
    assert "<a " not in first and "Next: 04 · Batching sweep." in first
    answered("mm1.recursion", "right")
    recap("03")
    assert catalog.exercise("mm1.recursion").title in page.read_text(encoding="utf-8")


def test_a_disk_that_refuses_costs_the_page_alone(drawn, my, monkeypatch):
    def refuse(*_args):
        raise OSError("Read-only file system")

    monkeypatch.setattr("labutils.home.recap_card.overwrite_own", refuse)
    text = repr(recap("03"))
    assert "Your sketch" in text and "Kept" not in text


def test_an_unknown_chapter_is_named():
    with pytest.raises(ValueError, match="expected one of 00, 01"):
        recap("77")
