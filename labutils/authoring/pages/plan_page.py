"""The teaching plans on paper: ``docs/plans.html``, a sheet of A4 for each, with its own polls."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

from labutils.authoring.pages.card_page import paper
from labutils.authoring.slides.markup import block_html, inline_html
from labutils.authoring.sources.course import Course
from labutils.classroom.prepare.plans import GUIDE_PATH, Plan, read_plans
from labutils.classroom.prepare.sittings import sittings

PLANS_PATH = "docs/plans.html"
STYLE = Path(__file__).with_name("plans.css")
_SECTION = re.compile(r"^## ", flags=re.M)
_MARK = re.compile(r"^(?=<!-- plan: )", flags=re.M)
_COMMENT = re.compile(r"^<!-- .*? -->$", flags=re.M)
_WHOLE = re.compile(r"\b(talk|break|slack) (\d)")  # not broken at the end of a line
_POLL = re.compile(r"^\| (lab )?(\w+)(?:, (\d+))?(, [^|]+)? \| (.+) \|$", flags=re.M)


def plans_file(course: Course) -> dict[str, str]:
    """The file to write, by its path; none for a course without a guide."""
    guide = course.root / GUIDE_PATH
    if not guide.exists():
        return {}
    return {PLANS_PATH: plan_page(course.title, guide.read_text(encoding="utf-8"))}


def plan_page(title: str, guide: str) -> str:
    """Every plan of the guide: what is said of it, its tables, the polls of its minutes."""
    pages = (f"<section>\n{page}\n</section>" for page in _pages(guide))
    return paper(f"{html.escape(title)}: plans", STYLE, *pages)


def _pages(guide: str) -> Iterator[str]:
    polls = next((s for s in _SECTION.split(guide) if s.startswith("Polls\n")), "")
    for section in _SECTION.split(guide)[1:]:
        heading, _, text = section.partition("\n")
        before, *texts = _MARK.split(text)
        for number, plan_text in enumerate(texts):
            (plan, *_) = read_plans(plan_text)
            named = heading if len(texts) == 1 else f"{heading}: {plan.name}"
            said = before if number == 0 else ""
            said = _WHOLE.sub("\\1\u00a0\\2", _COMMENT.sub("", said + plan_text))
            yield f"<h1>{inline_html(named)}</h1>\n{block_html(said)}\n{_voted(plan, polls)}"


def _voted(plan: Plan, polls: str) -> str:
    """The polls that lie in the plan's minutes."""
    rows = [
        f"<tr><td>{inline_html(lab + label)}, {minute or 0}{inline_html(when)}</td>"
        + "".join(f"<td>{inline_html(cell)}</td>" for cell in cells.split(" | "))
        + "</tr>"
        for lab, label, minute, when, cells in _POLL.findall(polls)
        if _holds(plan, (lab + label).replace(" ", ""), int(minute or 0))
    ]
    head = "".join(f"<th>{cell}</th>" for cell in _HEAD)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f"<h2>Polls</h2>\n{table}" if rows else ""


_HEAD = ("before minute", "read aloud", "A", "B", "C", "expect", "right, and what to do")


def _holds(plan: Plan, label: str, minute: int) -> bool:
    return any(
        sitting.label == label and sitting.first <= minute and minute < (sitting.last or 10**4)
        for sitting in sittings(plan)
    )
