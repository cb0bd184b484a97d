"""A prompt in a terminal: the same board, one question after the other."""

from collections.abc import Callable

from labutils.drills.whiteboard.board import Board
from labutils.drills.whiteboard.rubric import AXES, MOST

Ask = Callable[[str], str]
Say = Callable[[object], None]


def run(board: Board, ask: Ask = input, say: Say = print) -> None:
    """Lead through one prompt: task, clarifications, must-hits, answer, follow-ups, grade.

    An empty line goes on; ``quit`` ends. ``EOFError`` and ``KeyboardInterrupt`` pass to the caller;
    what was recorded until then stays.
    """
    say(board.card().plain())
    say(board.clarify().plain())
    while letters := ask("Ask (letters), or Enter to answer: ").strip():
        if letters == "quit":
            return
        say(board.clarify(letters).plain())
    if ask("Answer aloud or on paper. Enter when you are done, or quit: ").strip() == "quit":
        return
    say(board.must_hits().plain())
    say(board.tick(ask("You said (letters): ")).plain())
    say(board.model_answer().plain())
    for number in (1, 2, 3):
        say(board.follow_up(number).plain())
        if ask("Enter for an answer, or quit: ").strip() == "quit":
            return
        say(board.follow_up(number, answer=True).plain())
    scores = _scores(ask, say)
    if scores is None:
        return
    moved = ask("Did you say how the limit moves? (y/n): ").strip().lower().startswith("y")
    say(board.grade(moves_the_limit=moved, **scores).plain())


def _scores(ask: Ask, say: Say) -> dict[str, int] | None:
    """A score for each axis; None where the candidate has had enough."""
    scores = {}
    for axis, item in AXES.items():
        say(f"\n{item.name}: {item.asks}")
        for score, example in enumerate(item.examples):
            say(f"  {score}: {example}")
        while axis not in scores:
            given = ask("0 to 3: ").strip()
            if given == "quit":
                return None
            if given in map(str, range(MOST + 1)):
                scores[axis] = int(given)
    return scores
