"""Finding the learner's own line in a traceback, and saying it without the workbook's stack."""

import linecache
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from labutils.exercises.comparing.literal import shortened

_LABUTILS = str(Path(__file__).resolve().parents[2])
_STDLIB = tuple(str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "platstdlib"))
_MOST_LINES = 12


def describe(error: BaseException) -> str:
    """The error in its own words, and the learner's line on which it arose."""
    original, place = _without_lost_message(error)
    words = "".join(traceback.format_exception_only(original)).strip().splitlines()
    if len(words) > _MOST_LINES:
        words = [*words[:_MOST_LINES], "..."]
    words = [shortened(line) for line in words]
    return "\n".join(words + _shown(place or _innermost_of_learner(original)))


def _shown(place: tuple[FrameType, int] | None) -> list[str]:
    if place is None:
        return []
    frame, line_number = place
    name = frame.f_code.co_name
    where = f"in {name}, line {line_number}:" if name.isidentifier() else f"line {line_number}:"
    source = linecache.getline(frame.f_code.co_filename, line_number, frame.f_globals).strip()
    return [where, f"    {source}"] if source else [where.rstrip(":")]


def _innermost_of_learner(error: BaseException) -> tuple[FrameType, int] | None:
    """The learner's last line before the error, or before what caused it.

    A library that runs the learner's generators (SimPy) raises anew what they raise: their own
    lines are in the traceback of the cause.
    """
    places = [_last_of_learner(one) for one in _with_causes(error)]
    return next((place for place in reversed(places) if place), None)


def _last_of_learner(error: BaseException) -> tuple[FrameType, int] | None:
    frames = [
        (frame, line_number)
        for frame, line_number in traceback.walk_tb(error.__traceback__)
        if _is_learners(frame.f_code.co_filename)
    ]
    return frames[-1] if frames else None


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and its causes as far as they say the same: same type, same words."""
    one: BaseException | None = error
    while one is not None and type(one) is type(error) and one.args == error.args:
        yield one
        one = one.__cause__


def _without_lost_message(
    error: BaseException,
) -> tuple[BaseException, tuple[FrameType, int] | None]:
    """What a library was about to say when it failed to open the learner's cell as a file.

    SimPy quotes the line of a process that yields no event, and a cell is in no file. Then the
    first error is what counts, at the line of the frame that was being described.
    """
    first = list(_with_causes(error))[-1]
    original, cell = first.__context__, getattr(first, "filename", None)
    frames = [frame for frame, _ in traceback.walk_tb(first.__traceback__)]
    missing = isinstance(first, FileNotFoundError) and cell in linecache.cache
    if not missing or original is None or _is_learners(frames[-1].f_code.co_filename):
        return error, None
    held = [value for frame in frames for value in frame.f_locals.values()]
    described = [
        (value, value.f_lineno)
        for value in held
        if isinstance(value, FrameType) and value.f_code.co_filename == cell
    ]
    return original, described[-1] if described else None


def _is_learners(filename: str) -> bool:
    """Whether code from ``filename`` is the learner's: no library's and not the workbook's."""
    if filename.startswith(("<frozen", "<engine/")) or "-packages" in filename:
        return False
    return not filename.startswith((_LABUTILS, *_STDLIB))
