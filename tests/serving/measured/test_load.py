"""The table of load tests, and the requests behind them."""

from dataclasses import replace

import numpy as np
import pytest

from labutils.serving.measured import measured_run, measured_runs, workload

RUN = measured_run("Llama-2-7B general")
PERCENTS = {"p1": 1, "p10": 10, "p25": 25, "median": 50, "p75": 75, "p90": 90, "p99": 99}


def test_the_table_has_twelve_runs_of_three_workloads():
    runs = measured_runs()
    assert len(runs) == len({run.name for run in runs}) == 12
    assert sum(len(run.stages) for run in runs) == 20
    for model in ("Llama-2-7B", "CodeLlama-34B", "Llama-2-70B", "Mixtral-8x7B"):
        of_model = {run.workload: len(run.stages) for run in runs if run.model == model}
        assert of_model == {"general": 2, "codegen": 2, "reasoning": 1}
    for run in runs:
        assert run.device == "H100 SXM" and run.max_running == 128 and run.token_budget == 2048
        for stage in run.stages:
            assert stage.requests == stage.rate_per_s * stage.duration_s
            assert (stage.failed > 0) == bool(stage.failed_after_s)


def test_a_run_that_is_not_in_the_table_is_refused_with_those_that_are():
    with pytest.raises(ValueError, match=r"'Llama-2-7B roleplay': .* Mixtral-8x7B reasoning"):
        measured_run("Llama-2-7B roleplay")


@pytest.mark.parametrize("arrivals", ["exponential", "even"])
def test_each_stage_has_its_requests_and_its_duration(arrivals):
    load = workload(RUN, arrivals=arrivals, seed=5)
    times = load.trace.arrival_s
    assert np.bincount(load.stage).tolist() == [4800, 12000]
    assert np.all(np.diff(times) >= 0) and times[0] > 0
    assert times[load.stage == 0][-1] == pytest.approx(600)
    second = times[load.stage == 1]  # a minute later
    assert second[0] > 660 and second[-1] == pytest.approx(1260)


def test_gaps_are_even_or_vary_as_much_as_their_mean():
    def cv(arrivals):
        load = workload(RUN, arrivals=arrivals, seed=2)
        gaps = np.diff(load.trace.arrival_s[load.stage == 1])
        return gaps.std() / gaps.mean()

    assert cv("even") < 1e-9
    assert cv("exponential") == pytest.approx(1, abs=0.05)  # five standard errors of 12,000 gaps


@pytest.mark.parametrize("run", measured_runs(), ids=lambda run: run.name)
def test_texts_have_the_lengths_of_the_report(run):
    texts = workload(run, seed=3).trace.prompt_tokens[:100]
    told = run.stages[0].prompt_tokens
    for name, percent in PERCENTS.items():
        assert np.percentile(texts, percent) == pytest.approx(told[name], abs=1.2), name
    assert texts.mean() == pytest.approx(told["mean"], abs=1.5)
    assert np.any(np.diff(texts) < 0)  # in no order


def test_a_hundred_texts_are_asked_in_a_circle():
    load = workload(RUN, seed=4)
    keys, lengths = load.trace.prefix_keys, load.trace.prompt_tokens
    assert load.trace.prefix_page_tokens == 16
    assert [len(one) for one in keys] == (lengths // 16).tolist()
    assert len({one[0] for one in keys}) == len(set(keys)) == 100
    for stage in (0, 1):
        rows = np.flatnonzero(load.stage == stage)
        assert all(keys[row] == keys[n % 100] for n, row in enumerate(rows))
        assert all(lengths[row] == lengths[n % 100] for n, row in enumerate(rows))
    assert len(set(workload(RUN, texts=7).trace.prefix_keys)) == 7


def test_without_a_cache_nothing_else_changes():
    known, new = workload(RUN, seed=6), workload(RUN, cached=False, seed=6)
    assert new.trace.prefix_keys is None and new.trace.prefix_page_tokens is None
    for name in ("arrival_s", "prompt_tokens", "output_tokens"):
        np.testing.assert_array_equal(getattr(known.trace, name), getattr(new.trace, name))


def test_answers_are_as_long_as_they_were_asked_to_be_or_as_reported():
    assert set(workload(RUN).trace.output_tokens) == {248}
    reported = {"p10": 20.0, "median": 50.0, "p90": 300.0}
    first = replace(RUN.stages[0], reported_output_tokens=reported)
    answers = workload(replace(RUN, stages=(first,), output_tokens=None)).trace.output_tokens
    assert np.percentile(answers, [10, 50, 90]) == pytest.approx([20, 50, 300], abs=1)
    alike = replace(first, reported_output_tokens={"mean": 77.4})
    assert set(workload(replace(RUN, stages=(alike,), output_tokens=None)).trace.output_tokens) == {
        77
    }


def test_a_seed_decides_everything():
    one, same, other = (workload(RUN, seed=seed).trace for seed in (1, 1, 2))
    assert one.arrival_s.tolist() == same.arrival_s.tolist() != other.arrival_s.tolist()
    assert one.prompt_tokens.tolist() == same.prompt_tokens.tolist() != other.prompt_tokens.tolist()


def test_other_arrivals_and_no_texts_are_refused():
    with pytest.raises(ValueError, match="arrivals = 'poisson': expected 'exponential' or 'even'"):
        workload(RUN, arrivals="poisson")
    with pytest.raises(ValueError, match="texts = 0"):
        workload(RUN, texts=0)


def test_lengths_that_nobody_reported_are_asked_for():
    silent = replace(RUN.stages[0], prompt_tokens={})
    with pytest.raises(ValueError, match="lengths of prompts or answers: expected quantiles"):
        workload(replace(RUN, stages=(silent,)))
