"""The machine's profile: it grows, keeps machines apart, and never loses a file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import labutils
from labutils.laws.batching import AffineBatchTime, fit_affine, fit_log, fit_roofline
from labutils.measure import (
    CopyBandwidth,
    Machine,
    MachineProfile,
    MatrixRate,
    Timing,
    profile_file,
)
from labutils.workspace import my_folder

LAPTOP = Machine("cpu", "Small Core, 4 cores")
SERVER = Machine("cuda", "Big Core, 64 cores", "Fast Card 80")
COPY = CopyBandwidth(3e9, Timing((0.1, 0.12, 0.2)), "cpu")
MATRIX = MatrixRate(2e9, Timing((0.5, 0.4, 0.44)), "cpu", "float32", 1000)
SIZES = np.array([1, 2, 4, 9, 30])


@pytest.fixture
def file(tmp_path):
    return tmp_path / "my" / "machine.json"


def load(file, machine=LAPTOP):
    return MachineProfile.load(file, machine=machine)


def batch_fit(fixed_s=0.004):
    return fit_affine(SIZES, AffineBatchTime(fixed_s, 0.0009)(SIZES))


def test_it_comes_back_as_it_was_saved(file):
    profile = load(file).with_copy_bandwidth(COPY).with_matrix_rate(MATRIX)
    profile = profile.with_batch_fit(batch_fit(), note="two layers")
    assert profile.save() == file
    again = load(file)
    assert again == profile
    assert again.copy_bandwidth_bytes_per_s == 3e9 / 0.12
    assert again.matrix_flops_per_s == 2e9 / 0.44
    assert again.batch_fit.model([1, 10]).tolist() == pytest.approx([0.0049, 0.013])
    assert again.batch_fit.batches == (1, 2, 4, 9, 30)
    assert again.batch_fit.note == "two layers"


def test_what_was_not_measured_is_none(file):
    empty = load(file)
    assert empty.copy_bandwidth_bytes_per_s is empty.matrix_flops_per_s is empty.batch_fit is None
    assert not file.parent.exists()


def test_every_entry_says_when_where_and_how_far_to_trust_it(file):
    load(file).with_copy_bandwidth(COPY).with_batch_fit(batch_fit()).save()
    (section,) = json.loads(file.read_text())["profiles"]
    assert (section["device"], section["cpu"], section["gpu"]) == ("cpu", LAPTOP.cpu, None)
    copy, fit = section["measurements"]["copy_bandwidth_bytes_per_s"], section["measurements"]
    assert copy["low"] < copy["value"] < copy["high"]
    assert copy["unit"] == "B/s"
    for entry in (copy, fit["batch_fit"]):
        assert entry["measured_at"].endswith("+00:00")
        assert entry["device"] == "cpu"
        assert entry["torch"].startswith("2.")
    assert 0 <= fit["batch_fit"]["relative_rms"] < 1e-9


@pytest.mark.parametrize("fit", (fit_affine, fit_log, fit_roofline))
def test_every_model_comes_back(file, fit):
    found = fit(SIZES, [0.01, 0.011, 0.014, 0.02, 0.07])
    load(file).with_batch_fit(found).save()
    assert load(file).batch_fit.model == found.model


def test_two_notebooks_grow_one_profile(file):
    one, other = load(file), load(file)
    one.with_copy_bandwidth(COPY).save()
    other.with_matrix_rate(MATRIX).with_value(
        "launch_s", 3e-6, low=2e-6, high=5e-6, unit="s"
    ).save()
    assert set(load(file).measurements) == {
        "copy_bandwidth_bytes_per_s",
        "matrix_flops_per_s",
        "launch_s",
    }


def test_the_later_of_two_measurements_stays_whoever_saves_last(file):
    early = load(file).with_batch_fit(batch_fit(0.001))
    late = load(file).with_batch_fit(batch_fit(0.002))
    late.save()
    early.save()
    assert load(file).batch_fit.model.fixed_s == pytest.approx(0.002)


def test_machines_are_told_apart_and_not_mixed(file, capsys):
    load(file).with_copy_bandwidth(COPY).save()
    assert capsys.readouterr().out == ""
    server = load(file, SERVER)
    assert server.measurements == {}
    assert "Small Core, 4 cores, not of this machine" in capsys.readouterr().out
    server.with_matrix_rate(MATRIX).save()
    assert set(load(file).measurements) == {"copy_bandwidth_bytes_per_s"}
    assert set(load(file, SERVER).measurements) == {"matrix_flops_per_s"}
    for other in (
        Machine("cuda", SERVER.cpu, "Slow Card 16"),
        Machine("cuda", "Other Core, 8 cores", SERVER.gpu),
        Machine("cpu", SERVER.cpu),
    ):
        assert load(file, other).measurements == {}


GOOD = {
    "value": 2.0,
    "low": 1.0,
    "high": 3.0,
    "unit": "s",
    "device": "cpu",
    "torch": None,
    "measured_at": "2026-01-31T10:00:00.000000+00:00",
    "note": "",
}


def text(entry=GOOD, name="launch_s", **top):
    section = {"device": "cpu", "cpu": LAPTOP.cpu, "gpu": None, "measurements": {name: entry}}
    return json.dumps({"format": 1, "profiles": [section], **top})


def test_the_sample_of_a_good_file_is_good(file):
    file.parent.mkdir()
    file.write_text(text())
    assert load(file).measurements["launch_s"].value == 2


@pytest.mark.parametrize(
    "content",
    (
        b"",
        b"{",
        b'{"format": 1, "profiles": [',
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b"[" * 100_000,
        text(format=2).encode(),
        text(profiles={}).encode(),
        text(profiles=[1]).encode(),
        text(profiles=[{"measurements": []}]).encode(),
        text(profiles=[{"device": 1, "measurements": {}}]).encode(),
        text({**GOOD, "value": "fast"}).encode(),
        text({**GOOD, "value": 5.0}).encode(),
        text({**GOOD, "low": -1}).encode(),
        text({**GOOD, "measured_at": "yesterday"}).encode(),
        text({**GOOD, "measured_at": "2026-01-31T10:00:00"}).encode(),
        text({**GOOD, "torch": 2.1}).encode(),
        text({**GOOD, "more": 1}).encode(),
        text({"value": 1}).encode(),
        text([1, 2]).encode(),
        text(GOOD, "batch_fit").encode(),
        text({"kind": "Affine"}, "batch_fit").encode(),
    ),
)
def test_a_malformed_file_is_kept_aside_and_never_deleted(file, content, capsys):
    file.parent.mkdir()
    file.write_bytes(content)
    profile = load(file)
    assert profile.measurements == {}
    assert "cannot be used" in capsys.readouterr().out
    assert file.read_bytes() == content
    profile.with_copy_bandwidth(COPY).save()
    assert "machine.unreadable.json now" in capsys.readouterr().out
    assert (file.parent / "machine.unreadable.json").read_bytes() == content
    assert load(file).copy_bandwidth_bytes_per_s == 3e9 / 0.12


def test_a_second_malformed_file_does_not_replace_the_first(file):
    file.parent.mkdir()
    for content in ("one", "two", "three"):
        file.write_text(content)
        load(file).with_copy_bandwidth(COPY).save()
    kept = {path.name: path.read_text() for path in file.parent.glob("machine.unreadable*.json")}
    first, second, third = "", "-2", "-3"
    assert kept == {
        f"machine.unreadable{ending}.json": content
        for ending, content in {first: "one", second: "two", third: "three"}.items()
    }


def test_where_nothing_can_be_written_it_says_so_and_goes_on(tmp_path, capsys):
    blocked = tmp_path / "file"
    blocked.write_text("")
    profile = load(blocked / "machine.json").with_copy_bandwidth(COPY)
    capsys.readouterr()
    assert profile.save() is None
    assert "cannot be written" in capsys.readouterr().out


def test_no_half_written_file_is_left_behind(file, monkeypatch):
    load(file).with_copy_bandwidth(COPY).save()
    before = file.read_bytes()

    def crash(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        load(file).with_matrix_rate(MATRIX).save()
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["machine.json"]


def test_a_profile_is_not_changed_by_growing(file):
    empty = load(file)
    assert empty.with_copy_bandwidth(COPY).measurements
    assert empty.measurements == {}


@pytest.mark.parametrize(
    "name, value, message",
    (
        ("two words", 1, "name = 'two words'"),
        ("batch_fit", 1, "use with_batch_fit"),
        ("launch_s", 4, "ascending order"),
        ("launch_s", float("nan"), "value = nan"),
    ),
)
def test_figures_that_cannot_be(file, name, value, message):
    with pytest.raises(ValueError, match=message):
        load(file).with_value(name, value, low=0.5, high=2, unit="s")


def test_this_machine_has_a_name_with_its_cores():
    here = Machine.here()
    assert here.device == "cpu"
    assert here.gpu is None
    assert here.cpu.endswith(" cores")
    assert str(here) == here.cpu
    assert str(SERVER) == "Fast Card 80 beside Big Core, 64 cores"
    with pytest.raises(ValueError, match="expected cpu or cuda"):
        Machine.here("tpu")


def test_the_default_file_lies_where_the_progress_does(tmp_path, monkeypatch):
    course = Path(labutils.__file__).parents[1]
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path / "named"))
    assert profile_file.default_path() == my_folder() / "machine.json"
    monkeypatch.delenv("LABUTILS_MY")
    (tmp_path / "labutils").mkdir()
    (tmp_path / "my" / "notebooks").mkdir(parents=True)
    elsewhere = (tmp_path, tmp_path / "my", tmp_path / "my" / "notebooks")
    for folder in (course, course / "tests" / "measure", *elsewhere):
        monkeypatch.chdir(folder)
        assert profile_file.default_path() == my_folder().absolute() / "machine.json"


def test_importing_the_room_loads_neither_torch_nor_the_models():
    heavy = "{'torch', 'labutils.laws.batching'}"
    code = f"import sys, labutils.measure; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
