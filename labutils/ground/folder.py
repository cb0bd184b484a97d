"""Where the learner's own work lies: the folder ``my/``, found from wherever Python runs."""

import os
import re
from pathlib import Path

_NAMES_LABUTILS = re.compile(r'^\s*name\s*=\s*["\']labutils["\']', re.MULTILINE)


def my_folder() -> Path:
    """Find the folder of the learner's own work; it need not exist and is never created here.

    ``$LABUTILS_MY`` wins; ``FileNotFoundError`` where that names the home of nobody. Otherwise the
    search walks up from the working directory to a folder ``my`` beside ``labutils/``, or to the
    course itself. Elsewhere it is ``my`` right here.
    """
    named = os.environ.get("LABUTILS_MY", "").strip()
    if named:
        try:
            return Path(named).expanduser().absolute()
        except RuntimeError:
            raise FileNotFoundError(f"LABUTILS_MY = {named}: no such home folder") from None
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
