r"""continuous.slot_efficiency · The share of slots that produce tokens · 5 minutes

> Two sums over the whole run: tokens produced, and slot-steps paid for. One division, at the end.
> A batch keeps all of its slots for as many steps as its longest answer has tokens.
> paid += batch * max(lengths[first : first + batch]) for first in range(0, len(lengths), batch);
  return sum(lengths) / paid.

Tokens over slot-steps, each summed over the run: in the long run $E[\text{length}] /
E[\text{longest of } B]$, a ratio of means. The mean of the ratios is another number: it gives a
batch of short answers, which is soon over, the weight of a long one. For 16 exponential lengths the
first is 29.6 %, the second about 31.5 %.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in


def _batches(lengths, batch):
    return [lengths[first : first + batch] for first in range(0, len(lengths), batch)]


def _slot_efficiency(lengths, batch):
    paid = sum(batch * max(one) for one in _batches(lengths, batch))
    return sum(lengths) / paid


class Wrong:
    def mean_of_ratios(lengths, batch):
        """You average the shares of the batches, so a short batch counts as much as a long one.
        Which batches hold the machine for longer?"""
        shares = [sum(one) / (batch * max(one)) for one in _batches(lengths, batch)]
        return sum(shares) / len(shares)

    def mean_of_ratios_of_the_filled(lengths, batch):
        """You average the shares of the batches, so a short batch counts as much as a long one. And
        how many slots does the last batch keep, when few requests are left?"""
        shares = [sum(one) / (len(one) * max(one)) for one in _batches(lengths, batch)]
        return sum(shares) / len(shares)

    def short_last_batch(lengths, batch):
        """Your last batch has as many slots as it has requests. The machine has `batch` slots all
        the time: what do the others do?"""
        return sum(lengths) / sum(len(one) * max(one) for one in _batches(lengths, batch))

    def drops_the_rest(lengths, batch):
        """You leave out a last batch that is not full. Its tokens and its steps count."""
        full = [one for one in _batches(lengths, batch) if len(one) == batch]
        if not full:
            return 0.0
        return sum(map(sum, full)) / sum(batch * max(one) for one in full)

    def longest_of_all(lengths, batch):
        """You let every batch last as long as the longest answer of all. Each one ends with its own
        longest."""
        return sum(lengths) / (len(_batches(lengths, batch)) * batch * max(lengths))

    def mean_over_longest(lengths, batch):
        """You divide the mean by the longest answer of all. Each batch ends with its own longest.
        How does that change with the number that share a batch?"""
        return sum(lengths) / (len(lengths) * max(lengths))

    def one_batch_of_all(lengths, batch):
        """You pay for one batch, as long as the longest answer of all. How many batches follow one
        another until all requests are served?"""
        return sum(lengths) / (batch * max(lengths))

    def per_cent(lengths, batch):
        """That is a number of per cent. Asked for is a share, from 0 to 1."""
        return 100 * _slot_efficiency(lengths, batch)

    def waste(lengths, batch):
        """That is the share that is wasted. The share that produces tokens is asked for."""
        return 1 - _slot_efficiency(lengths, batch)

    def sorted_first(lengths, batch):
        """You sort the lengths before you batch them. Who knows the length of an answer before it
        is written?"""
        return _slot_efficiency(sorted(lengths), batch)

    def a_batch_from_each(lengths, batch):
        """Your batches overlap: one begins at each answer. In which steps does `first` go up?"""
        windows = [lengths[first : first + batch] for first in range(len(lengths))]
        return sum(lengths) / sum(batch * max(one) for one in windows)

    def continuous(lengths, batch):
        """You refill a slot as soon as its answer ends: continuous batching, which comes next. When
        does a static batch take the next answers?"""
        free = [0] * batch
        for length in lengths:
            free[free.index(min(free))] += length
        return sum(lengths) / (batch * max(free))

    def one_slot(lengths, batch):
        """That is the mean number of tokens per step. How many slots stood ready for them?"""
        return sum(lengths) / sum(max(one) for one in _batches(lengths, batch))


def _some_lengths():
    """One to fourteen lengths of 1 to 60 tokens and batches of 1 to 6."""
    from hypothesis import strategies as st

    lengths = st.lists(st.integers(1, 60), min_size=1, max_size=14)
    return st.tuples(lengths, st.integers(1, 6))


SLOTS = exercise(
    __doc__, Function(_slot_efficiency, _some_lengths, misconceptions=mistakes_in(Wrong))
)
