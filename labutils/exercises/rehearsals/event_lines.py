"""A scene and what became of it as lines of text, in order of time."""

from labutils.exercises.rehearsals.played import Played
from labutils.exercises.rehearsals.scene import Asks, HangsUp, Stops

WORDS = {
    "answered": ("gets its result", "get their results"),
    "another's answer": ("gets the result of somebody else",) * 2,
    "a promise": ("gets something to await, not a result",) * 2,
    "failed": ("gets an error", "get errors"),
    "refused": ("is refused", "are refused"),
    "raised": ("gets an error of the {noun}'s own code",) * 2,
    "another key's": ("gets the result for another key", "get the result for another key"),
    "kept": ("gets a result from before it asked", "get a result from before they asked"),
    "None": ("gets None", "get None"),
    "no result": ("gets what no computation gave", "get what no computation gave"),
    "cannot hang up": ("is kept although it hung up",) * 2,
    "no answer": ("never hears anything", "never hear anything"),
}
CANCELLED = {
    "cancelled": ("is cancelled and has not hung up", "are cancelled and have not hung up"),
    "hung up": ("is let go", "are let go"),
}
EXPECTED = {
    "answered": "a result",
    "failed": "an error",
    "refused": "a refusal",
    "hung up": "to be let go",
}
WORKS = {
    "computed": ("ends", "to end"),
    "failed": ("fails", "to fail"),
    "stopped": ("is stopped", "to be stopped"),
    "going on": ("never ends", "to go on"),
    "not awaited": ("is never awaited", ""),
    "left": ("is still in `under_way`", ""),
    "leaked": ("still runs", ""),
    "kept": ("still holds what it was given", ""),
}


def event_lines(got: Played, wanted: Played | None = None) -> list[str]:
    """One line for each thing that happens; where ``wanted`` is given, what differs says so."""
    noun = got.scene.opens.noun
    events = [*_asked(got), *_computed(got), *_worked(got, wanted), *_ended(got, wanted)]
    events += [(death.at_ms, 3, _dies(death, noun)) for death in got.deaths]
    told = [f"{_clock(at_ms)}  {text}" for at_ms, _, text in sorted(events)]
    return [
        got.scene.opens.line(len(got.scene.names)),
        *told,
        *_silent(got, wanted),
        *_left(got, wanted),
    ]


def _asked(got: Played) -> list[tuple]:
    lines, noun = [], got.scene.opens.noun
    for event in got.scene.events:
        if not isinstance(event, Asks):
            told = "the batcher is told to stop" if isinstance(event, Stops) else "hangs up"
            lines.append((event.at_ms, 1, f"{event.name} {told}".strip()))
            continue
        lines.append((event.at_ms, 0, f"{event.name} {got.scene.opens.asking(event)}"))
        let_in_ms = got.asked_ms.get(event.name, event.at_ms)
        if let_in_ms > event.at_ms + 0.01:
            lines.append((let_in_ms, 0, f"only now the {noun} hears of {event.name}"))
    tries = [name for name in got.asked_ms if name not in got.scene.names]
    return lines + [(got.asked_ms[name], 0, f"{name} begins") for name in tries]


def _computed(got: Played) -> list[tuple]:
    lines = []
    for call in got.calls:
        how = ", on the event loop: nothing else happens" if call.blocks else ""
        lines.append((call.start_ms, 2, f"the model starts: {', '.join(call.names)}{how}"))
    return lines


def _worked(got: Played, wanted: Played | None) -> list[tuple]:
    """Computations: their beginnings and their ends."""
    lines = []
    for name, work in got.works.items():
        unasked = wanted is not None and name not in wanted.works
        note = "   <- expected none" if unasked else ""
        if work.start_ms == work.start_ms:
            lines.append((work.start_ms, 2, f"{name} starts{note}"))
        if work.end.at_ms == work.end.at_ms:
            place = 2 if work.end.kind == "stopped" else -2
            text = f"{name} {WORKS[work.end.kind][0]}{_work_note(name, got, wanted)}"
            lines.append((work.end.at_ms, place, text))
    return lines


def _work_note(name: str, got: Played, wanted: Played | None) -> str:
    """What a computation should have come to, where it is something else."""
    if wanted is None or name not in wanted.works:
        return ""
    end = wanted.works[name].end
    if got.works[name].end.same(end, 0.01):
        return ""
    same = got.works[name].end.kind == end.kind
    return f"   <- expected {'' if same else WORKS[end.kind][1] + ', '}at {end.at_ms:g} ms"


def _left(got: Played, wanted: Played | None) -> list[str]:
    """What has no time: what remains when all is over, and what should have begun and did not."""
    rest = [(name, work.end) for name, work in got.works.items()]
    told = [f"{name} {WORKS[end.kind][0]}" for name, end in rest if end.at_ms != end.at_ms]
    for name, work in (wanted.works if wanted else {}).items():
        if name not in got.works:
            told.append(f"{name} never starts   <- expected at {work.start_ms:g} ms")
    return [f"{'':11}  {text}" for text in told]


def _ended(got: Played, wanted: Played | None) -> list[tuple]:
    """The clients whose requests ended, and how; equal ends share a line unless one is wrong."""
    alike: dict[tuple, list[str]] = {}
    for name, end in got.ends.items():
        if end.kind in _told(name, got) and end.at_ms == end.at_ms:
            at_once = end.at_ms == got.asked_ms.get(name)
            place = 3 if end.kind in CANCELLED else 1 if at_once else -1
            key = end.at_ms, place, end.kind, _note(name, got, wanted)
            alike.setdefault(key, []).append(name)
    noun, words = got.scene.opens.noun, WORDS | CANCELLED
    return [
        (at_ms, place, f"{', '.join(names)} {words[kind][len(names) > 1].format(noun=noun)}{note}")
        for (at_ms, place, kind, note), names in alike.items()
    ]


def _told(name: str, got: Played) -> set[str]:
    """The kinds of end that are told of this client."""
    if not got.scene.opens.tells_cancelled:
        return set(WORDS)
    hangs_up = {e.name: e.at_ms for e in got.scene.events if isinstance(e, HangsUp)}
    if got.ends[name].at_ms == hangs_up.get(name):  # its own line is there already
        return {*WORDS, "cancelled"}
    return {*WORDS, *CANCELLED}


def _silent(got: Played, wanted: Played | None) -> list[str]:
    silent = [name for name, end in got.ends.items() if end.at_ms != end.at_ms]
    return [f"{'':11}  {name} {WORDS['no answer'][0]}{_note(name, got, wanted)}" for name in silent]


def _note(name: str, got: Played, wanted: Played | None) -> str:
    """What should have come, where it is something else."""
    end = wanted and wanted.ends.get(name)
    if end is None or got.ends[name].same(end, 0.01):
        return ""
    if got.ends[name].kind == "failed" and end.kind != "failed":
        heard = _heard(got.ends[name].error)
        return f"{heard}   <- expected {EXPECTED.get(end.kind, end.kind)}, at {end.at_ms:g} ms"
    if end.kind == got.ends[name].kind:
        return f"   <- expected at {end.at_ms:g} ms"
    return f"   <- expected {EXPECTED.get(end.kind, end.kind)}, at {end.at_ms:g} ms"


def _heard(error: BaseException | None) -> str:
    """The text of an error that a client got; where none is expected, it shows the cause best."""
    if error is None:
        return ""
    name, text = type(error).__name__, str(error)
    return f" ({text or name})" if name == "BatchFailed" else f" ({name}: {text})"


def _dies(death, noun: str) -> str:
    return f"the {noun}'s task dies: {type(death.error).__name__}"


def _clock(at_ms: float) -> str:
    return f"{at_ms:8.2f} ms"
