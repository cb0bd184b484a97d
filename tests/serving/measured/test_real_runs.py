"""Models that a fit has never seen, and what the README says of them."""

import re
from itertools import combinations
from pathlib import Path

import pytest

from labutils.serving.measured import errors, fit_runs, measured_runs, simulate_run, summary
from tests.rotation import in_turn

README = Path(__file__).parents[3] / "README.md"
RUNS = [run for run in measured_runs() if run.workload != "reasoning"]
SPLITS = list(combinations(sorted({run.model for run in RUNS}), 2))


def unseen(models) -> list[dict[str, float]]:
    physics = fit_runs([run for run in RUNS if run.model in models]).physics
    others = [run for run in RUNS if run.model not in models]
    return [row for run in others for row in errors(simulate_run(run, physics).run, run)]


@pytest.mark.timeout(300)
def test_two_models_tell_of_two_others_as_the_readme_says():
    if not in_turn(__file__):
        assert summary(unseen(SPLITS[0]))["mean E2E"][0] < 0.035
        return
    rows = [row for models in SPLITS for row in unseen(models)]
    median, worst = summary(rows)["mean E2E"]
    text = " ".join(README.read_text(encoding="utf-8").split())
    said = re.search(
        r"within ([\d.]+) % \(median of (\d+) stages; the worst, .*? is (\d+) % off", text
    )
    assert said.groups() == (f"{100 * median:.1f}", str(len(rows)), f"{100 * abs(worst):.0f}")
