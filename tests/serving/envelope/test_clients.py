"""The same load test in five forms reads as the same stage; bad files get a sentence."""

import json

import numpy as np
import pytest

from labutils.serving.envelope.clients import read_run
from labutils.serving.envelope.faults import faults

from . import client_files
from .client_files import FORMS, a_load, inference_perf, vllm, written


@pytest.mark.parametrize("form", FORMS)
def test_five_forms_of_one_load_test(tmp_path, form):
    load = a_load(350)
    run = read_run(FORMS[form](tmp_path, load), output_tokens=21)
    (stage,) = run.stages
    assert (stage.requests, stage.failed) == (350, 0)
    assert stage.ttft_s["mean"] == pytest.approx(load.ttft_s.mean(), rel=1e-4)
    assert stage.e2e_s["median"] == pytest.approx(np.median(load.e2e_s), rel=1e-4)
    assert stage.prompt_tokens["mean"] == 300 and run.output_tokens == 21
    assert run.tpot_s(stage) == pytest.approx((load.e2e_s - load.ttft_s).mean() / 20, rel=1e-4)
    assert stage.duration_s == pytest.approx(load.sent_s[-1] + 1.1, rel=0.04)
    if form != "inference_perf":
        assert len(stage.log) == 350 and stage.log.intended_arrival_s[0] == 0
        assert np.diff(stage.log.sent_s) == pytest.approx(np.diff(load.sent_s), abs=1e-3)
        assert stage.events_per_token == 1
    assert stage.rate_per_s == (None if form == "course" else 8.0)


def test_who_failed_and_after_how_long(tmp_path):
    load = a_load(300, failed=np.arange(7, 300, 10))
    load.e2e_s[load.failed] = 5.0
    for form, write in FORMS.items():
        (stage,) = read_run(write(tmp_path, load)).stages
        assert (stage.requests, stage.failed) == (300, 30), form
        assert stage.e2e_s["p90"] < 1.2, form
        if form != "vllm":  # it does not keep when a request failed
            assert stage.failed_after_s["median"] == pytest.approx(5, rel=1e-3), form


def test_a_folder_has_its_stages_in_order_and_requests_beside_them(tmp_path):
    for i in range(11):
        inference_perf(tmp_path, a_load(3 if i in (3, 10) else 40, rate=3.0 + i), stage=i)
    rows = [{"stage_id": i, "start_time": i + t, "end_time": i + t + 2.0, "error": None,
             "info": {"response_metrics": {
                 "output_tokens": 2, "output_token_times": [i + t + 0.5, i + t + 1.9]}}}
            for i in (3, 10) for t in (0.0, 0.1, 0.3)]  # fmt: skip
    written(tmp_path / "per_request_lifecycle_metrics.json", rows)
    run = read_run(tmp_path)
    assert [stage.rate_per_s for stage in run.stages] == [3.0 + i for i in range(11)]
    assert [i for i, stage in enumerate(run.stages) if stage.log is not None] == [3, 10]
    assert run.stages[10].log.ttft_s == pytest.approx([0.5] * 3)
    (alone,) = read_run(tmp_path / "stage_3_lifecycle_metrics.json").stages
    assert alone.log.sent_s == pytest.approx([0.0, 0.1, 0.3])


def test_a_sample_of_the_requests_has_no_arrivals(tmp_path):
    path = client_files.guidellm(tmp_path, a_load(60))
    content = json.loads(path.read_text())
    del content["benchmarks"][0]["requests"]["successful"][::3]
    assert read_run(written(path, content)).stages[0].log is None


def test_results_that_were_appended_are_stages(tmp_path):
    lines = [vllm(tmp_path, a_load(30, rate=rate), detailed=False).read_text() for rate in (2, 5)]
    path = tmp_path / "both.json"
    path.write_text("\n".join(lines))
    assert [stage.rate_per_s for stage in read_run(path).stages] == [2, 5]


def test_all_at_once_is_no_rate(tmp_path):
    path = vllm(tmp_path, a_load(30), request_rate="inf", max_concurrency=16)
    (stage,) = read_run(path).stages
    assert stage.rate_per_s is None and stage.concurrency == 16


def notes(path) -> str:
    return "\n".join(read_run(path).notes)


def test_what_is_missing_is_said(tmp_path):
    assert "no end-to-end times" in notes(vllm(tmp_path, a_load(300), detailed=False, more=()))
    assert "means may do" in notes(vllm(tmp_path, a_load(150)))
    assert "150 of 400 requests ended" in notes(vllm(tmp_path, a_load(150), num_prompts=400))
    assert "means may do" not in notes(vllm(tmp_path, a_load(300)))
    assert read_run(vllm(tmp_path, a_load(9), detailed=False, more=())).stages[0].e2e_s == {}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"mean_ttft_ms": float("nan")}, "mean_ttft_ms = 'nan': expected a finite number"),
        ({"duration": float("inf")}, "duration = 'inf'"),
        ({"completed": "many"}, "completed = 'many'"),
        ({"median_e2el_ms": True}, "median_e2el_ms = 'True'"),
        ({"median_tpot_ms": -1}, "median_tpot_ms = '-1'"),
        ({"duration": 0}, "duration is missing or 0"),
        ({"mean_ttft_ms": 9e6}, "one of them is in another unit"),
    ],
)  # fmt: skip
def test_values_that_are_none_are_refused_by_name(tmp_path, changed, said):
    with pytest.raises(ValueError, match=said.replace(".", r"\.")):
        read_run(vllm(tmp_path, a_load(30), detailed=False, **changed))


def test_units_are_read_where_they_stand(tmp_path):
    seconds = read_run(client_files.aiperf(tmp_path, a_load(30), unit="s")).stages[0]
    assert seconds.e2e_s["mean"] == pytest.approx(1.1, rel=0.02)
    with pytest.raises(ValueError, match="unit = 'fortnights': expected s, ms, us or ns"):
        read_run(client_files.aiperf(tmp_path, a_load(30), unit="fortnights"))


@pytest.mark.parametrize(
    "text", ["", "[]", "[3]", "{}", "[" * 100_000, '{"a": 1}\n{"b"', "\x80\x04"]
)
def test_no_file_is_an_exception_of_another_kind(tmp_path, text):
    path = tmp_path / "some.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=r"some\.json"):
        read_run(path)


def test_unknown_keys_are_answered_with_those_that_are_known(tmp_path):
    with pytest.raises(ValueError, match=r"GuideLLM has benchmarks\.0\.metrics; AIPerf has"):
        read_run(written(tmp_path / "x.json", {"p99": 3}))
    with pytest.raises(ValueError, match="stage_0_lifecycle_metrics"):
        read_run(tmp_path)
    with pytest.raises(ValueError, match="there is no such file"):
        read_run(tmp_path / "none.json")


def test_large_files_are_not_read(tmp_path, monkeypatch):
    path = vllm(tmp_path, a_load(30))
    monkeypatch.setattr("labutils.serving.envelope.clients.client_json.MOST_BYTES", 1 << 10)
    with pytest.raises(ValueError, match="expected at most 0 MiB"):
        read_run(path)


def test_clocks_that_differ_a_little_do_no_harm(tmp_path):
    path = client_files.guidellm(tmp_path, a_load(30))
    content = json.loads(path.read_text())
    row = content["benchmarks"][0]["requests"]["successful"][4]
    row["info"]["timings"]["targeted_start"] = row["request_start_time"] + 0.001
    row["request_end_time"] = row["info"]["timings"]["last_token_iteration"] - 1e-5
    (stage,) = read_run(written(path, content)).stages
    assert (stage.log.sent_s >= stage.log.intended_arrival_s).all()


def test_all_at_once_is_an_infinite_rate(tmp_path):
    run = read_run(vllm(tmp_path, a_load(300), detailed=False, request_rate="inf"))
    assert run.stages[0].rate_per_s == np.inf


def test_where_nobody_was_answered_nothing_is_compared(tmp_path):
    load = a_load(20)
    load.failed = np.arange(20)
    with pytest.raises(ValueError, match="nothing can be compared"):
        read_run(client_files.course(tmp_path, load))
    with pytest.raises(ValueError, match="completed is missing or 0"):
        read_run(vllm(tmp_path, a_load(20), completed=0))


def test_no_control_character_reaches_a_terminal(tmp_path):
    path = client_files.guidellm(tmp_path, a_load(30, arrivals="poi\x1b[2Jsson"))
    assert read_run(path).stages[0].arrivals == "poi[2Jsson"


def spoilt(content, path=()):
    """Copies of some JSON with one leaf gone, 0, a word, none, or without end."""
    for key in content if isinstance(content, dict) else range(min(len(content), 2)):
        if isinstance(content[key], dict | list):
            yield from spoilt(content[key], (*path, key))
        else:
            for value in (0, "many", None, float("inf"), [], {}, -1):
                yield (*path, key), value


@pytest.mark.parametrize("form", ["guidellm", "aiperf", "inference_perf", "vllm"])
def test_one_wrong_value_is_read_or_refused_and_nothing_else(tmp_path, form):
    path, refused = FORMS[form](tmp_path, a_load(60, failed=np.arange(7, 60, 9))), 0
    text = path.read_text()
    for keys, value in spoilt(json.loads(text)):
        content = here = json.loads(text)
        for key in keys[:-1]:
            here = here[key]
        here[keys[-1]] = value
        try:
            faults(read_run(written(path, content)))
        except ValueError as error:
            refused += 1
            assert ".json" in str(error) or "nothing can be compared" in str(error), keys
    assert refused > 40


def test_a_length_is_asked_of_all_answers_or_of_none(tmp_path):
    path = client_files.guidellm(tmp_path, a_load(30))
    assert read_run(path).output_tokens == 21
    content = json.loads(path.read_text())
    content["config"]["spec"]["data"][0]["output_tokens_stdev"] = 4
    assert read_run(written(path, content)).output_tokens is None
