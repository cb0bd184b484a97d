"""The stretches of a chapter between its checkpoints, and in which of them an exercise stands."""

from labutils.authoring.sources.python import calls
from labutils.authoring.sources.source import Chapter
from labutils.classroom.prepare.plans import CHECKPOINT


def boundaries(chapter: Chapter) -> tuple[int, ...]:
    """The minutes at which a stretch can begin or end: 0, the checkpoints, the whole chapter."""
    found = [
        int(minute)
        for cell in chapter.cells
        if cell.kind == "markdown"
        for minute in CHECKPOINT.findall(cell.source)
    ]
    return (0, *found, chapter.header.minutes)


def stretch_of(chapter: Chapter, exercise_id: str) -> tuple[int, int] | None:
    """First and last minute of the stretch in which the exercise is checked; None if nowhere."""
    passed, edges = 0, boundaries(chapter)
    for cell in chapter.cells:
        if cell.kind == "markdown":
            passed += len(CHECKPOINT.findall(cell.source))
            continue
        for _, call in calls(cell.source, ("check",), "exercises"):
            if call.args and getattr(call.args[0], "value", None) == exercise_id:
                return edges[passed], edges[passed + 1]
    return None
