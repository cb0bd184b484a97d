"""The plans on paper: all of them, each with the polls of its own minutes."""

import re
from pathlib import Path

import pytest

from labutils.authoring.pages.plan_page import plan_page
from labutils.classroom.page import loads_from_elsewhere
from labutils.classroom.prepare.plans import read_plans

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "INSTRUCTOR.md").read_text(encoding="utf-8")
SMALL = """\
## One

Said before.

<!-- plan: name="one" minutes=30 -->
| start | min | part | what happens |
| --- | --- | --- | --- |
| 0:00 | 20 | `03@0-20` | Work |
| 0:20 | 10 | `lab2` | More |

<!-- cuts: name="one" -->
| lost | leave out | what it costs |
| --- | --- | --- |
| 10 min | `lab2` | much |

## Polls

| in, minute | read aloud | A | B | C | expect | right, and what to do |
| --- | --- | --- | --- | --- | --- | --- |
| 03, 0, after the sketch | First? | a | b | c | 1/2/3 | A |
| 03, 20 | Second? | a | b | c | 1/2/3 | A |
| lab 2 | Third? | a | b | c | 1/2/3 | A |
| 04, 0 | Fourth? | a | b | c | 1/2/3 | A |
"""


def test_a_page_holds_a_plan_its_cuts_and_the_polls_of_its_minutes():
    page = plan_page("Fake", SMALL)
    assert page.count("<section>") == 1 and "Said before." in page and "much" in page
    assert re.findall(r"(\w+)\?</td>", page) == ["First", "Third"]
    assert "<!--" not in page and "&lt;!--" not in page


def test_every_plan_of_the_guide_has_its_page():
    page = plan_page("Tokens", GUIDE)
    plans = [plan for plan in read_plans(GUIDE) if plan.kind == "plan"]
    assert page.count("<section>") == len(plans) == page.count("<th>leave out</th>")
    assert not loads_from_elsewhere(page)
    asked = len(re.findall(r"/\d+/\d+ \|", GUIDE))
    assert asked > 20 and len(set(re.findall(r"<td>\d+/\d+/\d+</td>", page))) > 5


@pytest.mark.parametrize("page", ["INSTRUCTOR.md", "INSTRUCTOR_CHAPTERS.md"])
def test_every_link_of_the_two_documents_leads_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = [t for t in re.findall(r"\]\(([^)\s]+)\)", text) if not t.startswith("http")]
    assert targets
    for target, _, anchor in (target.partition("#") for target in targets):
        path = ROOT / (target or page)
        assert path.is_file(), target
        headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in headings}
        assert not anchor or anchor in slugs, f"{target}#{anchor}"
