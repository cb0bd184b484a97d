"""Every drill is what it was: a digest of all fields, 300 seeds a template, follow-ups included.

A run that changes a text on purpose writes the digests of those templates anew:
``python -m tests.drills.test_equal_drills ID ...`` (all of them without an id).
"""

import hashlib
import json
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from labutils.drills.catalog import find, templates
from tests.rotation import in_turn

FILE = Path(__file__).with_name("equal_drills.json")
FEW, ALL = 10, 300


def plain(value):
    """A value whose text says all: numbers as floats, the fields of a drill and its parts."""
    if is_dataclass(value):
        return [[field.name, plain(getattr(value, field.name))] for field in fields(value)]
    if isinstance(value, dict):
        return [[key, plain(item)] for key, item in value.items()]
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, str | bool | None):
        return value
    return repr(float(value))


def digests(template, seeds: int) -> list[str]:
    """The digest of the first few seeds, and that of all ``seeds``."""
    sha = hashlib.sha256()
    found = []
    for seed in range(seeds):
        sha.update(json.dumps(plain(template.drill(seed))).encode())
        if seed + 1 in (FEW, ALL):
            found.append(sha.hexdigest()[:16])
    return found


@pytest.mark.parametrize("id", json.loads(FILE.read_text()))
def test_every_drill_is_what_it_was(id):
    known = json.loads(FILE.read_text())[id]
    found = digests(find(id), ALL if in_turn(__file__, unit=id) else FEW)
    assert found == known[: len(found)]


def test_no_template_is_gone():
    assert set(json.loads(FILE.read_text())) <= {item.id for item in templates()}


def write(ids: list[str]) -> None:
    """Digests of those templates, or of all, one to a line."""
    known = json.loads(FILE.read_text()) if ids else {}
    known |= {item: digests(find(item), ALL) for item in ids or [t.id for t in templates()]}
    lines = [f"{json.dumps(item)}: {json.dumps(known[item])}" for item in sorted(known)]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    write(sys.argv[1:])
