"""The benchmark suite's own arithmetic and book-keeping; its figures are no test's business."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks import __main__ as suite, registry  # noqa: E402
from benchmarks.registry import Goal, Row, Unavailable  # noqa: E402
from benchmarks.timing import Contender, Timing, side_by_side  # noqa: E402


def test_goals_point_both_ways():
    assert Goal(2.5).is_met(2.5) and not Goal(2.5).is_met(2.6)
    assert Goal(2_000, at_least=True).is_met(2_000)
    assert not Goal(2_000, at_least=True).is_met(1_999)
    assert [str(Goal(0.2)), str(Goal(2_000, at_least=True))] == ["≤ 0.2", "≥ 2,000"]


def test_ratios_are_per_item_and_per_round():
    ours = Timing((2e-6, 4e-6, 1e-6), size=10)
    peer = Timing((6e-6, 8e-6, 9e-6), size=2)
    assert (ours.best_ns, ours.median_ns) == pytest.approx((100, 200))
    assert peer.times_slower_than(ours) == pytest.approx((30, 15))


def test_contenders_take_turns():
    calls = []
    timings = side_by_side(
        {
            "a": Contender(lambda: calls.append("a"), size=4, repeats=2),
            "b": Contender(lambda: calls.append("b")),
        },
        rounds=3,
    )
    assert "".join(calls) == "ab" + 3 * "aab"
    assert [len(timings[name].runs_s) for name in "ab"] == [3, 3]
    assert timings["a"].size == 4


def fine(settings):
    """A figure on each side of its goal."""
    yield Row("fast", 1.5, "ns", 1.75, Goal(2.5))
    yield Row("slow", settings.choose(9, 7), "ms", goal=Goal(5))


def absent(_settings):
    raise Unavailable("nothing to measure")
    yield


def broken(_settings):
    yield Row("before the fall", 1, "s")
    raise ZeroDivisionError("oh")


def test_results_are_printed_and_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(suite, "all_benchmarks", lambda: [fine, absent])
    out = tmp_path / "new" / "result.json"
    assert suite.main(["--quick", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "goal ≤ 2.5: met" in printed and "goal ≤ 5: MISSED" in printed
    assert "not run: nothing to measure" in printed and "1 of 2 goals met" in printed
    kept = json.loads(out.read_text(encoding="utf-8"))
    assert [(row["value"], row["met"]) for row in kept["rows"]] == [(1.5, True), (7, False)]
    assert list(kept["problems"].values()) == ["nothing to measure"]
    assert kept["command"].startswith("python -m benchmarks --quick --out ")
    assert {"cpu", "cores", "memory_gib", "os", "python", "packages"} <= set(kept["machine"])


def test_a_broken_benchmark_fails_the_run_but_not_the_others(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(suite, "all_benchmarks", lambda: [broken, fine])
    out = tmp_path / "result.json"
    assert suite.main(["--out", str(out)]) == 1
    kept = json.loads(out.read_text(encoding="utf-8"))
    assert [row["name"] for row in kept["rows"]] == ["before the fall", "fast", "slow"]
    assert "ZeroDivisionError" in next(iter(kept["problems"].values()))
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_every_file_that_registers_is_found():
    groups = {registry.group_of(function) for function in registry.all_benchmarks()}
    assert {"queues", "imports"} <= groups
    assert len(registry.all_benchmarks()) == len(set(registry.all_benchmarks()))
