"""Step 1: everybody gets their own result, or an error."""

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.serving.batcher.dynamic_batcher import DynamicBatcher

from . import batch_stories as stories
from . import wrong_batches as wrong

_GONE = (
    "A future that was cancelled takes no result: `set_result` raises `InvalidStateError`, and "
    "the tickets behind it never get their turn. What can you ask a future before?"
)
_COUNT = (
    "`zip` ends with the shorter of the two, without a word. If the numbers differ, whose result "
    "is the first one?"
)
_EMPTY = (
    "A client waits for an answer that is 0, None or an empty list, and never hears: these are "
    "results like others. What has to be asked of the *future*, and nothing of the result?"
)

DELIVER = Exercise(
    id="batcher.deliver",
    title="Deliver the results of a batch",
    minutes=8,
    checker=Rehearsals(
        stories=(
            stories.CLOSED_BROWSER,
            stories.SHORT_ANSWER,
            stories.LONG_ANSWER,
            stories.EMPTY_RESULT,
        ),
        reference=DynamicBatcher,
        method="deliver",
        misconceptions=(
            Misconception("gone-unchecked", wrong.gone_unchecked, _GONE),
            Misconception("count-unchecked", wrong.count_unchecked, _COUNT),
            Misconception(
                "only-too-few",
                wrong.only_too_few,
                "Too few results fail the batch, too many are handed out. If there is one too "
                "many, whose is the second?",
            ),
            Misconception(
                "count-and-gone-unchecked", wrong.count_and_gone_unchecked, f"{_GONE} {_COUNT}"
            ),
            Misconception(
                "stops-at-the-gone",
                wrong.stops_at_the_gone,
                "You leave the loop at the first client that has hung up. What becomes of those "
                "behind it?",
            ),
            Misconception(
                "closes-the-gap",
                wrong.closes_the_gap,
                "You leave those who hung up out before you pair, and the results of the others "
                "move up by a place. The model has computed an answer for them as well.",
            ),
            Misconception(
                "all-for-one",
                wrong.all_for_one,
                "One has hung up, and you fail the others for it. Their results are there.",
            ),
            Misconception(
                "silent-when-short",
                wrong.silent_when_short,
                "You rightly hand nothing out when the numbers differ, and you tell nobody. What "
                "do those in the batch wait for?",
            ),
            Misconception("falsy-is-nothing", wrong.falsy_is_nothing, _EMPTY),
            Misconception("none-is-nothing", wrong.none_is_nothing, _EMPTY),
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
        "A future is settled once: by a result, an error, or a cancellation. A client that hangs "
        "up settles its future, and a second settlement raises in *your* loop. So ask the future "
        "whether it still waits, and never the result: 0 and None are answers too. As for the "
        "numbers: a model that returns fewer results than items has broken its contract, and "
        "nothing in the list says which one is missing. Handing out what came would give people "
        "the answers of others, which is worse than an error: nobody sees it."
    ),
)
