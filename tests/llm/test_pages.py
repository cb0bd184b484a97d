"""Pages against sequences that grow token by token, reservations against a list of lengths."""

import random

import pytest

from labutils import llm


def grown(tokens, page):
    """Pages and places left over, one token after another."""
    pages = room = 0
    for _ in range(tokens):
        if room == 0:
            pages, room = pages + 1, page
        room -= 1
    return pages, room


@pytest.mark.parametrize("page", (1, 8, 16, 17, 64))
@pytest.mark.parametrize("tokens", (0, 1, 15, 16, 17, 64, 1021))
def test_pages_are_those_of_a_sequence_that_grows(tokens, page):
    assert (llm.pages_for(tokens, page), llm.empty_slots(tokens, page)) == grown(tokens, page)


@pytest.mark.parametrize("page", (1, 16, 31))
def test_the_mean_tail_is_that_of_all_remainders(page):
    tails = [grown(tokens, page)[1] for tokens in range(5 * page + 1, 8 * page + 1)]
    assert llm.mean_empty_slots(page) == pytest.approx(sum(tails) / len(tails))


def test_the_waste_of_reservations_is_the_empty_part_of_their_places():
    lengths = [random.Random(5).randint(40, 2048) for _ in range(70)]
    empty = sum(2048 - length for length in lengths)
    assert llm.reserved_waste(sum(lengths) / 70, 2048) == pytest.approx(empty / (70 * 2048))


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda: llm.pages_for(5, 0), "page_tokens = 0"),
        (lambda: llm.pages_for(-1, 16), "tokens = -1"),
        (lambda: llm.reserved_waste(5, 4), "mean_tokens = 5"),
        (lambda: llm.reserved_waste(0, 0), "reserved_tokens = 0"),
    ),
)
def test_pages_that_cannot_be_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
