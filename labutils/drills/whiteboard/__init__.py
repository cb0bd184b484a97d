"""Whiteboard prompts: twelve designs and nine interview questions, with rubric and model answers.

>>> from labutils.drills.whiteboard import prompt, prompts, rubric
>>> board = prompt("d2")          # the task; the clock starts
>>> board.clarify()               # what you might ask; board.clarify("b") has the reply
You may ask. ...
>>> board.tick("a c")             # board.must_hits() has the list, board.model_answer() an answer
Ticked. 2 of 6. ...
>>> board.follow_up(1)            # with answer=True it is answered
Follow-up 1. ...
>>> board.grade(clarify=2, estimate=3, limit=2, schedule=2, failure=1, measure=1, cost=0, commit=2)
Graded by yourself. 13 of 24: mid. ...
"""

from labutils.drills.whiteboard.board import Board, Rubric
from labutils.drills.whiteboard.catalog import prompts
from labutils.drills.whiteboard.dialogue import run
from labutils.drills.whiteboard.prompt import Prompt
from labutils.exercises.display.at_once import at_once


def prompt(prompt_id: str) -> Board:
    """A new attempt at the prompt of that id, "d1" to "d12" or "r01" to "r09".

    Raises ``ValueError`` naming the ids there are.
    """
    known = {item.id: item for item in prompts()}
    wanted = str(prompt_id).strip().lower()
    if wanted not in known:
        raise ValueError(f"prompt_id = {prompt_id!r}: expected one of {', '.join(known)}")
    return Board(known[wanted])


@at_once
def rubric() -> Rubric:
    """The eight axes, each with an example for every score."""
    return Rubric()


__all__ = ["Board", "Prompt", "prompt", "prompts", "rubric", "run"]
