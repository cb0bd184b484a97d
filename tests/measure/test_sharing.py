"""Several learners on one GPU: timed cells take turns, and whoever was disturbed is told."""

import multiprocessing
import os
import re
import time
import warnings
from itertools import pairwise
from pathlib import Path

import pytest

from labutils.measure import sharing, timed
from labutils.measure.sharing import SharedGPUWarning, Turn, claim_memory_share, turn


@pytest.fixture
def lock(tmp_path, monkeypatch):
    (tmp_path / "gpu.lock").touch(mode=0o444)  # to be read is enough
    monkeypatch.setenv("LABUTILS_GPU_LOCK", str(tmp_path / "gpu.lock"))
    monkeypatch.setenv("PATH", str(tmp_path))  # no nvidia-smi but ours
    return tmp_path


def fake_smi(folder, text):
    script = folder / "nvidia-smi"
    script.write_text(f"#!/bin/sh\necho '{text}'\n")
    script.chmod(0o755)


def learner(log, name):
    """Times something under the lock, and writes when it began and ended."""
    with turn():
        begin = time.monotonic()
        time.sleep(0.15)
        log.put((begin, time.monotonic(), name))


def test_timed_cells_of_three_learners_never_overlap(lock):
    context = multiprocessing.get_context("fork")
    log = context.Queue()
    learners = [context.Process(target=learner, args=(log, name)) for name in "abc"]
    for process in learners:
        process.start()
    spans = sorted(log.get(timeout=20) for _ in learners)
    for process in learners:
        process.join()
    assert {name for *_, name in spans} == set("abc")
    assert all(end <= begin for (_, end, _), (begin, _, _) in pairwise(spans))


def test_impatient_timing_goes_on_and_says_so(lock):
    import fcntl

    with open(lock / "gpu.lock", "rb") as neighbour:
        fcntl.flock(neighbour, fcntl.LOCK_EX)
        with pytest.warns(SharedGPUWarning, match="without a turn"), turn(patience_s=0.2) as got:
            assert not got.is_ours and got.waited_s >= 0.2


def test_who_waits_is_told_for_whom(lock, capsys, monkeypatch):
    import fcntl

    monkeypatch.setattr(sharing, "TOLD_AFTER_S", 0.1)
    with open(lock / "gpu.lock", "rb") as neighbour:
        fcntl.flock(neighbour, fcntl.LOCK_EX)
        with pytest.warns(SharedGPUWarning), turn(patience_s=0.3):
            assert capsys.readouterr().out == "Waiting for the GPU: another learner is measuring.\n"


@pytest.mark.parametrize("path", ["no/folder/gpu.lock", "gpu.lock"])
def test_a_lock_that_does_not_work_is_named_once_and_stops_nobody(tmp_path, monkeypatch, path):
    monkeypatch.setenv("LABUTILS_GPU_LOCK", str(tmp_path / path))
    assert str(tmp_path / path) in sharing.why_unlockable()
    with pytest.warns(SharedGPUWarning, match="gpu.lock: No such file") as told:
        for _ in range(2):
            with turn() as free:
                assert free == Turn()
    assert [warning.filename for warning in told] == [__file__]


def test_what_is_timed_on_a_processor_waits_for_nobody(lock):
    import fcntl

    with open(lock / "gpu.lock", "rb") as neighbour, warnings.catch_warnings():
        warnings.simplefilter("error")
        fcntl.flock(neighbour, fcntl.LOCK_EX)
        assert timed(lambda: None, repeats=1, min_total_s=0.0).samples_s
        with turn("cpu") as free:
            assert free == Turn()


def test_neighbours_that_compute_are_reported_and_idle_ones_are_not(lock):
    head = "# gpu  pid  type  sm  mem  enc  dec  command\n# Idx  #  C/G  %  %  %  %  name\n"
    mine = f"0 {os.getpid()} C 97 40 - - python\n"
    fake_smi(lock, head + mine + "0 4242 C 31 2 - - python\n0 4243 C 5 2 - - python")
    assert sharing.busy_neighbours() == 2
    with pytest.warns(
        SharedGPUWarning, match="while 2 other processes computed on this GPU"
    ) as told:
        timed(lambda: None, repeats=1, min_total_s=0.0, synchronize=lambda: None)
    assert [warning.filename for warning in told] == [__file__]  # the line that asked, not ours
    fake_smi(lock, head + mine + "0 4242 C - - - - python\n0 4243 C 0 0 - - python")
    assert sharing.busy_neighbours() == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = timed(lambda: None, repeats=3, min_total_s=0.0, synchronize=lambda: None)
        assert len(one.samples_s) >= 3


def test_without_the_variable_nothing_is_locked_or_asked(monkeypatch):
    monkeypatch.delenv("LABUTILS_GPU_LOCK", raising=False)
    monkeypatch.setattr(sharing, "busy_neighbours", lambda: pytest.fail("asked"))
    with turn() as free:
        assert free == Turn()


def test_a_timer_inside_a_timer_does_not_wait_for_itself(lock):
    with turn(), turn(patience_s=30) as inner:
        assert inner == Turn()


def test_the_lock_is_free_again_when_a_cell_raises(lock):
    with pytest.raises(ZeroDivisionError), turn():
        _ = 1 / 0
    with turn(patience_s=0.0) as after:
        assert after.is_ours


@pytest.mark.parametrize("text", ["0", "1.5", "half", "-0.2", "nan"])
def test_a_share_that_cannot_be_is_named(monkeypatch, text):
    monkeypatch.setenv("LABUTILS_GPU_SHARE", text)
    with pytest.raises(ValueError, match=f"LABUTILS_GPU_SHARE = '{text}': expected a share"):
        claim_memory_share()


def test_a_share_is_handed_to_torch_where_there_is_a_gpu(monkeypatch):
    import torch

    handed = []
    monkeypatch.setenv("LABUTILS_GPU_SHARE", "0.25")
    monkeypatch.setattr(
        torch.cuda, "set_per_process_memory_fraction", lambda *given: handed.append(given)
    )
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert claim_memory_share() == 0.25 and handed == []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert claim_memory_share() == 0.25 and handed == [(0.25, "cuda")]
    monkeypatch.delenv("LABUTILS_GPU_SHARE")
    assert claim_memory_share() is None


def test_the_shares_of_the_page_fit_the_card_with_every_process():
    page = (Path(__file__).parents[2] / "docs/cloud/README.md").read_text(encoding="utf-8")
    table = page.partition("<!-- shares:begin -->")[2].partition("<!-- shares:end -->")[0]
    head, _, *rows = [line.strip("|").split("|") for line in table.strip().splitlines()]
    sizes = [int(cell.split()[0]) for cell in head[1:]]
    assert max(sizes) == 30 and len(rows) == 4
    for name, *cells in rows:
        memory = 1e9 * float(re.search(r"(\d+) GB", name)[1])
        for learners, cell in zip(sizes, cells):
            share = 0.0 if "–" in cell else float(cell.split()[0])
            assert learners * (share * memory + 0.6e9) <= memory
            room = memory / learners - 0.6e9
            assert (share == 0 and room < 1.01e9 + 0.01 * memory) or share > room / memory - 0.011
