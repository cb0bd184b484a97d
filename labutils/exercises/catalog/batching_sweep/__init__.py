"""Exercises and predictions of chapter 04, the batching sweep."""

from labutils.exercises.definition.exercise import Prediction

from .batch_practice import LEVERS, PADDING
from .batcher import REPAIR
from .goodput import GOODPUT
from .recursion import NEXT_BATCH
from .stability import LEAST_STABLE

ORDER = 4
TITLE = "Batching sweep"
MINUTES = 65

EXERCISES = (LEAST_STABLE, NEXT_BATCH, GOODPUT, REPAIR, LEVERS, PADDING)

PREDICTIONS = (
    Prediction(
        id="batch.window_by_day",
        question=(
            "400 requests a second come at random; a batch of b takes 5 + 0.5 b ms. A batch starts "
            "when it is full (32), or when its oldest request has waited for the timeout, and the "
            "machine is free. How many times as large is the mean latency with a timeout of 20 ms "
            "as with one of 0?"
        ),
        finding="With a timeout of 20 ms the mean latency is {} times as large as with none.",
        unit="1",
        at_least=0,
        explanation=(
            "A batch collects while the one before it runs, whatever the timeout. A window of 1 or "
            "2 ms has passed by then and changes next to nothing. One of 20 ms delays everyone in "
            "the batch, and the batch that grows by it saves less time than the wait costs."
        ),
    ),
    Prediction(
        id="batch.best_full_batch",
        question=(
            "800 requests a second come at random; a batch of B takes 4 + 0.9 B ms, and the "
            "machine waits until it is full. Which B, from 1 to 64, gives the lowest mean latency?"
        ),
        finding="The lowest mean latency comes with batches of {}.",
        unit="1",
        at_least=1,
        at_most=64,
        explanation=(
            "Below 12 the machine cannot keep up and the queue grows without end. Just above, it "
            "keeps up and is nearly always busy. Far above, requests wait for their batch to "
            "fill. The lowest mean lies a little above the edge."
        ),
    ),
)
