"""Exercises and predictions of lab 3, the dynamic batcher."""

from labutils.exercises.catalog import exercise
from labutils.exercises.definition.sheet import predictions

ORDER = 13
TITLE = "Dynamic batcher"
MINUTES = 86

PREDICTIONS = predictions("""
# batcher.survivors · 1, at least 0, at most 4
? Four clients share a batch. The first of them hangs up before the batch starts. How many of the
  four does this batcher answer?
= Of the four clients {} are answered.
! The first result goes to the client that hung up: set_result raises. The handler gives everybody
  the error, beginning with the same one, and raises too. The task that serves is dead, and nobody
  is told.

# batcher.lag · s, at least 0
? A batch of four takes 100 ms in the model, which is called on the event loop. Twelve requests wait
  when the first batch starts. For how long does the loop do nothing else, at a stretch?
= The event loop does nothing else for {} at a stretch.
! Between two batches there is no `await`: full batches run one after the other, and the loop gets
  its turn when the queue is empty. The lag is that of a backlog, not of a batch.
""")


def watch(exercise_id: str, mine, *, seed: int, story: str | None = None):
    """What to draw of a method: its first failing story, shrunk; else the first one, or ``story``.

    Returns an act with ``got`` and ``wanted``. A stub is replaced by the workbook's method, and a
    line says so.
    """
    checker = exercise(exercise_id).checker
    act = checker.act(mine, seed=seed, story=story)
    if act.is_house:
        print("Yours is not there yet: this is the workbook's.")
    return act
