"""The prediction against closed forms, and the command as a reader meets it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from labutils.__main__ import main
from labutils.serving.envelope.clients import read_run
from labutils.serving.envelope.predicted import Assumed, predicted
from labutils.serving.measured import Physics, cost_of
from labutils.serving.measured.simulated import pages_of
from labutils.serving.runs.step_cost import StepCost

from .client_files import a_load, course, guidellm, inference_perf, vllm, written
from .test_faults import a_closed_load

STEADY = StepCost(0.05)  # every step takes 50 ms, whatever it holds


def engine(cost=STEADY, *, cached_tokens=0, **physics):
    physics = Physics(**physics)
    return Assumed(physics=physics, cost=cost, pages=4000, cached_tokens=cached_tokens)


def said(path, engine, *, places=128, **asked):
    run = replace(read_run(path, **asked), max_running=places, token_budget=2048)
    return predicted(run, run.stages[0], engine)


def test_steady_steps_make_answers_of_so_many_steps(tmp_path):
    told = said(guidellm(tmp_path, a_load(300)), engine())
    assert told["tpot_s"]["mean"] == pytest.approx(0.05)
    # A newcomer waits for the rest of a step, and its own brings the first of 21 tokens.
    assert told["ttft_s"]["median"] == pytest.approx(0.075, abs=0.01)
    assert told["e2e_s"]["mean"] == pytest.approx(told["ttft_s"]["mean"] + 20 * 0.05)
    assert told["requests_per_s"] == pytest.approx(8, rel=0.05)


def test_the_edge_and_late_steps_come_before_the_first_token(tmp_path):
    path = guidellm(tmp_path, a_load(300))
    plain, seen = said(path, engine()), said(path, engine(edge_s=0.008, late_steps=1))
    for name in ("ttft_s", "e2e_s"):
        later_s = seen[name]["mean"] - plain[name]["mean"]
        assert later_s == pytest.approx(
            0.058, rel=0.02
        )  # one that came to an idle engine misses none
    assert seen["tpot_s"]["mean"] == pytest.approx(plain["tpot_s"]["mean"])


@pytest.mark.parametrize(("places", "edge_s"), [(64, 0.0), (64, 0.2), (3, 0.0)])
def test_a_closed_loop_obeys_littles_law(tmp_path, places, edge_s):
    told = said(vllm(tmp_path, a_closed_load()), engine(edge_s=edge_s), places=places)
    assert told["requests_per_s"] * told["e2e_s"]["mean"] == pytest.approx(8)
    assert told["e2e_s"]["mean"] == pytest.approx(
        max(8 / min(8, places) * 1.05, 1.05 + edge_s), rel=0.02
    )


def test_what_is_in_the_cache_is_not_computed(tmp_path):
    path = guidellm(tmp_path, a_load(300, rate=0.1))
    cost = StepCost(0.01, per_prefill_token_s=1e-3)
    cold, half, warm = (
        said(path, engine(cost, cached_tokens=n))["ttft_s"]["median"] for n in (0, 160, None)
    )
    assert cold - half == pytest.approx(0.160, abs=0.02)
    assert warm < 0.05


def test_unknown_arrivals_are_as_many_as_were_asked_for(tmp_path):
    told = said(inference_perf(tmp_path, a_load(500, rate=5.0)), engine())
    assert told["requests_per_s"] == pytest.approx(5, rel=0.05)


def test_an_engine_of_the_tables(tmp_path):
    run = read_run(guidellm(tmp_path, a_load(30)))
    run = replace(run, model="Llama-2-7B", device="H100 SXM")
    made = cost_of(run, Physics(per_layer_s=40e-6, bandwidth_share=0.85))
    assert made.base_s == pytest.approx(32 * 40e-6)
    assert made.weights_s == pytest.approx(13.4768e9 / (0.85 * 3.35e12), rel=1e-3)
    assert pages_of(run, Physics()) == int((0.9 * 80e9 - 13.4768e9) / (16 * 524288))
    with pytest.raises(ValueError, match="Llama-2-70B does not fit"):
        pages_of(replace(run, model="Llama-2-70B"), Physics())


def command(capsys, *words) -> tuple[int, str, str]:
    status = main(["envelope", *map(str, words)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.fixture
def cost(tmp_path):
    return written(tmp_path / "cost.json", {"base_s": 0.05})


def test_the_command_says_what_it_assumes_predicts_finds_and_cannot_tell(tmp_path, capsys, cost):
    path = inference_perf(tmp_path, a_load(500, events=2))
    status, out, _ = command(capsys, path, "--cost", cost, "--places", 32)
    assert status == 0
    row = next(line.split() for line in out.splitlines() if "mean E2E" in line)
    assert row[2:4] == ["1.07", "s"] and row[-1] == "%"
    assert "events taken for tokens: 2.00 events a token" in out
    assert "tokens of another tokenizer: needs the length asked for" in out.split("Cannot tell")[1]
    assert "32 places, 2048 tokens a step, cache none" in out.split("Assumed")[1]


def test_one_without_tables_and_one_without_prompts(tmp_path, capsys, cost):
    path = vllm(tmp_path, a_load(300), detailed=False)
    status, out, _ = command(capsys, path, "--cost", cost)
    assert status == 0 and "no prediction: the number of prompt tokens" in out
    words = ("--prompt-tokens", 300, "--output-tokens", 21)
    assert "no prediction" not in command(capsys, path, "--cost", cost, *words)[1]
    status, out, _ = command(capsys, path, "--model", "Llama-2-7B", "--gpu", "H100", *words)
    assert status == 0 and "half of the arithmetic, 40 us a layer" in out


def test_answers_of_those_who_waited_are_not_compared(tmp_path, capsys, cost):
    load = a_load(300, failed=np.arange(60))
    out = command(capsys, course(tmp_path, load), "--cost", cost)[1]
    table = out.split("Faults")[0]
    assert table.count("cannot tell") == 6 and "of clients who wait" in table


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "whose engine?"),
        (("--model", "Llama-2-7B"), "whose engine?"),
        (("--model", "Lama", "--gpu", "H100"), "model"),
        (("--cost", "wrong.json"), "expected a JSON object with base_s"),
        (("--cost", "none.json"), "none.json"),
        (("--cost", "cost.json", "--cache", "most"), "expected none, whole or a number"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_in_a_line(tmp_path, capsys, monkeypatch, cost, words, said):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "wrong.json", {"per_token": 1})
    status, out, error = command(capsys, guidellm(tmp_path, a_load(30)), *words)
    assert (status, out) == (2, "") and said in error and error.count("\n") == 1


def test_a_cost_that_was_fitted_is_read_with_all_its_names(tmp_path, capsys):
    fitted = written(tmp_path / "cost.json", vars(StepCost(0.05, per_sequence_s=1e-4)))
    assert json.loads(fitted.read_text())["per_sequence_s"] == 1e-4
    assert command(capsys, guidellm(tmp_path, a_load(30)), "--cost", fitted)[0] == 0
