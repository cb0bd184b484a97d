"""Reading back what was recorded; lines of other versions are passed over."""

from labutils.exercises.journal.journal import events


def history(kind: str, item_id: str | None = None) -> list[dict]:
    """The events of one kind ("check", "hint", ...) in order of time, of one exercise if named."""
    return [
        event
        for event in events()
        if event.get("event") == kind
        and isinstance(event.get("id"), str)
        and item_id in (None, event["id"])
    ]
