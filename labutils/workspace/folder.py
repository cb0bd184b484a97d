"""A checkout of the course, and the learner's folder that it fills."""

import os
from dataclasses import dataclass
from pathlib import Path

from labutils.ground.folder import is_course, my_folder

EDITION_FOLDERS = ("notebooks", "labs")
HOME = "home.ipynb"


@dataclass(frozen=True)
class Workspace:
    """A checkout of the course at ``root`` and the learner's folder ``my`` that it fills."""

    root: Path
    my: Path

    @classmethod
    def here(cls) -> "Workspace":
        """The workspace of the checkout that this package runs from, or that Python runs in.

        Raises ``FileNotFoundError`` where there is neither: a package without its course.
        """
        package, here = Path(__file__).resolve().parents[2], Path.cwd()
        root = next(filter(is_course, (package, here, *here.parents)), None)
        if root is None:
            raise FileNotFoundError(
                "labutils is installed without the course's notebooks; "
                "run this inside a clone of the course"
            )
        named = os.environ.get("LABUTILS_MY", "").strip()
        return cls(root, my_folder() if named else root / "my")

    @property
    def editions(self) -> tuple[Path, ...]:
        """Learner editions of all chapters and labs, in the order of the course; the home last."""
        places = [*(f"{folder}/*.ipynb" for folder in EDITION_FOLDERS), HOME]
        found = (path for place in places for path in sorted(self.root.glob(place)))
        return tuple(path for path in found if not path.name.startswith("."))

    def key(self, edition: Path) -> str:
        """Name of an edition in the manifest, e.g. ``notebooks/03_mm1_explosion.ipynb``."""
        return edition.relative_to(self.root).as_posix()

    def copy_of(self, edition: Path) -> Path:
        """Where the learner's copy of ``edition`` belongs."""
        return self.my / self.key(edition)

    def shown(self, path: Path) -> str:
        """``path`` as the learner reads it: relative to the course where it lies inside."""
        inside = path.is_relative_to(self.root)
        return path.relative_to(self.root).as_posix() if inside else str(path)
