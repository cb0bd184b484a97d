"""The page that puts our names beside other engines' speaks of names that exist."""

import re
from pathlib import Path

import pytest

from labutils.workspace.my_engine.texts.course_engine import course_sources

PAGE = Path(__file__).resolve().parents[2] / "docs/engine_words.md"


def ours():
    """Names in the first column of the page's tables."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and not line.startswith(("| yours", "| ---")):
            for code in re.findall(r"`([^`]+)`", line.split("|")[1]):
                yield from re.findall(r"[A-Za-z_]{3,}", code)


@pytest.mark.parametrize("name", sorted(set(ours())))
def test_name_stands_in_the_engine(name):
    engine = "\n".join(course_sources().values())
    assert re.search(rf"\b{name}\b", engine), name


def test_page_has_every_table():
    assert len(set(ours())) > 30
