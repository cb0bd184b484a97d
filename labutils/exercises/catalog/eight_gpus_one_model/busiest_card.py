"""layouts.busiest · What a batch asks of the experts' cards · 5 minutes, optional

> Put all picks into one list first. What does each of the two numbers need of it: the different
  ones, or all?
> With experts in order, expert e lies on card e // (experts // cards). Count the picks of each
  card.
> flat = [e for token in picks for e in token]; touched = len(set(flat)); loads = np.bincount([e //
  (experts // cards) for e in flat], minlength=cards); return touched, max(loads) / (len(flat) /
  cards).

The first number decides what is *read*: the weights of every touched expert, once. The second
decides what is *waited for*: all cards of a layer end together, so the layer lasts as long as its
busiest card. Both are bad in small batches, each in its own way: few tokens touch nearly all
experts, and few picks are spread unevenly.
"""

from collections import Counter

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _numbers(
    count=len, card_of=lambda expert, experts, cards: expert * cards // experts, ratio=None
):
    """Both numbers, with another idea of what is touched, where experts lie, what is compared."""

    def answer(picks, experts, cards):
        flat = [expert for token in picks for expert in token]
        loads = Counter(card_of(expert, experts, cards) for expert in flat)
        busiest = max(loads.values())
        if ratio is None:
            return count(set(flat)), busiest * cards / len(flat)
        return count(set(flat)), ratio(busiest, loads, flat, picks, experts, cards)

    return answer


_busiest = _numbers()


class Wrong:
    def every_pick(picks, experts, cards):
        """You count picks. Two tokens that pick the same expert touch it once: its weights are read
        once."""
        return sum(map(len, picks)), _busiest(picks, experts, cards)[1]

    def all_experts(picks, experts, cards):
        """You count all experts. Which of them did a token pick?"""
        return experts, _busiest(picks, experts, cards)[1]

    def by_experts(picks, experts, cards):
        """You compare how many experts a card has to read. Asked are the picks: an expert that five
        tokens picked computes five times."""
        touched = {expert for token in picks for expert in token}
        loads = Counter(expert * cards // experts for expert in touched)
        return len(touched), max(loads.values()) * cards / len(touched)

    def by_tokens(picks, experts, cards):
        """You count a token once for each card. If it picked two experts there, the card computes
        twice."""
        flat = [e for token in picks for e in token]
        loads = Counter(c for token in picks for c in {e * cards // experts for e in token})
        return len(set(flat)), max(loads.values()) * cards / sum(loads.values())

    dealt_in_turn = says("""You deal the experts to the cards in turn. They lie in order: the first
        ones on the first card.""")(_numbers(card_of=lambda expert, experts, cards: expert % cards))
    divided_by_the_cards = says("""You divide an expert's number by the number of cards. How many
        experts lie on one card?""")(
        _numbers(card_of=lambda expert, experts, cards: expert // cards)
    )
    whole_mean = says("""Your mean is a whole number of picks. It need not be one.""")(
        _numbers(ratio=lambda most, loads, flat, picks, e, cards: most / max(1, len(flat) // cards))
    )
    mean_of_busy_cards = says("""Your mean leaves out the cards without a pick. They are paid for
        all the same.""")(
        _numbers(ratio=lambda most, loads, flat, *_: most * len(loads) / len(flat))
    )
    picks_of_the_busiest = says("""Those are the picks of the busiest card. Divide by what a card
        has on average.""")(_numbers(ratio=lambda most, *_: most))
    share_of_the_busiest = says("""That is the busiest card's share of all picks. How many times the
        mean is it?""")(_numbers(ratio=lambda most, loads, flat, *_: most / len(flat)))
    over_the_least = says("""You compare the busiest card with the least busy one. Asked is the
        mean.""")(_numbers(ratio=lambda most, loads, *_: most / min(loads.values())))
    per_token = says("""Your mean counts tokens. How many picks does a token make?""")(
        _numbers(ratio=lambda most, loads, flat, picks, experts, cards: most * cards / len(picks))
    )

    def busiest_expert(picks, experts, cards):
        """That is the busiest expert. A card holds several: add up their picks."""
        return (
            _busiest(picks, experts, cards)[0],
            max(Counter(e for t in picks for e in t).values()) * experts / sum(map(len, picks)),
        )

    def swapped(picks, experts, cards):
        """Both numbers are right, in the wrong order: first the experts that are touched."""
        return _busiest(picks, experts, cards)[::-1]


def _some_picks():
    """Tokens that pick different experts each, unevenly often; two to four cards."""
    from hypothesis import strategies as st

    def drawn(shape):
        cards, each, chosen = shape
        experts = cards * each
        token = st.lists(st.integers(0, experts - 1), min_size=chosen, max_size=chosen, unique=True)
        return st.tuples(st.lists(token, min_size=1, max_size=9), st.just(experts), st.just(cards))

    return st.tuples(st.integers(2, 4), st.integers(2, 5), st.integers(1, 3)).flatmap(drawn)


BUSIEST_CARD = exercise(
    __doc__,
    Function(
        _busiest,
        _some_picks,
        tolerance=1e-7,
        always=(
            ([[0, 1], [0, 5], [0, 1], [4, 1]], 6, 3),
            ([[7, 2], [2, 3], [6, 2]], 8, 4),
            ([[3], [3], [3]], 6, 2),
            ([[0, 3, 5], [1, 2, 4], [0, 1, 2]], 6, 3),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
