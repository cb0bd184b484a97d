"""Rooms import from rooms below alone, and no two files import each other in a circle."""

from pathlib import Path

import pytest

import labutils
from tests.setup.floors import House

DOOR = '''"""A toy.

1. low: ``ground``,
   ``walls``
2. high: ``roof``, ``__main__``
"""'''

TOY = {
    "__init__.py": DOOR,
    "ground.py": "import math",
    "walls/__init__.py": "from .brick import one",
    "walls/brick.py": "from toy.ground import floor\none = 1",
    "roof/__init__.py": "",
    "roof/tile.py": "from toy import walls\nfrom .beam import wood",
    "roof/beam.py": "import toy.walls.brick",
    "__main__.py": "from toy.roof import tile",
}


@pytest.fixture
def built(tmp_path):
    """Builds the toy with some files changed or added, and reads it."""

    def build(changed: dict[str, str] | None = None) -> House:
        for name, text in {**TOY, **(changed or {})}.items():
            path = tmp_path / "toy" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return House.at(tmp_path / "toy")

    return build


def places(found: list[str]) -> list[str]:
    """Findings without the folder in front."""
    return [line.rpartition("toy/")[2] for line in found]


def test_a_tidy_house_has_no_findings(built):
    toy = built()
    assert toy.rooms() == ["ground", "walls", "roof", "__main__"]
    assert toy.upward() == [] and toy.unlisted() == set()
    assert toy.circles() == toy.circles_of_rooms() == []


@pytest.mark.parametrize(
    "planted",
    [
        "from toy.roof import tile",
        "from toy.roof.tile import wood",
        "import toy.roof.tile",
        "from ..roof import tile",
        "def late():\n    from toy.roof import tile",
        "if TYPE_CHECKING:\n    from toy.roof.tile import wood",
    ],
)
def test_an_upward_import_is_found_wherever_it_stands(built, planted):
    line = planted.count("\n") + 1
    (found,) = places(built({"walls/brick.py": planted}).upward())
    assert found.startswith(f"walls/brick.py:{line} imports toy.roof")


def test_within_a_floor_the_order_counts(built):
    toy = built({"ground.py": "from toy import walls"})
    assert places(toy.upward()) == ["ground.py:1 imports toy.walls"]


def test_the_door_of_the_house_imports_no_room(built):
    toy = built({"__init__.py": f"{DOOR}\nfrom toy import ground"})
    assert places(toy.upward()) == ["__init__.py:7 imports toy.ground"]


def test_a_room_that_is_not_listed_is_found_with_what_leads_there(built):
    toy = built({"attic.py": "from toy import ground", "__main__.py": "from toy import attic"})
    assert toy.unlisted() == {"attic"}
    assert places(toy.upward()) == [
        "__main__.py:1 imports toy.attic",
        "attic.py:1 imports toy.ground",
    ]


def test_circles_between_files_and_between_rooms_are_found(built):
    planted = {
        "roof/beam.py": "def late():\n    from toy.roof import nail",
        "roof/nail.py": "from toy.roof.tile import wood",
        "roof/left/one.py": "from toy.roof.right.two import x",
        "roof/left/three.py": "x = 1",
        "roof/right/two.py": "from toy.roof.left import three",
    }
    toy = built(planted)
    assert toy.circles() == [("toy.roof.beam", "toy.roof.nail", "toy.roof.tile")]
    assert toy.circles_of_rooms() == [("toy.roof.left", "toy.roof.right")]


@pytest.fixture(scope="module")
def house() -> House:
    return House.at(Path(labutils.__file__).parent)


def test_every_room_is_listed_and_every_room_listed_is_there(house):
    assert house.unlisted() == set()
    there = {house.room_of(module) for module in house.modules} - {""}
    assert sorted(house.rooms()) == sorted(there)


def test_no_room_imports_from_one_above(house):
    assert house.upward() == []


def test_no_files_run_in_a_circle(house):
    assert house.circles() == []


def test_no_rooms_run_in_a_circle(house):
    assert house.circles_of_rooms() == []
