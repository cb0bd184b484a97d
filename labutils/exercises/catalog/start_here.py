"""Exercises and the prediction of chapter 00: what a batch costs and what it buys."""

from labutils.exercises.checkers import Function
from labutils.exercises.checkers.sheets import number
from labutils.exercises.definition.sheet import exercise, mistakes_in, predictions

ONE_S, BATCH_SIZE, BATCH_S = 0.004, 16, 0.020

BATCH_THROUGHPUT = number(rf"""
start.batch_throughput · Throughput in batches of 16 · 2 minutes

= {BATCH_SIZE / BATCH_S} 1/s tolerance=0.01 story={BATCH_SIZE},{BATCH_S},{ONE_S},20
- batches-for-vectors {1 / BATCH_S}: That is how many batches a second. How many vectors does each
  of them hold?
- one-at-a-time {1 / ONE_S}: That is the machine without batches, one vector after the other. What
  does it finish in the time of one batch?
- batch-for-free {BATCH_SIZE / ONE_S}: You let a batch take as long as a single vector. How long
  does it really take?
- the-gain {BATCH_SIZE * ONE_S / BATCH_S}: That is how many times as high the throughput is as
  without batches. How high is it, per second?
- multiplied {BATCH_SIZE * BATCH_S}: You multiplied. A rate is a count for each second: what is
  divided by what?
> Throughput is a count divided by a time. What is counted here, and in which time?
> A batch of 16 is done every 20 ms. Mind the unit: 20 ms = 0.020 s.
> 16 vectors / 0.020 s.

Every 20 ms the machine finishes 16 vectors: $16 / 0.020\,\text{{s}} = 800$ per second. One after
the other it finishes $1 / 0.004\,\text{{s}} = 250$. The throughput is 3.2 times as high, and each
vector pays with latency: its answer is there after 20 ms instead of 4.
""")


def _measured_batches():
    """Sizes and two times in seconds, with batches that gain and batches that lose."""
    from hypothesis import strategies as st

    milliseconds = st.integers(1, 200).map(lambda k: k / 2000)
    return st.tuples(st.integers(2, 96), milliseconds, milliseconds)


class WrongThroughputGain:
    def latency_ratio(batch_size, one_s, batch_s):
        """That is how many times longer the batch takes: the price. What does it buy?"""
        return batch_s / one_s

    def forgets_the_batch(batch_size, one_s, batch_s):
        """You compare two times. How many vectors does the machine finish in each of them?"""
        return one_s / batch_s

    def upside_down(batch_size, one_s, batch_s):
        """Upside down: a batch that takes no longer than one vector should gain most."""
        return batch_s / (batch_size * one_s)

    def times_swapped(batch_size, one_s, batch_s):
        """A batch that takes longer gains more with you. Which of the two times should be below the
        line?"""
        return batch_size * batch_s / one_s

    def throughput_itself(batch_size, one_s, batch_s):
        """That is the throughput with batches. By which throughput do you divide it?"""
        return batch_size / batch_s

    def divided_by_both(batch_size, one_s, batch_s):
        """You divide by one_s. To divide by the throughput 1 / one_s is another thing: it takes
        brackets, since `a / 1 / c` divides by c."""
        return batch_size / batch_s / one_s

    def subtracted(batch_size, one_s, batch_s):
        """You subtract one throughput from the other. Asked for is how many times as high it is."""
        return batch_size / batch_s - 1 / one_s

    def time_saved(batch_size, one_s, batch_s):
        """That is a time: what a batch saves. Asked for is one throughput divided by the other."""
        return batch_size * one_s - batch_s

    def batch_for_free(batch_size, one_s, batch_s):
        """You let a batch take as long as a single vector. How long does it take?"""
        return batch_size

    def whole_gains(batch_size, one_s, batch_s):
        """`//` leaves out what stands behind the point: a gain of 3.2 comes out as 3. Which
        operator divides without rounding?"""
        return batch_size * one_s // batch_s

    def gain_less_one(batch_size, one_s, batch_s):
        """That is by how much the throughput grows: 0.5 for half as much again. Asked for is how
        many times as high it is."""
        return batch_size * one_s / batch_s - 1

    def in_per_cent(batch_size, one_s, batch_s):
        """That is a number of per cent. Asked for is how many times as high it is."""
        return 100 * batch_size * one_s / batch_s


THROUGHPUT_GAIN = exercise(
    r"""
    start.throughput_gain · What a batch buys · 3 minutes

    > Two throughputs, one divided by the other. What is each of them?
    > Each of them is a number of vectors divided by the time that they take. How many are done in
      batch_s, and how many in one_s?
    > return (batch_size / batch_s) / (1 / one_s), or batch_size * one_s / batch_s

    $\dfrac{B / t_B}{1 / t_1} = \dfrac{B\,t_1}{t_B}$, with $t_1$ the time of one vector and $t_B$
    the time of a batch of $B$, in seconds. If a batch took $B$ times as long as one, nothing would
    be gained; if it took no longer than one, the gain would be $B$.
    """,
    Function(
        lambda batch_size, one_s, batch_s: batch_size * one_s / batch_s,
        _measured_batches,
        misconceptions=mistakes_in(WrongThroughputGain),
    ),
)

ORDER = 0
TITLE = "Start here"
MINUTES = 26
PREDICTIONS = predictions("""
# start.batch_ratio · 1, at least 0
? How many times as long as one vector do 16 take, at once through one matrix?
= 16 vectors at once take {} times as long as one.
! The work is 16 times as much, the matrix is the same: it has to be read from memory once, for one
  vector and for 16. If reading took all the time, the factor would be 1; the rest is arithmetic.
""")
