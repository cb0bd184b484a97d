"""Reference cards and a glossary: what to look up, computed or cited, and printable.

>>> from labutils.cards import all_cards, card, glossary
>>> card("tokens")            # one card
Formulas: tokens (Llama-3.1-8B on H100 SXM)
...
>>> glossary("goodput")       # words that hold it
goodput: requests per second that meet every objective [04]

``docs/cards.html`` holds them all, laid out for paper.
"""

from difflib import get_close_matches

from labutils.cards import (
    formulas,
    hardware,
    levers,
    load_test_card,
    orders_card,
    planning,
    playbook,
    reading,
    replicas_card,
    symbols,
    targets,
    watching_card,
)
from labutils.cards.card import ReferenceCard
from labutils.cards.glossary import Term, glossary

_MAKERS = (
    formulas.queues,
    formulas.tails_and_shares,
    orders_card.orders,
    formulas.tokens,
    load_test_card.load_test,
    watching_card.watched,
    replicas_card.replicas,
    replicas_card.router_signals,
    symbols.symbols,
    symbols.units,
    hardware.models,
    hardware.accelerators,
    hardware.links,
    targets.published_limits,
    targets.defaults,
    planning.planning_sheet,
    planning.order_of_work,
    planning.debugging,
    levers.levers,
    levers.knobs,
    playbook.playbook,
    playbook.checklist,
    reading.reading,
)


def all_cards() -> tuple[ReferenceCard, ...]:
    """Every card, in the order in which they are printed."""
    return tuple(make() for make in _MAKERS)


def card(card_id: str) -> ReferenceCard:
    """The card of that id; ``ValueError`` names the ids there are."""
    cards = {item.id: item for item in all_cards()}
    if card_id in cards:
        return cards[card_id]
    near = get_close_matches(str(card_id), cards, n=3, cutoff=0.4) or list(cards)
    raise ValueError(f"card_id = {card_id!r}: expected one such as {', '.join(near)}")


__all__ = ["ReferenceCard", "Term", "all_cards", "card", "glossary"]
