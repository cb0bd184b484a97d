"""The race of two engines: what it counts is true, and noise is called noise."""

import time
from dataclasses import replace

import pytest
import torch

from labutils.engine import LlamaModel, small_spec
from labutils.measure import Rate, Timing
from labutils.serving.trials import Rates
from labutils.workspace.my_engine.bench import (
    COURSE,
    NAIVE,
    NUM_PAGES,
    YOURS,
    Asked,
    Bench,
    Served,
    bench,
)
from labutils.workspace.my_engine.texts.assemble import with_functions

RATES = Rates(copy_bandwidth_bytes_per_s=1e9, matrix_flops_per_s=1e12)


@pytest.fixture(scope="module")
def model():
    spec = small_spec(layers=1, hidden_size=24, num_heads=2, num_kv_heads=1, head_dim=12,
                      ffn_size=20, vocab_size=61)  # fmt: skip
    return LlamaModel(spec, dtype=torch.float64, init_std=0.3)


def raced(model, functions, **options):
    given = {"requests": 23, "rounds": 2, "model": model, "rates": RATES}
    return bench(with_functions(functions), **(given | options))


def test_an_engine_like_the_courses_is_token_exact(model):
    found = raced(model, {})
    assert found.same_answers == 23 and found.line.startswith("token-exact, ")
    yours, course, naive = (found.served[name] for name in (YOURS, COURSE, NAIVE))
    assert yours == course and yours.preemptions > 0 == naive.preemptions
    asked = Asked.draw(23, vocabulary=61, seed=3)
    assert [len(answer) for answer in yours.answers] == list(asked.lengths)
    # Alone, each answer takes a step per token, and one more for each further piece of its prompt.
    pieces = sum(-(-len(prompt) // 64) for prompt in asked.prompts)
    assert naive.steps == sum(asked.lengths) + pieces - 23 > 3 * yours.steps
    assert naive.answers == yours.answers
    assert f"{yours.steps} steps, {yours.preemptions} preemptions" in found.line
    assert all(len(timing.samples_s) == 2 for timing in found.timings.values())


def test_the_floor_counts_bytes_over_the_rate(model):
    found, slower = (
        raced(model, {}, rounds=1, requests=5, rates=rates)
        for rates in (RATES, replace(RATES, copy_bandwidth_bytes_per_s=1e8))
    )
    assert slower.floor_s == pytest.approx(10 * found.floor_s)
    weights = sum(one.numel() for one in {id(p): p for p in model.parameters()}.values()) * 8
    assert found.floor_s > found.floor_steps * 0.8 * weights / 1e9


def test_the_floor_is_measured_by_the_clock_of_the_race(model, monkeypatch):
    """By the wall clock a busy machine copies slowly, and engines in processor time beat it."""
    clocks = []

    def measured(device, *, clock, **options):
        clocks.append((device, clock, options))
        return Rate(1e9, Timing((1.0, 2.0, 4.0)), device)

    monkeypatch.setattr("labutils.measure.copy_bandwidth", measured)
    monkeypatch.setattr("labutils.measure.matrix_rate", measured)
    raced(model, {}, rounds=1, requests=2, rates=None)
    assert [one[:2] for one in clocks] == [("cpu", time.process_time)] * 2
    assert clocks[1][2] == {"dtype": "float64"}


def test_wrong_tokens_are_counted(model):
    def sample(logits, samplings, uniforms):
        wrong = logits.argmin(-1)
        return torch.where(torch.arange(len(wrong)) == 7, wrong, logits.argmax(-1))

    found = raced(model, {"sampling:sample": sample}, rounds=1)
    assert 0 < found.same_answers < 23
    assert found.line.startswith(f"{found.same_answers} of 23 answers the same")


def test_an_engine_that_fails_says_why(model):
    def cut(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        raced(model, {"sampling:sample": cut})


def made(yours, course, floor_s=0.25):
    served = {
        name: Served(((1, 2, 3), (4,)), 12 if name == NAIVE else 5, 0)
        for name in (NAIVE, COURSE, YOURS)
    }
    timings = {NAIVE: Timing((4.0,)), COURSE: Timing(course), YOURS: Timing(yours)}
    return Bench(timings, served, floor_s, 4, "processor time")


def test_the_table_and_the_line():
    found = made((2.0, 2.1, 2.2), (1.05, 1.0, 1.1))
    assert found.of_the_reference == pytest.approx(0.5)
    assert found.of_the_floor == pytest.approx(0.25 / 2.1)
    assert (
        found.line
        == "token-exact, 5 steps, 0 preemptions, 50 % of the reference, 11.9 % of the floor"
    )
    text = repr(found)
    assert text.splitlines()[-1] == found.line and "On a GPU expect" in text
    assert "differ by more than their noise" in found.noise and "do not" not in found.noise
    row = next(row for row in found.rows() if row[0] == NAIVE)
    assert row == (NAIVE, "4", "1", "12", "0", "6.2 %")
    page = found._repr_html_()
    assert page.count("<tr>") == 5 and "the course&#x27;s" in page


def test_an_engine_beyond_the_floor_is_no_number_to_quote():
    found = made((1.3, 1.3, 1.3), (2.0, 2.0, 2.0), floor_s=1.6)
    assert found.line.endswith(", over 100 % of the floor, measured too low")
    table, said = repr(found).split("No engine beats the floor: ")
    assert "123" not in table + said and said.startswith("its rates were measured too low")
    assert [row[-1] for row in found.rows()[1:]] == ["40.0 %", "80.0 %", "over 100 %", "100.0 %"]
    assert "No engine beats" in found._repr_html_()
    other = made((2.0, 2.0, 2.0), (1.3, 1.3, 1.3), floor_s=1.6)
    assert other.line.endswith("80.0 % of the floor") and "No engine beats" in repr(other)
    assert "No engine beats" not in repr(made((2.0, 2.1, 2.2), (1.05, 1.0, 1.1)))


def test_neighbours_within_their_noise_are_not_ranked():
    assert "do not differ" in made((2.0, 2.3, 2.1), (2.2, 2.0, 2.1)).noise


def test_one_or_two_rounds_tell_nothing():
    said = made((2.0,), (1.0,)).noise
    assert said == "Too few rounds to tell yours from the course's: 1 round, expected at least 3."
    assert "2 rounds, expected" in made((2.0, 2.1), (1.0, 1.1)).noise


def test_a_busy_machine_is_said_to_be_busy():
    busy = made((2.0, 2.9, 2.1), (1.6, 2.2, 1.5)).noise
    assert "too busy" in busy and "3 rounds of the same engine differ by up to 44 %" in busy
    assert "too busy" not in made((2.0, 2.9, 2.1), (1.1, 1.0, 1.2)).noise  # apart all the same


def test_few_pages_are_left_on_purpose():
    asked = Asked.draw(40, vocabulary=61, seed=3)
    most = sorted((-(-(len(p) + n) // 16) for p, n in zip(asked.prompts, asked.lengths)))[-16:]
    assert sum(most) > NUM_PAGES > most[-1]
