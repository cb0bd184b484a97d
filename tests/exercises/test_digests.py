"""Exercises say what they said when digests.json was written, to the letter.

The record holds verdicts as well; ``python -m tests.exercises.digests record`` judges all anew, in
a quarter of an hour, and git shows what differs.
"""

import json

import pytest

from tests.exercises import digests

KNOWN = json.loads(digests.RECORD.read_text(encoding="utf-8"))


def test_the_record_is_of_the_whole_catalogue():
    assert set(KNOWN) == set(digests.chapters())


@pytest.mark.parametrize("wanted", KNOWN)
def test_texts_are_as_they_were(wanted):
    assert digests.digest_of_texts(wanted) == KNOWN[wanted].split()[0]
