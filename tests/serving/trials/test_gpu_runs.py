"""Recorded GPU runs: read as they were written, and never shown where there are none."""

import json

from labutils.serving.trials.gpu_runs import NONE_RECORDED, gpu_runs, gpu_summary

RUN = {
    "model": "Odd-3B", "pool": "small", "output_tokens_per_s": 1234.4, "floor_share": 0.417,
    "preemptions": 7, "host_by_device": 0.123,
}  # fmt: skip


def write(folder, name, **fields):
    document = {
        "device": "Fast Card", "kind": "cuda", "quick": False, "command": "python -m benchmarks",
        "date": "2026-03-05T10:00:00+00:00", "runs": [RUN], **fields,
    }  # fmt: skip
    (folder / name).write_text(json.dumps(document), encoding="utf-8")


def test_trials_are_not_shown(tmp_path):
    (tmp_path / "README.md").write_text("no run")
    assert gpu_runs(tmp_path) == [] and gpu_summary(tmp_path) == NONE_RECORDED
    write(tmp_path, "a.json", kind="cpu")
    write(tmp_path, "b.json", quick=True)
    assert gpu_runs(tmp_path) == [] and gpu_summary(tmp_path) == NONE_RECORDED


def test_the_newest_run_is_summed_up(tmp_path):
    write(tmp_path, "z.json", date="2026-03-04T10:00:00+00:00", device="Slow Card")
    write(tmp_path, "a.json")
    assert [run["device"] for run in gpu_runs(tmp_path)] == ["Fast Card", "Slow Card"]
    head, line = gpu_summary(tmp_path).splitlines()
    assert "Fast Card" in head and "2026-03-05" in head and "python -m benchmarks" in head
    assert "Odd-3B, small pool: 1,234 tokens/s, 42 % of the floor, 7 preemptions" in line


def test_what_the_course_ships_holds_whole_gpu_runs_only():
    for run in gpu_runs():
        assert run["kind"] == "cuda" and run["machine"]["packages"]["torch"] and run["command"]
        assert {one["pool"] for one in run["runs"]} == {"full", "small"}
