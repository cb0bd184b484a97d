r"""layouts.step · A decode step on several cards · 5 minutes

> Two terms: what each card reads, and what all cards exchange. Which one falls with more cards?
> An all-reduce takes floor_s + 2(p - 1)/p · message_bytes / bytes_per_s. How many of them does a
  step have?
> With each = floor_s + 2 * (cards - 1) / cards * message_bytes / bytes_per_s the step is read_s /
  cards + 2 * layers * each. And a single card?

The reading falls as $1/p$, and the exchange grows towards $2L(\alpha + 2m/\beta)$. So each doubling
of the cards saves half of what the last one saved, and pays at least as much. At batch 1 the
message is a few kilobytes and $\alpha$ rules: a time that no bandwidth shortens. In a large batch
the bytes rule, and the link decides.
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _rule(
    share=lambda p: 2 * (p - 1) / p, exchanges=2, reading=lambda s, p: s / p, alone=True,
    floors=lambda p: 1,
):  # fmt: skip
    """The step with another idea of a message's part, of exchanges and floors, or the reading."""

    def step(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
        if cards == 1 and alone:
            return read_s
        each = floors(cards) * floor_s + share(cards) * message_bytes / bytes_per_s
        return reading(read_s, cards) + exchanges * layers * each

    return step


_step = _rule()


class Wrong:
    one_a_layer = says("""You exchange once a layer. Attention ends with a sum over the cards, and
        what comes after it in the layer?""")(_rule(exchanges=1))
    whole_message = says("""You send the message once, whole. How many parts of it does each card
        send, to add up and then to tell? (In whole numbers, with `//`, the factor is 1.)""")(
        _rule(share=lambda p: 1)
    )
    twice_the_message = says("""You send the message twice. Each card keeps a part of it at home:
        how large?""")(_rule(share=lambda p: 2))
    adds_up_only = says("""Your cards add up their parts, and then each knows a part of the sum. Who
        tells the others?""")(_rule(share=lambda p: (p - 1) / p))
    to_everyone = says("""You send the whole message to every other card. With two steps, adding up
        and telling, a card sends less.""")(_rule(share=lambda p: p - 1))
    reading_not_divided = says("""Every card reads everything in your step. What does tensor
        parallelism divide?""")(_rule(reading=lambda s, p: s))
    never_divided = says("""The reading is not divided by the cards in your step, and a single card
        pays for exchanges. What does each of the cards read, and with whom does one exchange?""")(
        _rule(reading=lambda s, p: s, alone=False)
    )
    parts_not_divided = says("""You send 2(p - 1) messages as long as the whole vector. It is cut
        into as many parts as there are cards: how long is what a card sends at a time?""")(
        _rule(share=lambda p: 2 * (p - 1))
    )
    as_a_tree = says("""Your cards add up in pairs, the whole message in each of log2(p) rounds.
        Here each sends parts: how many, and how long?""")(_rule(share=math.log2, floors=math.log2))
    a_floor_for_each_hop = says("""You pay the floor for each message of the ring. `floor_s` is that
        of one all-reduce, with all its messages.""")(_rule(floors=lambda p: 2 * (p - 1)))
    floor_in_both_halves = says("""You multiply the floor by 2(p - 1)/p, too. `floor_s` is that of a
        whole all-reduce, with both halves.""")(_rule(floors=lambda p: 2 * (p - 1) / p))
    one_card_exchanges = says("""A single card pays for exchanges here. With whom?""")(
        _rule(alone=False)
    )

    def floor_once(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
        """You pay the floor once a step. Each all-reduce has to begin anew."""
        if cards == 1:
            return read_s
        moved = 2 * layers * 2 * (cards - 1) / cards * message_bytes / bytes_per_s
        return read_s / cards + floor_s + moved

    def no_floor(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
        """You count the bytes alone. What does an all-reduce of one byte take?"""
        return _step(cards, read_s, layers, message_bytes, 0.0, bytes_per_s)

    def floor_alone(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
        """You count the floor alone. Here the messages are long enough to count."""
        return _step(cards, read_s, layers, 0.0, floor_s, bytes_per_s)

    def exchange_divided(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
        """You divide the exchange by the cards, too. All of them exchange at the same time."""
        whole = _step(cards, read_s, layers, message_bytes, floor_s, bytes_per_s)
        return read_s / cards + (whole - read_s / cards) / cards

    def not_the_layers(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
        """You exchange in one layer alone. How many layers wait for their sums?"""
        return _step(cards, read_s, 1, message_bytes, floor_s, bytes_per_s)

    def hidden(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
        """You let the exchange hide behind the reading. The next matrix needs the sum: the two
        follow each other."""
        whole = _step(cards, read_s, layers, message_bytes, floor_s, bytes_per_s)
        return max(read_s / cards, whole - read_s / cards)

    def exchange_only(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
        """That is the exchange. The cards read their parts of the weights, too."""
        return _step(cards, read_s, layers, message_bytes, floor_s, bytes_per_s) - read_s / cards


def _some_steps():
    """One to eight cards, times that neither term drowns, and messages of a few KB to a few MB."""
    from hypothesis import strategies as st

    return st.tuples(
        st.sampled_from([1, 2, 3, 4, 8]),
        st.integers(5, 60).map(lambda ms: ms / 1000),
        st.integers(16, 96),
        st.integers(8, 3000).map(lambda kib: 1024 * kib),
        st.integers(3, 40).map(lambda us: us / 1e6),
        st.sampled_from([5e9, 12e9, 50e9, 90e9]),
    )


REDUCED_STEP = exercise(
    __doc__,
    Function(
        _step,
        _some_steps,
        tolerance=1e-7,
        always=(
            (1, 0.02, 32, 65536, 1e-5, 5e9),
            (8, 0.053, 80, 524288, 6e-6, 72e9),
            (2, 0.02, 48, 1048576, 5e-6, 12e9),
            (3, 0.031, 40, 2097152, 9e-6, 50e9),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
