"""Experts that a batch touches, and the picks of the busiest card."""

from collections import Counter

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


def _told(count=len, card_of=lambda expert, experts, cards: expert * cards // experts, ratio=None):
    """The answer with another idea of what is touched, where experts lie, or what is compared."""

    def answer(picks, experts, cards):
        flat = [expert for token in picks for expert in token]
        loads = Counter(card_of(expert, experts, cards) for expert in flat)
        busiest = max(loads.values())
        if ratio is None:
            return count(set(flat)), busiest * cards / len(flat)
        return count(set(flat)), ratio(busiest, loads, flat, picks, experts, cards)

    return answer


_busiest = _told()


def _every_pick(picks, experts, cards):
    return sum(map(len, picks)), _busiest(picks, experts, cards)[1]


def _all_experts(picks, experts, cards):
    return experts, _busiest(picks, experts, cards)[1]


def _by_experts(picks, experts, cards):
    touched = {expert for token in picks for expert in token}
    loads = Counter(expert * cards // experts for expert in touched)
    return len(touched), max(loads.values()) * cards / len(touched)


def _by_tokens(picks, experts, cards):
    flat = [e for token in picks for e in token]
    loads = Counter(c for token in picks for c in {e * cards // experts for e in token})
    return len(set(flat)), max(loads.values()) * cards / sum(loads.values())


def _swapped(picks, experts, cards):
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


BUSIEST_CARD = Exercise(
    id="layouts.busiest",
    title="What a batch asks of the experts' cards",
    minutes=5,
    checker=Function(
        reference=_busiest,
        inputs=_some_picks,
        tolerance=1e-7,
        always=(
            ([[0, 1], [0, 5], [0, 1], [4, 1]], 6, 3),
            ([[7, 2], [2, 3], [6, 2]], 8, 4),
            ([[3], [3], [3]], 6, 2),
            ([[0, 3, 5], [1, 2, 4], [0, 1, 2]], 6, 3),
        ),
        misconceptions=(
            Misconception(
                "every-pick",
                _every_pick,
                "You count picks. Two tokens that pick the same expert touch it once: its weights "
                "are read once.",
            ),
            Misconception(
                "all-experts",
                _all_experts,
                "You count all experts. Which of them did a token pick?",
            ),
            Misconception(
                "by-experts",
                _by_experts,
                "You compare how many experts a card has to read. Asked are the picks: an expert "
                "that five tokens picked computes five times.",
            ),
            Misconception(
                "by-tokens",
                _by_tokens,
                "You count a token once for each card. If it picked two experts there, the card "
                "computes twice.",
            ),
            Misconception(
                "dealt-in-turn",
                _told(card_of=lambda expert, experts, cards: expert % cards),
                "You deal the experts to the cards in turn. They lie in order: the first ones on "
                "the first card.",
            ),
            Misconception(
                "mean-of-busy-cards",
                _told(ratio=lambda most, loads, flat, *_: most * len(loads) / len(flat)),
                "Your mean leaves out the cards without a pick. They are paid for all the same.",
            ),
            Misconception(
                "picks-of-the-busiest",
                _told(ratio=lambda most, *_: most),
                "Those are the picks of the busiest card. Divide by what a card has on average.",
            ),
            Misconception(
                "share-of-the-busiest",
                _told(ratio=lambda most, loads, flat, *_: most / len(flat)),
                "That is the busiest card's share of all picks. How many times the mean is it?",
            ),
            Misconception(
                "over-the-least",
                _told(ratio=lambda most, loads, *_: most / min(loads.values())),
                "You compare the busiest card with the least busy one. Asked is the mean.",
            ),
            Misconception(
                "per-token",
                _told(
                    ratio=lambda most, loads, flat, picks, experts, cards: most * cards / len(picks)
                ),
                "Your mean counts tokens. How many picks does a token make?",
            ),
            Misconception(
                "busiest-expert",
                lambda picks, experts, cards: (
                    _busiest(picks, experts, cards)[0],
                    max(Counter(e for t in picks for e in t).values())
                    * experts
                    / sum(map(len, picks)),
                ),
                "That is the busiest expert. A card holds several: add up their picks.",
            ),
            Misconception(
                "swapped",
                _swapped,
                "Both numbers are right, in the wrong order: first the experts that are touched.",
            ),
        ),
    ),
    hints=(
        "Put all picks into one list first. What does each of the two numbers need of it: the "
        "different ones, or all?",
        "With experts in order, expert e lies on card e // (experts // cards). Count the picks of "
        "each card.",
        "flat = [e for token in picks for e in token]; touched = len(set(flat)); loads = "
        "np.bincount([e // (experts // cards) for e in flat], minlength=cards); return touched, "
        "max(loads) / (len(flat) / cards).",
    ),
    explanation=(
        "The first number decides what is *read*: the weights of every touched expert, once. The "
        "second decides what is *waited for*: all cards of a layer end together, so the layer "
        "lasts as long as its busiest card. Both are bad in small batches, each in its own way: "
        "few tokens touch nearly all experts, and few picks are spread unevenly."
    ),
)
