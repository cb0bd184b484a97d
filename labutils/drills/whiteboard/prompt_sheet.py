"""A prompt as a sheet: the page that candidate and interviewer go through, from top to bottom.

A prompt is a function that computes the figures and returns ``page(f'''...''')``. Its name is the
id, its docstring the title, and each part of the sheet has its mark at the margin:

    What is asked, in a paragraph.

    ? What may the candidate ask back? The interviewer's reply. (It decides what it decides.)
    + A line of the must-hit list: what full marks need. What goes on is indented by two blanks.
    — A heading — A paragraph of the model answer.
    * limit 3: “What full marks on that axis of the rubric sound like here.”
    > A follow-up: the interviewer moves the problem.
    < An answer to it.

An axis may have an example for every score, ``* limit 0:`` to ``* limit 3:``.
``authoring check`` reads every sheet without its figures, and names file, line and mark of a slip.
"""

import re
from collections.abc import Callable, Iterator

from labutils.drills.whiteboard.prompt import Asked, Page, Prompt
from labutils.drills.whiteboard.rubric import AXES, MOST
from labutils.ground.sheets import Part, SheetError, parts

SCORES = tuple(map(str, range(MOST + 1)))
MARKS = "?+—*><"


def prompt(topics: str, *, minutes: int) -> Callable[[Callable[[], Page]], Prompt]:
    """Make a prompt of a function: its name is the id, its docstring the title."""

    def made(function: Callable[[], Page]) -> Prompt:
        title = " ".join((function.__doc__ or "").split()).removesuffix(".")
        return Prompt(function.__name__, title, tuple(topics.split()), minutes, function)

    return made


def page(sheet: str) -> Page:
    """The page of a sheet. Raises ``SheetError`` naming line and mark of what cannot be read."""
    found = parts(sheet, MARKS)
    marked = [number for number, part in enumerate(found) if part.mark]
    if not marked or not marked[0]:
        raise SheetError("expected what is asked, and then marked parts")
    task, rest = found[: marked[0]], found[marked[0] :]
    for part in rest:
        if not part.mark:
            raise part.error("expected a mark")
    must_hits = tuple(part.text for part in rest if part.mark == "+")
    if not 3 <= len(must_hits) <= 8:
        raise SheetError(f"mark +: {len(must_hits)} must-hits, expected three to eight")
    follow_ups = tuple(_follow_ups(rest))
    if len(follow_ups) != 3:
        raise SheetError(f"mark >: {len(follow_ups)} follow-ups, expected three")
    heard = _heard(rest)
    return Page(
        ask="\n\n".join(part.text for part in task),
        clarifications=tuple(_asked_back(part) for part in rest if part.mark == "?"),
        must_hits=must_hits,
        model_answer=dict(_headed(part) for part in rest if part.mark == "—"),
        follow_ups=follow_ups,
        a_three={axis: said[SCORES[-1]] for axis, said in heard.items() if len(said) == 1},
        examples={axis: tuple(said.values()) for axis, said in heard.items() if len(said) > 1},
    )


def _asked_back(part: Part) -> Asked:
    found = re.fullmatch(r"(.+?\?) (.+ \(It decides .+\.\))", part.text)
    if not found:
        raise part.error("expected «? A question? The reply. (It decides what it decides.)»")
    return Asked(*found.groups())


def _follow_ups(found: list[Part]) -> Iterator[Asked]:
    for above, part, below in zip([None, *found], found, [*found[1:], None]):
        if part.mark == ">" and (below is None or below.mark != "<"):
            raise part.error("expected «< an answer» below it")
        if part.mark == "<":
            if above is None or above.mark != ">":
                raise part.error("expected «> a question» above it")
            yield Asked(above.text, part.text)


def _headed(part: Part) -> tuple[str, str]:
    heading, dash, text = part.text.partition(" — ")
    if not dash:
        raise part.error("expected «— A heading — and its text»")
    return heading, text


def _heard(found: list[Part]) -> dict[str, dict[str, str]]:
    """What is heard on an axis, by score: for the highest only, or for each."""
    heard: dict[str, dict[str, str]] = {}
    for part in found:
        if part.mark == "*":
            words, text = part.head()
            if len(words) != 2 or words[0] not in AXES or words[1] not in SCORES:
                raise part.error(f"expected «axis score: text», an axis among {', '.join(AXES)}")
            heard.setdefault(words[0], {})[words[1]] = text
    for axis, said in heard.items():
        if tuple(said) not in (SCORES, SCORES[-1:]):
            raise SheetError(
                f"mark *: {axis} has {', '.join(said)}; expected {MOST}, or each from 0 to {MOST}"
            )
    return heard
