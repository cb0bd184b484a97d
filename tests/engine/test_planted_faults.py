"""The battery passes the engine as it is, and notices each of the faults planted in it."""

import pytest

from labutils.workspace.my_engine.texts.course_engine import course_sources
from labutils.workspace.my_engine.texts.load_pieces import load

from .battery import examine
from .faults import FAULTS


def test_the_engine_as_it_is_passes():
    examine(load(course_sources(), fresh=True))


@pytest.mark.parametrize("file, name, old, new", FAULTS, ids=[f"{f[0]}: {f[1]}" for f in FAULTS])
def test_a_planted_fault_is_noticed(file, name, old, new):
    texts = course_sources()
    assert texts[file].count(old) == 1, f"{old!r} stands {texts[file].count(old)} times in {file}"
    room = load({**texts, file: texts[file].replace(old, new)}, fresh=True)
    with pytest.raises((Exception, pytest.fail.Exception)):  # however it is noticed
        examine(room)
