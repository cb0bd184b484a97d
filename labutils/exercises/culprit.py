"""Finding the learner's own line in a traceback, and saying it without the workbook's stack."""

import linecache
import sysconfig
import traceback
from pathlib import Path
from types import FrameType

_LABUTILS = str(Path(__file__).resolve().parents[1])
_STDLIB = tuple(str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "platstdlib"))
_MOST_LINES = 12


def describe(error: BaseException) -> str:
    """The error in its own words, and the learner's line on which it arose."""
    words = "".join(traceback.format_exception_only(error)).strip().splitlines()
    if len(words) > _MOST_LINES:
        words = [*words[:_MOST_LINES], "..."]
    return "\n".join(words + _place(error))


def _place(error: BaseException) -> list[str]:
    found = _innermost_of_learner(error)
    if found is None:
        return []
    frame, line_number = found
    name = frame.f_code.co_name
    where = f"in {name}, line {line_number}:" if name.isidentifier() else f"line {line_number}:"
    source = linecache.getline(frame.f_code.co_filename, line_number, frame.f_globals).strip()
    return [where, f"    {source}"] if source else [where.rstrip(":")]


def _innermost_of_learner(error: BaseException) -> tuple[FrameType, int] | None:
    frames = [
        (frame, line_number)
        for frame, line_number in traceback.walk_tb(error.__traceback__)
        if _is_learners(frame.f_code.co_filename)
    ]
    return frames[-1] if frames else None


def _is_learners(filename: str) -> bool:
    """Whether code from ``filename`` is the learner's: no library's and not the workbook's."""
    if filename.startswith("<frozen") or "-packages" in filename:
        return False
    return not filename.startswith((_LABUTILS, *_STDLIB))
