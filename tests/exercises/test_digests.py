"""Exercises say what they said when digests.json was written, to the letter."""

import json

import pytest

from tests.exercises import digests

KNOWN = json.loads(digests.RECORD.read_text(encoding="utf-8"))


def test_the_record_is_of_the_whole_catalogue():
    assert set(KNOWN) == set(digests.chapters())


@pytest.mark.parametrize("wanted", KNOWN)
def test_texts_are_as_they_were(wanted):
    assert digests.digest_of_texts(wanted) == KNOWN[wanted].split()[0]


@pytest.mark.rotates
@pytest.mark.parametrize("wanted", [one for one in KNOWN if " " in KNOWN[one]])
def test_verdicts_are_as_they_were(wanted):
    assert digests.digest_of_verdicts(wanted) == KNOWN[wanted].split()[1]
