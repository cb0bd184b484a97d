"""The panels of the live walls, counted by hand on a server of four scrapes."""

import numpy as np
import pytest

from labutils.telemetry.watching import Scrape, Series
from labutils.telemetry.watching.wall import RecordedReplica
from labutils.telemetry.watching.wall.live_panels import (
    AVERAGES,
    CAUSES,
    KV,
    PROBES,
    RUNNING,
    gauge_averaged,
    gauges,
    rate_by,
    same_answers,
)

REFUSED = "vllm:request_refused_total"
AT_S = (1.0, 2.0, 4.0, 5.0)


def server(**columns):
    """One server whose series (name, label, value) have these values."""
    series = {one: Series(name, labels) for one, (name, labels, _) in columns.items()}
    rows = zip(*(values for _, _, values in columns.values()))
    scrapes = [Scrape(at, dict(zip(series.values(), row))) for at, row in zip(AT_S, rows)]
    return RecordedReplica("live", tuple(scrapes), ())


def test_a_rate_has_a_line_for_each_reason():
    one = server(
        full=(REFUSED, (("code", "full"),), (0, 1, 1, 5)),
        budget=(REFUSED, (("code", "over_budget"),), (0, 0, 6, 6)),
    )
    found = rate_by(REFUSED, "code", "over_budget", "full")([one], np.array([4.0, 5.0]), 2.0)
    assert {name: list(values) for name, values in found.items()} == {
        "full": [0.0, 2.0], "over_budget": [3.0, 3.0],
    }  # fmt: skip


def test_a_restart_of_one_reason_is_no_fall():
    one = server(full=(REFUSED, (("code", "full"),), (7, 9, 1, 2)))
    assert rate_by(REFUSED, "code", "full")([one], np.array([5.0]), 4.0)["full"] == pytest.approx(
        4 / 4
    )


def test_a_gauge_is_shown_as_it_is_and_averaged():
    one = server(kv=(KV, (), (0.1, 0.2, 0.6, 0.7)), running=(RUNNING, (), (1, 2, 3, 4)))
    now = np.array([5.0])
    assert gauges(100, all=KV)([one], now, 2.0)["all"] == pytest.approx(70)
    assert gauges(a=RUNNING, b=KV)([one], now, 2.0)["a"] == pytest.approx(4)
    assert gauge_averaged(KV, 100)([one], now, 2.0)["all"] == pytest.approx(65)


def test_answers_that_changed_lower_the_share_and_no_probe_gives_no_figure():
    one = server(
        yes=(PROBES, (("same", "yes"),), (4, 8, 8, 9)), no=(PROBES, (("same", "no"),), (0, 0, 0, 3))
    )
    found = same_answers([one], np.array([2.0, 4.0, 5.0]), 1.0)["all"]
    assert found == pytest.approx([100, np.nan, 25], nan_ok=True)


def test_each_wall_has_ten_panels_numbered_in_order():
    for wall in (AVERAGES, CAUSES):
        assert [panel.title.split()[0] for panel in wall] == [str(n) for n in range(1, 11)]
