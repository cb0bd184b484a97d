"""Where the learner's work lives, and which notebooks the course hands out."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

EDITION_FOLDERS = ("notebooks", "labs")
_NAMES_LABUTILS = re.compile(r'^\s*name\s*=\s*["\']labutils["\']', re.MULTILINE)


def my_folder() -> Path:
    """Find the folder of the learner's own work; it need not exist and is never created here.

    ``$LABUTILS_MY`` wins. Otherwise the search walks up from the working directory to a folder
    ``my`` beside ``labutils/``, or to the course itself. Elsewhere it is ``my`` right here.
    """
    named = os.environ.get("LABUTILS_MY", "").strip()
    if named:
        return Path(named).expanduser().absolute()
    try:
        here = Path.cwd()
    except OSError:  # the working directory was deleted
        return Path("my")
    for folder in (here, *here.parents):
        if folder.name == "my" and (folder.parent / "labutils").is_dir():
            return folder
        if is_course(folder):
            return folder / "my"
    return here / "my"


def is_course(folder: Path) -> bool:
    """Whether ``folder`` is a checkout of the course: its pyproject.toml names labutils."""
    try:
        text = (folder / "pyproject.toml").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return _NAMES_LABUTILS.search(text) is not None


@dataclass(frozen=True)
class Workspace:
    """A checkout of the course at ``root`` and the learner's folder ``my`` that it fills."""

    root: Path
    my: Path

    @classmethod
    def here(cls) -> "Workspace":
        """The workspace of the checkout that this package runs from.

        Raises ``FileNotFoundError`` when the package was installed without the course around it.
        """
        root = Path(__file__).resolve().parents[2]
        if not is_course(root):
            raise FileNotFoundError(
                "labutils is installed without the course's notebooks; "
                "run this inside a clone of the course"
            )
        named = os.environ.get("LABUTILS_MY", "").strip()
        return cls(root, my_folder() if named else root / "my")

    @property
    def editions(self) -> tuple[Path, ...]:
        """Learner editions of all chapters and labs, in the order of the course."""
        return tuple(
            path
            for folder in EDITION_FOLDERS
            for path in sorted((self.root / folder).glob("*.ipynb"))
            if not path.name.startswith(".")
        )

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
