"""What instructors print fits its sheets: a page of A4 for each plan, one for a class's sheet."""

import re
from pathlib import Path

import pytest

from labutils.classroom.prepare.class_folder import SHEET, prepare
from labutils.classroom.prepare.plans import read_plans
from labutils.classroom.prepare.set_up import PLATFORMS
from labutils.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
PLANS = [
    plan
    for plan in read_plans((ROOT / "INSTRUCTOR.md").read_text(encoding="utf-8"))
    if plan.kind == "plan"
]


def sheets(chromium, path: Path) -> int:
    page = chromium.new_page()
    page.goto(path.as_uri())
    printed = page.pdf(prefer_css_page_size=True)
    page.close()
    return len(re.findall(rb"/Type\s*/Page\b", printed))


def test_each_plan_takes_one_sheet(chromium):
    assert sheets(chromium, ROOT / "docs" / "plans.html") == len(PLANS)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_what_a_class_gets_is_one_sheet(chromium, tmp_path, plan, monkeypatch):
    monkeypatch.setattr("labutils.classroom.prepare.class_folder._whole_course", lambda root: b"")
    for to in PLATFORMS:
        out = tmp_path / to
        address = "https://github.com/a-company/tokens-in-flight"
        prepare(address, to=to, plan=plan.name, out=out, workspace=Workspace(ROOT, ROOT / "my"))
        assert sheets(chromium, out / SHEET) == 1, to
