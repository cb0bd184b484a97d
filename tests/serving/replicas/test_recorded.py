"""The table of routers on Mooncake's trace says what the trace says, where that is there."""

import json

import pytest

from benchmarks.mooncake_routers import FIGURES, LOADS, ROUTERS, measured
from labutils import datafile
from tests.conftest import traces_folder

ROWS = json.loads(datafile("mooncake_routers.json").read_text(encoding="utf-8"))["rows"]


def test_the_table_is_whole():
    there = {(row["router"], row["load"]) for row in ROWS}
    assert there == {(type(one).__name__, load) for one in ROUTERS for load in LOADS}
    assert all(row[name] == sorted(row[name]) for row in ROWS for name in FIGURES)


@pytest.mark.traces
@pytest.mark.full
def test_measured_again_it_says_the_same(monkeypatch):
    monkeypatch.setenv("LABUTILS_TRACES", str(traces_folder()))
    for again in measured(3, (1.5,)):
        (kept,) = (r for r in ROWS if (r["router"], r["load"]) == (again["router"], 1.5))
        for name in FIGURES:
            assert again[name][1] == pytest.approx(kept[name][1], rel=0.03)
