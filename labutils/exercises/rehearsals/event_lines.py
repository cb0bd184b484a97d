"""A scene and what became of it as lines of text, in order of time."""

from labutils.exercises.rehearsals.played import Played
from labutils.exercises.rehearsals.scene import Asks, Stops

WORDS = {
    "answered": ("gets its result", "get their results"),
    "another's answer": ("gets the result of somebody else",) * 2,
    "a promise": ("gets something to await, not a result",) * 2,
    "failed": ("gets an error", "get errors"),
    "refused": ("is refused", "are refused"),
    "raised": ("gets an error of the batcher's own code",) * 2,
    "cannot hang up": ("is kept although it hung up",) * 2,
    "no answer": ("never hears anything", "never hear anything"),
}
EXPECTED = {
    "answered": "a result",
    "failed": "an error",
    "refused": "a refusal",
    "hung up": "to be let go",
}
ASK = {
    "poison": ", with an item that the model cannot read",
    "lost": ", and the model will lose its result",
    "doubled": ", and the model will return its result twice",
    "zero": ", and the model's result for it is 0",
    "none": ", and the model's result for it is None",
}


def event_lines(got: Played, wanted: Played | None = None) -> list[str]:
    """One line for each thing that happens; where ``wanted`` is given, what differs says so."""
    events = [*_asked(got), *_computed(got), *_ended(got, wanted)]
    events += [(death.at_ms, 3, _dies(death)) for death in got.deaths]
    told = [f"{_clock(at_ms)}  {text}" for at_ms, _, text in sorted(events)]
    return [_opening(got), *told, *_silent(got, wanted)]


def _opening(got: Played) -> str:
    opens = got.scene.opens
    settings = f"max_batch {opens.max_batch}, window {opens.window_ms:g} ms"
    if opens.max_waiting < len(got.scene.names):
        settings += f", room for {opens.max_waiting} in the queue"
    if opens.options.get("bisect"):
        settings += ", bisect"
    if opens.pool_busy_ms:
        settings += f"; other code holds asyncio's shared pool until {opens.pool_busy_ms:g} ms"
    return f"{settings}; a batch of n takes {opens.fixed_ms:g} + {opens.per_item_ms:g} n ms"


def _asked(got: Played) -> list[tuple]:
    lines = []
    for event in got.scene.events:
        if not isinstance(event, Asks):
            told = "the batcher is told to stop" if isinstance(event, Stops) else "hangs up"
            lines.append((event.at_ms, 1, f"{event.name} {told}".strip()))
            continue
        own = "" if event.patience_ms is None else f", with {event.patience_ms:g} ms of patience"
        lines.append((event.at_ms, 0, f"{event.name} asks{own}{ASK.get(event.habit, '')}"))
        let_in_ms = got.asked_ms.get(event.name, event.at_ms)
        if let_in_ms > event.at_ms + 0.01:
            lines.append((let_in_ms, 0, f"only now the batcher hears of {event.name}"))
    return lines


def _computed(got: Played) -> list[tuple]:
    lines = []
    for call in got.calls:
        how = ", on the event loop: nothing else happens" if call.blocks else ""
        lines.append((call.start_ms, 2, f"the model starts: {', '.join(call.names)}{how}"))
    return lines


def _ended(got: Played, wanted: Played | None) -> list[tuple]:
    """Who ended with what; those who end alike share a line, unless something is wrong with it."""
    alike: dict[tuple, list[str]] = {}
    for name, end in got.ends.items():
        if end.kind in WORDS and end.at_ms == end.at_ms:
            at_once = end.at_ms == got.asked_ms.get(name)
            key = end.at_ms, 1 if at_once else -1, end.kind, _note(name, got, wanted)
            alike.setdefault(key, []).append(name)
    return [
        (at_ms, place, f"{', '.join(names)} {WORDS[kind][len(names) > 1]}{note}")
        for (at_ms, place, kind, note), names in alike.items()
    ]


def _silent(got: Played, wanted: Played | None) -> list[str]:
    silent = [name for name, end in got.ends.items() if end.at_ms != end.at_ms]
    return [f"{'':11}  {name} {WORDS['no answer'][0]}{_note(name, got, wanted)}" for name in silent]


def _note(name: str, got: Played, wanted: Played | None) -> str:
    """What should have come, where it is something else."""
    if wanted is None or got.ends[name].same(wanted.ends[name], 0.01):
        return ""
    end = wanted.ends[name]
    if got.ends[name].kind == "failed" and end.kind != "failed":
        heard = _heard(got.ends[name].error)
        return f"{heard}   <- expected {EXPECTED.get(end.kind, end.kind)}, at {end.at_ms:g} ms"
    if end.kind == got.ends[name].kind:
        return f"   <- expected at {end.at_ms:g} ms"
    return f"   <- expected {EXPECTED.get(end.kind, end.kind)}, at {end.at_ms:g} ms"


def _heard(error: BaseException | None) -> str:
    """What an error says: where nobody should hear one, it is the best trace there is."""
    if error is None:
        return ""
    name, text = type(error).__name__, str(error)
    return f" ({text or name})" if name == "BatchFailed" else f" ({name}: {text})"


def _dies(death) -> str:
    return f"the batcher's task dies: {type(death.error).__name__}"


def _clock(at_ms: float) -> str:
    return f"{at_ms:8.2f} ms"
