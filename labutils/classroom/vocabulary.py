"""The words that a class file may hold: ids, states and names of mistakes, all of the course's own.

A file is made of this vocabulary and of numbers that the course measured. Whatever else a progress
file holds, an answer's text among it, has no word for itself here and stays at home.
"""

from collections.abc import Mapping
from functools import cache

from labutils.drills import catalog as drills
from labutils.drills.definition.drill import Drill
from labutils.exercises import catalog
from labutils.exercises.definition.exercise import Checker, Exercise, Prediction
from labutils.exercises.definition.verdict import Status

EVENTS = (
    "check",
    "hint",
    "reveal",
    "predict",
    "outcome",
    "drill",
    "drill_hint",
    "drill_reveal",
    "drill_predict",
)
STATUSES = frozenset(status.value for status in Status)
MODES = frozenset({"exact", "rough"})
OTHER = "other"
"""A mistake whose name this version of the course does not know."""

MOST_DRILLS = 10_000  # made for one report, each in some 2 ms
MOST_LINKS = 20  # of a chain of follow-ups: a journal may name any number

GENERAL = {
    "coroutine": "Your function returns a coroutine. Who awaits it?",
    "argument-too-many": "Your result has one of its arguments in it once too often. Which one?",
    "complement": "Your result is 1 minus the right one. Whose share is it?",
    "constant": "Your result is the same for every input. On what should it depend?",
    "constant-distance": "Your result is off by the same amount each time. Which term is it?",
    "constant-factor": "Your result is off by the same factor each time. Which one is it?",
    "factor-of-the-story": "It is off by a number of the story. Where does that number belong?",
    "gain-in-percent": "Your result says by how many percent more. What is asked for?",
    "generator": "Your function returns a promise of values. When are they computed?",
    "mutates-input": "Your function changes its argument. To whom does it belong?",
    "no-such-method": "A method has another name than its callers use. Which one do they call?",
    "not-repeatable": "The same input gives another result. What does your code remember or draw?",
    "one-less": "Your result is too small by 1 each time. What is not counted?",
    "one-more": "Your result is too large by 1 each time. What is counted twice?",
    "one-too-few": "Your result is 1 too small in some cases. What happens at the boundary?",
    "one-too-many": "Your result is 1 too large in some cases. What happens at the boundary?",
    "opposite": "Your result says the opposite each time. Which way round is the question?",
    "other-numbers": "The numbers of the story, put together another way. Which belong in it?",
    "prints-instead": "Your function prints and returns None. What does its caller get?",
    "returns-nothing": "Your function returns None. On which path is the `return` missing?",
    "reversed": "Your result is the right one backwards. From which end do you begin?",
    "rounded": "Your result is rounded. Who asked for that?",
    "rounded-past-the-limit": "A whole number beyond the limit breaks it. Which way do you round?",
    "single-precision": "Your numbers are float32. How many digits survive a long sum?",
    "sorted": "Your values come in another order than they were drawn. Who needs their order?",
    "swapped": "Your result has its two parts in the wrong order. Which one comes first?",
    "upside-down": "Your result is 1 divided by the right one. What is divided by what?",
    "wrong-keys": "Your result has other keys than asked for. Which ones did the task name?",
    "wrong-length": "Your result has another length than asked for. What is each entry?",
    "wrong-shape": "Your array has other axes than asked for. What is each of them?",
    "wrong-sign": "Your result has the right size and the wrong sign. What is taken from what?",
    "wrong-type": "Your result is of another kind than asked for. What does the docstring promise?",
    "wrong-value": "Your result has another value. What does the smallest case give by hand?",
}
"""Faults of any code, with the question to ask about each."""

STATES = {
    Status.unit: "In which unit is it asked for, and which unit does your way lead to?",
    Status.scale: "By which factor are the two apart, and which unit has that factor?",
    Status.timed_out: "What ends the loop, and does every round bring it nearer?",
    Status.raised: "Which line stopped, and what did the names in it stand for?",
    Status.close: "Which figure on the way was rounded, and how early?",
}
"""States that say by themselves what went wrong."""


@cache
def exercises() -> Mapping[str, Exercise]:
    """Every exercise of the course, by id."""
    return {item.id: item for part in catalog.chapters() for item in catalog.exercises_of(part)}


@cache
def minutes() -> Mapping[str, int]:
    """The minutes that the course states for a part, by its title."""
    return {catalog.title_of(part): catalog.minutes_of(part) for part in catalog.chapters()}


@cache
def predictions() -> Mapping[str, Prediction]:
    """Every prediction of the course, by id."""
    return {item.id: item for part in catalog.chapters() for item in catalog.predictions_of(part)}


@cache
def parts() -> Mapping[str, str]:
    """The title of the part (chapter or lab) to which each exercise and prediction belongs."""
    return {
        item.id: catalog.title_of(part)
        for part in catalog.chapters()
        for item in [*catalog.exercises_of(part), *catalog.predictions_of(part)]
    }


def is_drill(item_id: str) -> bool:
    """Whether the id is that of a template that there is."""
    return item_id.startswith("drill.") and item_id in _drills()


@cache
def _drills() -> frozenset[str]:
    return frozenset(f"drill.{template.id}" for template in drills.templates())


def decision_of(item_id: str) -> str:
    """What a drill asks an engineer to do; empty for everything else."""
    return drills.find(item_id).decision.value if is_drill(item_id) else ""


def mistakes_of(item_id: str, seed: int = 0, link: int = 0) -> Mapping[str, str]:
    """Names of the mistakes that an exercise or a drill knows, each with its message."""
    if item_id in exercises():
        own = _mistakes_of_checker(exercises()[item_id].checker)
        steps = exercises()[item_id].workings
        return {**GENERAL, **own, **_of_steps(steps)}
    if is_drill(item_id):
        return {**GENERAL, **_mistakes_of_drill(item_id, seed, link)}
    return {}


def _mistakes_of_checker(checker: Checker) -> dict[str, str]:
    found = {item.name: item.message for item in getattr(checker, "misconceptions", ())}
    found |= {rule.name: rule.message for rule in getattr(checker, "properties", ())}
    options = getattr(checker, "options", {})
    for key, message in getattr(checker, "diagnoses", {}).items():
        found[key] = f"“{options[key]}” {message}" if key in options else message
    for key, message in getattr(checker, "omissions", {}).items():
        found[f"without-{key}"] = f"“{options[key]}” is missing. {message}"
    return found


def _of_steps(workings: Mapping[str, Checker]) -> dict[str, str]:
    """A diagnosis of a step is the step's name, a colon, and what the step's own checker found."""
    return {
        f"{step}:{name}": message
        for step, checker in workings.items()
        for name, message in {**_states(), **_mistakes_of_checker(checker)}.items()
    }


def _states() -> dict[str, str]:
    return {status: STATES.get(status, "") for status in sorted(STATUSES)}


def _mistakes_of_drill(item_id: str, seed: int, link: int) -> Mapping[str, str]:
    drill = drill_of(item_id, seed, link)
    if drill is None:
        return {}
    found = {mistake.name: mistake.message for mistake in drill.mistakes}
    if drill.options:
        found |= drill.options.against
    for name in drill.named_steps:
        found |= {f"{name}:{status}": message for status, message in _states().items()}
    return found


def option_of(item_id: str, seed: int, link: int, letter: str) -> str:
    """The text of a drill's option with that seed's numbers; empty where there is none."""
    drill = drill_of(item_id, seed, link)
    return drill.options.texts.get(letter, "") if drill and drill.options else ""


def letter_of(item_id: str, seed: int, link: int, named: str) -> str | None:
    """The letter of the option that the store names by its text, cut short: "choice: …"."""
    drill = drill_of(item_id, seed, link)
    for letter, text in drill.options.texts.items() if drill and drill.options else ():
        if named.startswith("choice: ") and f"choice: {text}".startswith(named):
            return letter
    return None


@cache
def drill_of(item_id: str, seed: int, link: int) -> Drill | None:
    """The drill with that seed's numbers, ``link`` follow-ups on; None where there is none.

    After ``MOST_DRILLS`` it makes no more: a file may name a hundred thousand seeds.
    """
    if not is_drill(item_id) or drill_of.cache_info().currsize >= MOST_DRILLS:
        return None
    try:
        drill = drills.find(item_id).drill(seed)
    except RuntimeError:  # no good numbers for that seed, which no learner was ever given
        return None
    for _ in range(min(link, MOST_LINKS)):
        drill = drill.follow_up if drill else None
    return drill
