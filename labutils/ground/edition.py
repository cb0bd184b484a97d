"""Notice an update of the course under a running kernel, before half of each edition runs.

Python loads a module once, and the course loads many when they are first used. After an update the
kernel would mix what it has loaded with what it loads next. So the files of the loaded modules, and
no others, are compared with what they were when this module was loaded: a millisecond or less.

Whoever works on the course edits files while its tests run: with ``LABUTILS_EDITING=1`` in the
environment, as the tests and what they start have it, an update is no error.
"""

import os
import sys
from pathlib import Path

_PACKAGE = str(Path(__file__).parents[1])


class CourseUpdated(RuntimeError):
    """The kernel runs an older edition than the disk holds. A notebook shows the sentence alone."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def require_one_edition() -> None:
    """Raise ``CourseUpdated`` if this kernel has loaded a file of the course that has changed."""
    if os.environ.get("LABUTILS_EDITING") == "1":
        return
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    ours = [file for file in files if file and file.startswith(_PACKAGE + os.sep)]
    if any(_stamp(file) != _AT_START.get(file) for file in ours):
        raise CourseUpdated(
            "The course was updated under this kernel: choose Kernel > Restart, and run the "
            "notebook from the top. Your answers and your progress are kept."
        )


def accept_changes() -> None:
    """Take the files as they are now for one edition: for commands that write the course itself."""
    _AT_START.clear()
    _AT_START.update(_all_stamps())


def _stamp(file: str) -> tuple[int, int] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _all_stamps() -> dict[str, tuple[int, int] | None]:
    """Of every file of Python in the package: what is loaded later is loaded from these."""
    return {
        file: _stamp(file)
        for folder, _, names in os.walk(_PACKAGE)
        for name in names
        if (file := os.path.join(folder, name)).endswith(".py")
    }


_AT_START = _all_stamps()
