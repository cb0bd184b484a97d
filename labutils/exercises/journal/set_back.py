"""A clock that stood ahead and is set back, such as a laptop's after a wrong start.

A process that goes on past it marks its next line, and one that begins after it marks its first,
with the latest wrong time that it finds. So what was written ahead has its place before the mark.
"""

from datetime import UTC, datetime, timedelta

MARK = {"clock": "set back"}
"""Fields of the first line that a process writes after a clock was set back."""

UP_TO = "up_to"
"""Field of such a line: the latest time that other processes wrote ahead of it."""

LEAST = timedelta(hours=1)  # less is the ordinary wandering of clocks: times go on rising


def next_moment(now: datetime, last: datetime) -> tuple[datetime, bool]:
    """When to say that an event was, and whether the clock was set back before it.

    A microsecond after the ``last`` one at least, unless that lies an hour ahead of ``now``: then
    the earlier times were wrong, not this one.
    """
    least = last + timedelta(microseconds=1)
    is_set_back = least - now > LEAST
    return (now if is_set_back else max(now, least)), is_set_back


def ahead(events: list[dict], now: datetime) -> list[dict]:
    """The events that say to be of a time to come, the earliest first."""
    found = [event for event in events if _is_ahead(event.get("at"), now)]
    return sorted(found, key=lambda event: event["at"])


def _is_ahead(at, now: datetime) -> bool:
    try:
        return datetime.fromisoformat(at) - now > LEAST
    except (TypeError, ValueError):
        return False


def iso(time: datetime) -> str:
    """A time as the journal writes it: texts that sort as the times do."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def in_order(events: list[dict], now: datetime) -> list[dict]:
    """Events by time; what was written while a clock stood ahead, as written when it was set back.

    That is the next mark of its process, else the first mark of one that began after it, else now.
    """
    events = _before_own_marks(events)
    marks = sorted((str(one.get("at")), str(one[UP_TO])) for one in events if UP_TO in one)
    early = ahead(events, now)
    for event in early:
        seen = (at for at, up_to in marks if event["at"] <= up_to)
        event["at"] = next(seen, iso(now))
    of_early = set(map(id, early))
    rest = [event for event in events if id(event) not in of_early]
    return sorted([*early, *rest], key=lambda event: str(event.get("at", "")))


def _before_own_marks(events: list[dict]) -> list[dict]:
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
