"""What a report sends a candidate back to: a section of the course, and the same question."""

import pytest

from labutils.drills.asking.asking import Asking
from labutils.drills.catalog import templates
from labutils.drills.interview.places import section
from labutils.drills.interview.sitting import Mock
from labutils.topics import all_topics

pytestmark = pytest.mark.usefixtures("my")
EVERY = {item.id: item for item in templates()}


def test_a_section_covers_a_topic_of_its_template_and_is_no_drill():
    headings = {
        f"{place.title}, “{place.heading.removeprefix('Card: ')}”": topic.id
        for topic in all_topics()
        for place in topic.places
        if place.path.startswith(("notebooks/", "labs/", "docs/"))
    }
    found = {name: section(item) for name, item in EVERY.items()}
    assert sum(map(bool, found.values())) > 0.8 * len(found)
    assert all(not place or place.removeprefix("nearest: ") in headings for place in found.values())
    assert not any("drill(" in place for place in found.values())
    assert found["in_flight"].startswith("02 ")


def test_where_no_section_is_about_the_main_topic_the_nearest_is_named():
    assert section(EVERY["in_flight"], first="K07").startswith("nearest: ")  # only drills cover it


@pytest.mark.parametrize("terminal", [False, True])
def test_advice_is_spelled_for_where_the_candidate_sits(terminal):
    asked = [
        Asking(EVERY[name], 5, mock="m", terminal=terminal) for name in ("in_flight", "busy_share")
    ]
    sitting = Mock(asked)
    for _ in asked:
        sitting.quiet_skip()
    advice = "\n".join(sitting.quiet_report().advice())
    call = "labutils drill in_flight --seed 5" if terminal else 'drill("in_flight", seed=5)'
    assert call in advice and section(EVERY["in_flight"]) in advice
    assert ("drill(" in advice) is not terminal
