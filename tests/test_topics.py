"""The topic catalogue and its index: what the course covers, and where, can be looked up."""

import json
from pathlib import Path

import pytest

from labutils import topics

ROOT = Path(__file__).resolve().parents[1]
SIZES = "A20 B27 C23 D12 E13 F10 G6 H16 I13 J6 K8 L21 M13 N4 O22 P10 Q11 R8 S5 T15 U18"
CHAPTER_3 = "B07 B08 B09 B10 C03 C13 C15 C23 I08 M03 M05 N04 O04 O10 O12 O13 S02 T07 U12"


def test_every_topic_has_one_title():
    titles = json.loads((ROOT / "data/topics.json").read_text(encoding="utf-8"))
    wanted = [f"{size[0]}{k:02}" for size in SIZES.split() for k in range(1, int(size[1:]) + 1)]
    assert list(titles) == wanted
    assert len(set(titles.values())) == len(titles) == 281
    for topic, title in titles.items():
        assert 15 <= len(title) <= 130 and title == title.strip() and not title.endswith("."), topic


@pytest.mark.parametrize("topic_id", CHAPTER_3.split())
def test_topics_of_chapter_3_are_found_through_the_index(topic_id):
    places = topics.where(topic_id).places
    assert "notebooks/03_mm1_explosion.ipynb" in {place.path for place in places}
    assert all((ROOT / place.path).exists() and place.heading for place in places)


@pytest.fixture
def small(monkeypatch):
    place = {"path": "notebooks/01_alpha.ipynb", "title": "01 · Alpha", "heading": "Counting"}
    files = {
        "topics.json": {"A01": "Hedged requests", "B07": "Utilization: ρ = λ/μ", "C02": "Hedges"},
        "topic_index.json": {"B07": [place], "C02": [place, {**place, "heading": "More"}]},
    }
    monkeypatch.setattr(topics, "_read", files.__getitem__)


def test_find_searches_titles_and_shows_places(small):
    found = topics.find("HEDGE")
    assert [topic.id for topic in found] == ["A01", "C02"]
    assert repr(found) == (
        "A01  Hedged requests\n"
        "     no chapter covers it yet\n"
        "C02  Hedges\n"
        "     01 · Alpha, “Counting” (notebooks/01_alpha.ipynb)\n"
        "     01 · Alpha, “More” (notebooks/01_alpha.ipynb)"
    )
    assert [topic.id for topic in topics.find("requests hedged")] == ["A01"]
    assert topics.find("zebra") == () and repr(topics.find("zebra")) == "no topics"


def test_find_searches_headings_and_shows_the_places_that_hold_the_word(small):
    found = topics.find("more")
    assert [(topic.id, len(topic.places)) for topic in found] == [("C02", 1)]
    assert found[0].places[0].heading == "More"
    assert [topic.id for topic in topics.find("counting")] == ["B07", "C02"]


def test_where_takes_an_id(small):
    assert topics.where(" b07 ").places[0].heading == "Counting"
    assert topics.where("A01").places == ()


def test_open_topics_are_those_without_a_place(small):
    assert [topic.id for topic in topics.open_topics()] == ["A01"]


def test_bad_input_is_named(small):
    with pytest.raises(ValueError, match=r"topic_id = 'B70': expected a topic such as B07"):
        topics.where("B70")
    with pytest.raises(ValueError, match=r"text = '  ': expected at least one word"):
        topics.find("  ")


def test_titles_teach_no_fault():
    """Figures that the sources print wrongly stand right in the titles."""
    right = {
        "S02": "0.9161",
        "C13": "no steady state",
        "O04": "ρ > 1",
        "C04": "1850",
        "M01": "5 ms",
    }
    for topic, figure in right.items():
        assert figure in topics.where(topic).title
    assert "exponential" not in " ".join(t.title.lower() for t in topics.all_topics())
