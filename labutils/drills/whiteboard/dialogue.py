"""A prompt in a terminal: the same board, one question after the other."""

import textwrap
from collections.abc import Callable

from labutils.drills.asking.wording import spaced
from labutils.drills.whiteboard.board import Board
from labutils.drills.whiteboard.rubric import AXES, MOST, QUESTION, SCORES
from labutils.exercises.display.card import WIDTH, wrapped

Ask = Callable[[str], str]
Say = Callable[[object], None]


def run(board: Board, ask: Ask = input, say: Say = print) -> None:
    """Lead through one prompt: task, clarifications, must-hits, answer, follow-ups, grade.

    An empty line goes on; ``quit`` ends. ``EOFError`` and ``KeyboardInterrupt`` pass to the caller;
    what was recorded until then stays.
    """
    board.names_calls = False
    say("\n" + spaced(board.card()))
    say("\n" + spaced(board.clarify()))
    while letters := ask("\nAsk (letters), or Enter to answer: ").strip():
        if letters == "quit":
            return
        say("\n" + spaced(board.clarify(letters)))
    if ask("Answer aloud or on paper. Enter when you are done, or quit: ").strip() == "quit":
        return
    say(f"{board.seconds / 60:.0f} of {board.prompt.minutes} minutes.")
    say("\n" + spaced(board.must_hits()))
    letters = ask("\nYou said (letters, Enter for none, or quit): ").strip()
    if letters == "quit":
        return
    say("\n" + spaced(board.tick(letters)))
    if ask("\nEnter for a model answer, or quit: ").strip() == "quit":
        return
    say("\n" + spaced(board.model_answer()))
    if _follow_ups(board, ask, say) and (scores := _scores(ask, say)) is not None:
        question = "Did you say how the limit moves with batch, context or hardware? (y/n): "
        moved = ask(question).strip().lower().startswith("y")
        say("\n" + spaced(board.grade(moves_the_limit=moved, **scores)))


def _hung(text: str) -> str:
    """``text`` broken so that its further lines stand under its first word."""
    return textwrap.fill(text, WIDTH, subsequent_indent=" " * 5, break_on_hyphens=False)


def _follow_ups(board: Board, ask: Ask, say: Say) -> bool:
    """The three follow-ups; False where the candidate has had enough."""
    for number in (1, 2, 3):
        say("\n" + spaced(board.follow_up(number)))
        if ask("\nAnswer aloud. Enter for one answer, or quit: ").strip() == "quit":
            return False
        say("\n" + spaced(board.follow_up(number, answer=True)))
    return True


def _scores(ask: Ask, say: Say) -> dict[str, int] | None:
    """A score for each axis; None where the candidate has had enough."""
    say(wrapped(f"\nNow grade yourself on eight axes. The examples answer “{QUESTION}”"))
    say("\n".join(f"  {score}: {text}" for score, text in enumerate(SCORES)))
    if ask("\nEnter to begin, or quit: ").strip() == "quit":
        return None
    scores = {}
    for axis, item in AXES.items():
        say(wrapped(f"\n{item.name}: {item.asks}"))
        say("\n".join(_hung(f"  {n}: {text}") for n, text in enumerate(item.examples)))
        while axis not in scores:
            given = ask("0 to 3, or quit: ").strip()
            if given == "quit":
                return None
            if given in map(str, range(MOST + 1)):
                scores[axis] = int(given)
    return scores
