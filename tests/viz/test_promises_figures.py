"""The figures of chapter 11 show the numbers that they claim."""

from types import SimpleNamespace

import numpy as np
import pytest

from labutils.metrics import RequestLog
from labutils.serving.arena import Score, Table
from labutils.serving.promises import Kept, Promise, Promises
from labutils.viz.figures import promises as figures
from labutils.viz.style import title_of

CHAT = {"ttft_s": 2.0, "tpot_s": 0.1, "tenant": "shop", "kind": "chat"}
BULK = {"ttft_s": 9.0, "tenant": "lawyers", "kind": "documents"}


def kept(*rows, refused=0):
    """Rows of (promise, arrival, TTFT, TPOT) with answers of three; the last ones are refused."""
    promises, came, waited, pace = zip(*rows)
    let_in = np.arange(len(rows)) < len(rows) - refused
    first = np.where(let_in, np.add(came, waited), np.nan)
    log = RequestLog.from_times(
        np.array(came), first + 2 * np.array(pace), first_token_s=first,
        output_tokens=3 * let_in, status=np.where(let_in, "ok", "rejected"),
    )  # fmt: skip
    table = Promises([Promise(**one) for one in promises])
    return Kept.of(SimpleNamespace(log=log, ids=range(len(rows))), table)


@pytest.fixture
def night():
    return kept(
        (CHAT, 1.0, 0.5, 0.05), (CHAT, 3.0, 4.0, 0.05), (CHAT, 6.0, 1.5, 0.3), (BULK, 5.5, 3.5, 0.7)
    )  # fmt: skip


def texts(ax):
    return [t.get_text() for t in ax.texts]


def labelled(ax):
    return {drawn.get_label(): drawn for drawn in ax.lines}


def test_waits_cross_out_what_was_broken(night):
    fig = figures.waits(night)
    drawn = labelled(fig.axes[0])
    assert list(drawn["chat: kept"].get_xdata()) == [1.0]
    assert drawn["chat: broken"].get_xydata().tolist() == [[3.0, 4.0], [6.0, 1.5]]
    assert drawn["chat: broken"].get_marker() == "x"
    assert drawn["documents: kept"].get_ydata() == pytest.approx([3.5])
    assert "chat 2 of 3, documents 0 of 1" in title_of(fig)
    assert "promised: 2 s" in texts(fig.axes[0])


def test_patience_draws_the_worst_wait_of_each_kind(night):
    hasty = kept((CHAT, 1.0, 6.0, 0.05), (CHAT, 3.0, 4.0, 0.05), (BULK, 2.0, 2.5, 0.7))
    fig = figures.patience({30: night, 2: hasty})
    drawn = labelled(fig.axes[0])
    assert drawn["chat"].get_xydata().tolist() == [[2, 6.0], [30, 4.0]]
    assert drawn["documents"].get_ydata() == pytest.approx([2.5, 3.5])
    assert "patience 2 s: chat 6.0 s, documents 2.5 s; patience 30 s: chat 4.0 s" in title_of(fig)


def test_dominoes_are_late_by_their_own_deadlines():
    orders = {"all": {"P": 3.0, "Q": 6.0, "R": 9.0}, "two": {"Q": 3.0, "R": 6.0}}
    fig = figures.dominoes({"P": 2.0, "Q": 5.0, "R": 9.5}, orders, 3.0)
    ax = fig.axes[0]
    assert title_of(fig) == "In time: 1 of 3 all, 2 of 3 two"
    assert [(p.get_x(), p.get_width()) for p in ax.patches] == [
        (0, 3), (3, 3), (6, 3), (0, 3), (3, 3)
    ]  # fmt: skip
    assert [t for t in texts(ax) if ":" in t] == [
        "P: late", "Q: late", "R: in time", "Q: in time", "R: in time"
    ]  # fmt: skip


def test_lateness_is_counted_from_when_a_token_was_due(night):
    later = kept((CHAT, 8.0, 7.0, 0.05), (BULK, 8.0, 10.5, 0.7))
    fig = figures.lateness({"one": night, "other": later})
    one = labelled(fig.axes[0])
    assert one["chat"].get_ydata() == pytest.approx([-1.5, 2.0, -0.5])
    assert one["documents"].get_ydata() == pytest.approx([-5.5])
    assert figures.gap_at_the_end_s(later) == pytest.approx(5.0 - 1.5)
    assert "3.5 s (other) apart; late: 1 and 2" in title_of(fig)


def test_refusals_draw_what_is_kept_and_what_becomes_of_the_others():
    good, slow = (CHAT, 1.0, 0.5, 0.05), (CHAT, 1.0, 3.0, 0.05)
    runs = {
        "plain": {4: kept(good, good, good, slow), 9: kept(good, slow, slow, slow)},
        "other": {4: kept(good, good, slow, slow), 9: kept(slow, slow, slow, slow)},
        "shed": {4: kept(good, good, good, good), 9: kept(good, good, slow, slow, refused=1)},
    }
    fig = figures.refusals(runs)
    left, right = fig.axes
    assert [list(drawn.get_ydata()) for drawn in left.lines[:3]] == [[3, 2.25], [2, 0], [4, 4.5]]
    assert texts(left) == ["shed", "plain", "other"]  # from the highest end down
    parts = [[bar.get_width() for bar in fate] for fate in right.containers]
    assert parts == [[1, 0, 2], [0, 0, 1], [3, 4, 1]]
    assert title_of(fig) == "At 9 a second, 1 of 4 are kept plain, 2 with shed"


def test_counters_show_the_credit_with_which_the_last_tenant_comes(night):
    lifted = [(0.5, {"shop": 4000.0}), (2.0, {"shop": 9000.0, "lawyers": 8500.0})]
    alone = [(0.5, {"shop": 4000.0}), (2.5, {"shop": 9500.0, "lawyers": 700.0})]
    fig = figures.counters({"up": (night, lifted), "down": (night, alone)})
    assert "500 up, 8,800 down" in title_of(fig)
    drawn = labelled(fig.axes[1])
    assert list(drawn["shop"].get_xdata()) == [0.5, 2.5]
    assert list(drawn["lawyers"].get_ydata()) == [0, 0.7]
    assert fig.axes[0].get_title(loc="left") == "up: chat kept 1 of 3"


def test_two_promises_tells_late_first_tokens_from_slow_answers(night):
    calm = kept((CHAT, 1.0, 0.5, 0.05), (CHAT, 3.0, 1.0, 0.02), (CHAT, 6.0, 5.0, 0.03))
    fig = figures.two_promises({"a": night, "b": calm})
    good, broken, *limits = fig.axes[0].lines
    assert good.get_xydata().tolist() == [pytest.approx([0.5, 50])]
    assert broken.get_xydata() == pytest.approx(np.array([[4.0, 50], [1.5, 300]]))
    assert limits[0].get_xdata()[0] == 2.0 and limits[1].get_ydata()[0] == 100
    assert texts(fig.axes[0]) == ["too slow: 1", "late:\n1"]
    assert texts(fig.axes[1]) == ["too slow: 0", "late:\n1"]
    assert title_of(fig) == "Broken promises among 3 requests: 2 (a), 1 (b)"


def test_standings_draw_each_workload_and_the_mean():
    """But no row for whoever was sent off."""
    shares = {
        "p": {"x": 0.5, "y": 0.25}, "q": {"x": 0.125, "y": 1.0}, "off": {"x": np.nan, "y": 0.75}
    }  # fmt: skip
    table = Table(tuple(
        Score(name, where, share, 1.0, 1.0, share, 2.0, 0, 9, "", 1.0)
        for name, by_workload in shares.items() for where, share in by_workload.items()
    ))  # fmt: skip
    fig = figures.standings(table)
    drawn = labelled(fig.axes[0])
    assert list(drawn["x"].get_xdata()) == [12.5, 50]
    assert list(drawn["y"].get_xdata()) == [100, 25]
    assert list(drawn["mean"].get_xdata()) == [56.25, 37.5]
    found = title_of(fig)
    assert "First is 'q', 56 % in the mean, best on 1 of 2 workloads; last 'p', 38 %" in found
