"""A clock that stood ahead and is set back, such as a laptop's after a wrong start."""

from datetime import datetime, timedelta

MARK = {"clock": "set back"}
"""Fields of the first line that a process writes after its clock was set back."""

LEAST = timedelta(hours=1)  # less is the ordinary wandering of clocks: times go on rising


def next_moment(now: datetime, last: datetime) -> tuple[datetime, bool]:
    """When to say that an event was, and whether the clock was set back before it.

    A microsecond after the ``last`` one at least, unless that lies an hour ahead of ``now``: then
    the earlier times were wrong, not this one.
    """
    least = last + timedelta(microseconds=1)
    is_set_back = least - now > LEAST
    return (now if is_set_back else max(now, least)), is_set_back


def in_order(events: list[dict]) -> list[dict]:
    """Events in the order of their lines, none later than the next mark of its process.

    What was written while the clock stood ahead counts as written when it was set back.
    """
    marked: dict[object, str] = {}
    for event in reversed(events):
        at, by = event.get("at"), str(event.get("by"))
        if not isinstance(at, str):
            continue
        if by in marked and at > marked[by]:
            event["at"] = marked[by]
        if event.items() >= MARK.items():
            marked[by] = event["at"]
    return events
