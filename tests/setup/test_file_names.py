"""A file is found by its name: no more than two files of the package share one."""

from collections import Counter
from pathlib import Path

import labutils

EVERYWHERE = {"__init__.py", "__main__.py"}


def test_at_most_two_files_share_a_name():
    files = Path(labutils.__file__).parent.rglob("*.py")
    names = Counter(file.name for file in files if file.name not in EVERYWHERE)
    assert {name: count for name, count in names.items() if count > 2} == {}
