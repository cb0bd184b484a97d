"""Prices in a card stay prices: a page that sets formulas passes over them."""

from labutils.exercises.display.card import Card, Prose

IGNORED = "tex2jax_ignore mathjax_ignore"


def test_two_prices_in_a_sentence_are_no_formula():
    assert IGNORED in Card("Cost", (Prose("Ten at $3 are $30 an hour."),)).html()
    assert IGNORED not in Card("Cost", (Prose("Ten at 3 are 30 an hour."),)).html()
