"""What a request counts, and the names of its pages."""

import random

import pytest

from labutils.engine import Generation, PagePool, Request, Sampling, Scheduler, page_keys


def test_a_request_computes_what_it_knows_but_not_the_end_of_a_full_answer():
    one = Request("a", 5, 3)
    steps = []
    for _ in range(4):
        steps.append(one.to_compute)
        one.computed += one.to_compute
        one.known += one.known < one.most
    assert steps == [5, 1, 1, 0] and one.known == 8 and one.computed == 7
    one.computed = 0
    assert one.to_compute == 7


@pytest.mark.parametrize("name, counts", (("prompt_tokens", (0, 3)), ("max_output_tokens", (3, 0)),
                                          ("prompt_tokens", (2.5, 3))))  # fmt: skip
def test_counts_that_make_no_sense_are_refused(name, counts):
    with pytest.raises(ValueError, match=f"{name} = .*whole number of at least 1"):
        Request("a", *counts).check()
    with pytest.raises(ValueError, match=name):
        Scheduler(2, PagePool(9)).add(Request("a", *counts))


def test_a_generation_is_a_request_with_tokens():
    one = Generation("a", [7, 8, 9], 4, arrival_s=2.5, priority=3, keys=("x",), sent_s=3.0)
    assert (one.prompt_tokens, one.most, one.arrival_s, one.priority) == (3, 7, 2.5, 3)
    assert (one.keys, one.sent_s, one.answer, one.cached) == (("x",), 3.0, [], None)
    ends = [one.take(token, at) for token, at in ((5, 1.0), (6, 2.0), (5, 3.5), (1, 4.0))]
    assert ends == [None, None, None, "length"]
    assert one.answer == [5, 6, 5, 1] and one.times_s == [1.0, 2.0, 3.5, 4.0]
    assert one.tokens == [7, 8, 9, 5, 6, 5, 1]


def test_a_prompt_of_its_own():
    prompt = [1, 2]
    one = Generation("a", prompt, 4)
    one.take(9, 0.0)
    assert prompt == [1, 2]


def test_a_request_keeps_nothing_that_is_not_in_its_list():
    with pytest.raises(AttributeError):
        Request("a", 5, 3).answer_length = 2


def test_keys_name_full_pages_and_all_before_them():
    """Two texts share exactly the keys of the full pages that they begin with."""
    draw = random.Random(5)
    texts = [[draw.randrange(2) for _ in range(draw.randrange(20))] for _ in range(60)]
    texts += [[*text, 1, 0, 1] for text in texts[:20]] + [[]]
    for size in (1, 3, 4):
        keys = [page_keys(text, size) for text in texts]
        for text, names in zip(texts, keys):
            assert len(names) == len(text) // size
        for i, first in enumerate(texts):
            for j, second in enumerate(texts):
                shared = [a == b for a, b in zip(keys[i], keys[j])]
                same = [
                    first[:end] == second[:end]
                    for end in range(size, min(len(first), len(second)) + 1, size)
                ]
                assert shared == same


def test_a_page_of_the_same_tokens_elsewhere_has_another_name():
    names = page_keys([4, 4, 4, 4, 4, 4], 2)
    assert len(set(names)) == 3
    assert page_keys([4, 4], 2) != page_keys([4, 4, 4, 4], 4)


def test_large_and_small_numbers_do_not_run_into_each_other():
    texts = [[1, 256], [257, 0], [256, 1], [1, 1, 0], [2**40, 3]]
    assert len({page_keys(text, 2)[0] for text in texts}) == 5


def test_salted_prompts_share_nothing_with_others():
    text = [1, 2, 3, 4, 5, 6]
    plain, one, other = (page_keys(text, 2, salt=salt) for salt in ("", "tenant 1", "tenant 2"))
    assert not set(plain) & set(one) and not set(one) & set(other)
    assert one == page_keys(text, 2, salt="tenant 1")


@pytest.mark.parametrize(
    "options, message",
    (
        ({"temperature": -0.1}, "temperature = -0.1"),
        ({"top_k": 0}, "top_k = 0: expected a whole number of at least 1"),
        ({"top_p": 0.0}, "top_p = 0.0"),
        ({"top_p": 1.01}, "top_p = 1.01: expected at most 1"),
        ({"seed": -3}, "seed = -3"),
    ),
)
def test_sampling_out_of_range_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Sampling(**options)
    Sampling(temperature=0.0, top_k=1, top_p=1.0, seed=0)
