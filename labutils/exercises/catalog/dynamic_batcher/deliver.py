"""Step 1: everybody gets their own result, or an error."""

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.serving.dynamic_batcher import DynamicBatcher

from . import stories, wrong

_GONE = (
    "A future that was cancelled takes no result: `set_result` raises `InvalidStateError`, and "
    "those who stand behind it never get their turn. What can you ask a future before?"
)
_COUNT = (
    "`zip` ends with the shorter of the two, without a word. If the numbers differ, whose result "
    "is the first one?"
)

DELIVER = Exercise(
    id="batcher.deliver",
    title="Deliver the results of a batch",
    minutes=8,
    checker=Rehearsals(
        stories=(stories.CLOSED_BROWSER, stories.SHORT_ANSWER, stories.LONG_ANSWER),
        reference=DynamicBatcher,
        method="deliver",
        misconceptions=(
            Misconception("gone-unchecked", wrong.gone_unchecked, _GONE),
            Misconception(
                "count-and-gone-unchecked", wrong.count_and_gone_unchecked, f"{_GONE} {_COUNT}"
            ),
            Misconception(
                "stops-at-the-gone",
                wrong.stops_at_the_gone,
                "You leave the loop at the first who has hung up. What becomes of those behind?",
            ),
            Misconception(
                "closes-the-gap",
                wrong.closes_the_gap,
                "You leave those who hung up out before you pair, and the results of the others "
                "move up by a place. The model has computed theirs as well.",
            ),
            Misconception(
                "all-for-one",
                wrong.all_for_one,
                "One has hung up, and you fail the others for it. Their results are there.",
            ),
            Misconception("count-unchecked", wrong.count_unchecked, _COUNT),
            Misconception(
                "trusts-the-order",
                wrong.trusts_the_order,
                "You hand out the results that came and fail the rest. Do you know which item the "
                "model dropped?",
            ),
        ),
    ),
    hints=(
        "Two questions before any result is handed out: are there as many as requests? And does "
        "this one still wait?",
        "`self.fail(batch, error)` tells everybody who still waits an error. "
        "`ticket.answer.done()` is true for a future that has an answer or was cancelled.",
        "if len(results) != len(batch): self.fail(batch, ValueError(...)) and return; then, for "
        "each pair, set_result only if not ticket.answer.done().",
    ),
    explanation=(
        "A future is settled once: by a result, an error, or a cancellation. Who hangs up settles "
        "theirs, and a second settlement raises in *your* loop. As for the numbers: a model that "
        "returns fewer results than items has broken its contract, and nothing in the list says "
        "which one is missing. Handing out what came would give people the answers of others, "
        "which is worse than an error: nobody sees it."
    ),
)
