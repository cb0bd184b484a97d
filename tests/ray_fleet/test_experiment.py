"""Without Ray an experiment shows what was recorded, and says so."""

import json

import pytest

from labutils.ray_fleet import experiment


@pytest.fixture
def without_ray(monkeypatch):
    monkeypatch.setattr(experiment, "missing", lambda: "Ray is not installed")


def test_a_recorded_run_says_of_what_and_when(without_ray, capsys):
    found = experiment.trial("killed", lambda url: pytest.fail("there is no Ray"))
    assert {"rows", "times_s", "up", "counts"} == {*found}
    assert capsys.readouterr().out.startswith("Recorded: ray[serve] 2.60.0, ")


def test_what_is_recorded_can_be_read_again(without_ray, tmp_path, monkeypatch):
    place = tmp_path / "runs.json"
    for name, found in (("one", {"rows": [1, None]}), ("other", {"up": {"2": 0.5}})):
        experiment._record(place, name, found)
    monkeypatch.setattr(experiment, "_recorded", lambda: json.loads(place.read_text()))
    assert experiment.trial("one", None) == {"rows": [1, None]}
    assert experiment.trial("other", None) == {"up": {"2": 0.5}}
