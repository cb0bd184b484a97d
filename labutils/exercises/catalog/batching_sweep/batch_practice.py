"""More practice: the optional exercises of the chapter."""

from labutils.exercises.checkers import Function
from labutils.exercises.checkers.sheets import choice
from labutils.exercises.definition.sheet import exercise, mistakes_in

LEVERS = choice("""
batch.levers · Which lever moves the night? · 3 minutes, optional

- a: Raise max_batch from 32 to 128.
! How large is the batch of somebody who is alone?
- b: Put a second machine behind the same queue.
! Is anybody in line at night, whom a second machine could serve?
+ c: Set the window to 0.
! For what does a lone request wait longest, and which change ends that?
+ d: Swap in a model that halves both c0 and c1.
! What takes most of the time once a lone request is running?
- e: Tune the arithmetic: c1 falls to a tenth, c0 stays.
! How much of the 14.9 ms of a lone request is c1?
> Write down what the latency of a lone request consists of.
> Window, c0 and c1: 10 + 4 + 0.9 ms. Nobody else is there.
> Compute all five. Two of them take 2 ms or more off the 14.9.

Alone, a request waits for the window and runs in a batch of one: $10 + 4 + 0.9$ ms. Without the
window it takes 4.9 ms; with the lighter model 12.45 ms. The other three move what happens under
load: a larger batch and a smaller $c_1$ raise the throughput, and a second machine takes half of
the traffic. Batching buys throughput with latency, replicas buy throughput with money, and a faster
model buys both with accuracy or work.
""")


def _padded_share(lengths, batch):
    groups = [lengths[at : at + batch] for at in range(0, len(lengths), batch)]
    computed = sum(len(group) * max(group) for group in groups)
    return 1 - sum(lengths) / computed


class WrongPadding:
    def mean_of_shares(lengths, batch):
        """You average the shares of the batches. A batch of long texts costs more than one of short
        ones: what do you divide by what, over all batches?"""
        groups = [lengths[at : at + batch] for at in range(0, len(lengths), batch)]
        shares = [1 - sum(group) / (len(group) * max(group)) for group in groups]
        return sum(shares) / len(shares)

    def useful_share(lengths, batch):
        """That is the share that was *not* padding."""
        return 1 - _padded_share(lengths, batch)

    def longest_of_all(lengths, batch):
        """You pad every text to the longest of all. A batch knows only its own members."""
        return 1 - sum(lengths) / (len(lengths) * max(lengths))

    def last_batch_full(lengths, batch):
        """Your last batch has members that never came. How many texts are in it?"""
        groups = [lengths[at : at + batch] for at in range(0, len(lengths), batch)]
        return 1 - sum(lengths) / sum(batch * max(group) for group in groups)

    def over_the_useful(lengths, batch):
        """You divide the padding by the useful tokens. The share is that of everything that the
        machine computes."""
        share = _padded_share(lengths, batch)
        return share / (1 - share)

    def sorted_first(lengths, batch):
        """You sort the texts first. That is the cure; here they are batched as they come."""
        return _padded_share(sorted(lengths), batch)

    def tokens_not_share(lengths, batch):
        """That is how many tokens of padding there are. Which share is that of all that the machine
        computes?"""
        groups = [lengths[at : at + batch] for at in range(0, len(lengths), batch)]
        return sum(len(group) * max(group) - sum(group) for group in groups)

    def padding_per_text(lengths, batch):
        """That is the padding of a text on average, in tokens. Divide by the tokens computed, not
        by the texts."""
        return WrongPadding.tokens_not_share(lengths, batch) / len(lengths)

    def leaves_the_rest_out(lengths, batch):
        """You leave the last batch out where it is not full. Its texts are computed, too."""
        whole = lengths[: len(lengths) // batch * batch]
        return _padded_share(whole, batch) if whole else 0.0


def _some_lengths():
    """Two to eleven lengths, in batches of two to five."""
    from hypothesis import strategies as st

    return st.tuples(st.lists(st.integers(1, 60), min_size=2, max_size=11), st.integers(2, 5))


PADDING = exercise(
    r"""
    batch.padding · What padding costs · 4 minutes, optional

    > How many tokens does the machine compute for one batch, padding included?
    > Members times the longest of them. Sum over the batches, and compare with the sum of the
      lengths.
    > 1 - sum(lengths) / sum(len(group) * max(group) for all groups of `batch` texts).

    A padded batch of $k$ texts computes $k \cdot \max(\text{lengths})$ tokens, whatever the lengths
    are. Sums over all batches, then one division: an average of the shares would count a cheap
    batch as much as a dear one. Batches of similar lengths (*buckets*) waste little, and cost
    waiting time: with four buckets each fills four times as slowly.
    """,
    Function(_padded_share, _some_lengths, misconceptions=mistakes_in(WrongPadding)),
)
