"""The engine's fixed jobs, the peers' tokens, the GPU job's record, the envelope's rows."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks import engine, envelope, gpu_job, jobs, peers  # noqa: E402
from benchmarks.registry import Settings  # noqa: E402
from labutils.serving.trials.reveal import Reveal, Row, Steadiness  # noqa: E402

TINY = replace(
    jobs.SMALL, layers=2, hidden_size=160, num_heads=4, num_kv_heads=2, head_dim=12, ffn_size=60,
    vocab_size=211,
)  # fmt: skip


pytestmark = pytest.mark.usefixtures("one_thread")


def test_the_ragged_job_is_what_it_says():
    job = jobs.ragged_job(jobs.SMALL, 64)
    sizes, lengths = np.array([len(prompt) for prompt in job.prompts]), np.array(job.lengths)
    assert len(sizes) == 64 and 8 <= sizes.min() < 20 and 245 < sizes.max() <= 256
    assert lengths.min() >= 1 and lengths.max() <= 192 and 40 < lengths.mean() < 60
    cut = jobs.ragged_job(jobs.WIDE, 24)
    assert cut.lengths == job.lengths[:24]
    assert [len(prompt) for prompt in cut.prompts] == sizes[:24].tolist()
    assert cut.trace.output_tokens.sum() == cut.output_tokens == sum(cut.lengths)


def test_shapes_have_the_weights_that_they_promise():
    assert jobs.SMALL.parameters == pytest.approx(4.2e6, rel=0.01)
    assert jobs.WIDE.parameters == pytest.approx(100.7e6, rel=0.001)


def test_the_gpu_workload_is_nano_vllms_to_the_token():
    job = jobs.nano_vllm_job(jobs.SMALL)
    assert sum(map(len, job.prompts)) == 142_827 and job.output_tokens == 133_966


@pytest.mark.full
def test_engine_and_both_peers_say_the_same():
    job = jobs.ragged_job(TINY, 64)
    short = sorted(range(64), key=lambda row: len(job.prompts[row]) + job.lengths[row])[1:6]
    prompts = [[token % 211 for token in job.prompts[row]] for row in short]
    lengths = [min(job.lengths[row], 9) for row in short]
    job = jobs.Job(TINY, tuple(prompts), tuple(lengths))
    theirs = peers.qwen3(TINY)
    settings = engine.EngineSettings(max_sequences=3, token_budget=40, num_pages=200)
    weights = engine._same_weights(theirs)
    ours, fast = (
        engine.answers_of(engine.serve(kind, weights, job, settings)) for kind in engine.OURS
    )
    assert ours == fast
    assert [len(answer) for answer in ours] == lengths and len(set().union(*ours)) > 12
    static = peers.generate(theirs, prompts, lengths, peers.StaticSettings(batch=2))
    options = peers.ContinuousSettings(num_blocks=64, max_batch_tokens=64)
    paged = peers.continuous(theirs, prompts, lengths, options)
    assert ours == static == paged
    assert peers.differ(theirs, prompts, ours, paged) == 0
    wrong = [list(answer) for answer in ours]
    wrong[2][0] = (wrong[2][0] + 1) % 211
    assert peers.differ(theirs, prompts, wrong, paged) == 1
    assert peers.differ(theirs, prompts, [answer[:-1] for answer in ours], paged) == 5


def test_the_gpu_job_records_what_the_readme_lists(tmp_path, monkeypatch):
    monkeypatch.setattr(gpu_job, "nano_vllm_job", lambda spec, requests: tiny_job(spec))
    monkeypatch.setattr(gpu_job, "MAX_SEQUENCES", 4)
    monkeypatch.setattr(gpu_job, "BATCHES", (2, 3))
    monkeypatch.setattr(gpu_job, "CONTEXTS", (20, 33))
    slow = SimpleNamespace(copy_bandwidth_bytes_per_s=2e9, matrix_flops_per_s=3e9)
    monkeypatch.setattr(gpu_job, "_profile", lambda device: slow)
    document = gpu_job.record(device="cpu", quick=True, folder=tmp_path, specs=[TINY])
    assert json.loads(next(tmp_path.glob("*.json")).read_text(encoding="utf-8")) == document
    full, small = document["runs"]
    assert (full["preemptions"], full["pool"]) == (0, "full")
    assert small["preemptions"] > 0 and small["most_pages_in_use"] <= small["pages"] < full["pages"]
    assert full["output_tokens"] == small["output_tokens"] == 6 * 30
    assert len(document["attention"]) == 4
    readme = (gpu_job.FOLDER / "README.md").read_text(encoding="utf-8")
    names = {*document, *full, *document["attention"][0]} - {"model", "pool", "requests"}
    assert [name for name in names if f"`{name}`" not in readme] == ["output_tokens"]
    assert len(list(gpu_job.rows(document))) == 2 * 3 + 4


def tiny_job(spec):
    draws = np.random.default_rng(2)
    prompts = [draws.integers(0, spec.vocab_size, 7 + row).tolist() for row in range(6)]
    return jobs.Job(spec, tuple(prompts), (30,) * 6)


def test_the_envelope_reports_each_run_and_each_figure():
    def revealed(said, noise=0.01):
        rows = (Row(0.7, "ttft_p99_s", ((said, 1.0),) * 3, 0.1),)
        return Reveal(rows, Steadiness(noise))

    reveals = [revealed(0.7), revealed(1.04), revealed(1.08)]
    last = envelope.figure_row([reveal.rows[0] for reveal in reveals])
    assert last.value == pytest.approx(0.08) and "signed +0.040" in last.note
    assert "in 2 of 3 runs" in last.note and last.name.endswith("TTFT p99")
    assert envelope.run_row(0, reveals[0]).value == 0
    assert "machine was busy" in envelope.run_row(4, revealed(1.0, noise=0.3)).note


@pytest.mark.full
def test_a_quick_envelope_runs():
    rows = list(envelope.predicted_against_measured(Settings(quick=True)))
    assert [row.name for row in rows[:2]] == [
        "run 1, held of 0", "runs of 1 with no more outside than by luck",
    ]  # fmt: skip
    assert len(rows) == 2 + 9 and all(row.goal is None for row in rows)
