"""Exercises and the prediction of chapter 00: what a batch costs and what it buys."""

from labutils.exercises.checkers import Function, Number
from labutils.exercises.definition.exercise import Exercise, Misconception, Prediction

ONE_S, BATCH_SIZE, BATCH_S = 0.004, 16, 0.020

BATCH_THROUGHPUT = Exercise(
    id="start.batch_throughput",
    title="Throughput in batches of 16",
    minutes=2,
    checker=Number(
        expected=lambda: BATCH_SIZE / BATCH_S,
        unit="1/s",
        tolerance=0.01,
        story=(BATCH_SIZE, BATCH_S, ONE_S, 20),
        misconceptions=(
            Misconception(
                "batches-for-vectors",
                lambda: 1 / BATCH_S,
                "That is how many batches a second. How many vectors does each of them hold?",
            ),
            Misconception(
                "one-at-a-time",
                lambda: 1 / ONE_S,
                "That is the machine without batches, one vector after the other. What does it "
                "finish in the time of one batch?",
            ),
            Misconception(
                "batch-for-free",
                lambda: BATCH_SIZE / ONE_S,
                "You let a batch take as long as a single vector. How long does it really take?",
            ),
            Misconception(
                "the-gain",
                lambda: BATCH_SIZE * ONE_S / BATCH_S,
                "That is how many times as high the throughput is as without batches. How high "
                "is it, per second?",
            ),
            Misconception(
                "multiplied",
                lambda: BATCH_SIZE * BATCH_S,
                "You multiplied. A rate is a count for each second: what is divided by what?",
            ),
        ),
    ),
    hints=(
        "Throughput is a count divided by a time. What is counted here, and in which time?",
        "A batch of 16 is done every 20 ms. Mind the unit: 20 ms = 0.020 s.",
        "16 vectors / 0.020 s.",
    ),
    explanation=(
        "Every 20 ms the machine finishes 16 vectors: $16 / 0.020\\,\\text{s} = 800$ per second. "
        "One after the other it finishes $1 / 0.004\\,\\text{s} = 250$. The throughput is 3.2 "
        "times as high, and each vector pays with latency: its answer is there after 20 ms "
        "instead of 4."
    ),
)


def _measured_batches():
    """Sizes and two times in seconds, with batches that gain and batches that lose."""
    from hypothesis import strategies as st

    milliseconds = st.integers(1, 200).map(lambda k: k / 2000)
    return st.tuples(st.integers(2, 96), milliseconds, milliseconds)


THROUGHPUT_GAIN = Exercise(
    id="start.throughput_gain",
    title="What a batch buys",
    minutes=3,
    checker=Function(
        reference=lambda batch_size, one_s, batch_s: batch_size * one_s / batch_s,
        inputs=_measured_batches,
        misconceptions=(
            Misconception(
                "latency-ratio",
                lambda batch_size, one_s, batch_s: batch_s / one_s,
                "That is how many times longer the batch takes: the price. What does it buy?",
            ),
            Misconception(
                "forgets-the-batch",
                lambda batch_size, one_s, batch_s: one_s / batch_s,
                "You compare two times. How many vectors does the machine finish in each of them?",
            ),
            Misconception(
                "upside-down",
                lambda batch_size, one_s, batch_s: batch_s / (batch_size * one_s),
                "Upside down: a batch that takes no longer than one vector should gain most.",
            ),
            Misconception(
                "times-swapped",
                lambda batch_size, one_s, batch_s: batch_size * batch_s / one_s,
                "A batch that takes longer gains more with you. Which of the two times should be "
                "below the line?",
            ),
            Misconception(
                "throughput-itself",
                lambda batch_size, one_s, batch_s: batch_size / batch_s,
                "That is the throughput with batches. By which throughput do you divide it?",
            ),
            Misconception(
                "gain-less-one",
                lambda batch_size, one_s, batch_s: batch_size * one_s / batch_s - 1,
                "That is by how much the throughput grows: 0.5 for half as much again. Asked for "
                "is how many times as high it is.",
            ),
            Misconception(
                "in-per-cent",
                lambda batch_size, one_s, batch_s: 100 * batch_size * one_s / batch_s,
                "That is a number of per cent. Asked for is how many times as high it is.",
            ),
        ),
    ),
    hints=(
        "Two throughputs, one divided by the other. What is each of them?",
        "Each of them is a number of vectors divided by the time that they take. How many are done "
        "in batch_s, and how many in one_s?",
        "return (batch_size / batch_s) / (1 / one_s), or batch_size * one_s / batch_s",
    ),
    explanation=(
        "$\\dfrac{B / t_B}{1 / t_1} = \\dfrac{B\\,t_1}{t_B}$, with $t_1$ the time of one vector "
        "and $t_B$ the time of a batch of $B$, in seconds. If a batch took $B$ times as long as "
        "one, nothing would be gained; if it took no longer than one, the gain would be $B$."
    ),
)

ORDER = 0
TITLE = "Start here"
MINUTES = 25

EXERCISES = (BATCH_THROUGHPUT, THROUGHPUT_GAIN)

PREDICTIONS = (
    Prediction(
        id="start.batch_ratio",
        question="How many times as long as one vector do 16 take, at once through one matrix?",
        finding="16 vectors at once take {} times as long as one.",
        unit="1",
        explanation=(
            "The work is 16 times as much, the matrix is the same: it has to be read from memory "
            "once, for one vector and for 16. If reading took all the time, the factor would be 1; "
            "the rest is arithmetic."
        ),
    ),
)
