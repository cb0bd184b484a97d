"""The figures of chapter 13 show the numbers that they claim."""

from types import SimpleNamespace

import numpy as np
import pytest

from labutils.telemetry.watching import BurnRule, Incident, KeptTraces, Minutes, Verdict
from labutils.viz.figures import watching as figures
from labutils.viz.style import title_of


def user(arrival_s, ttft_s, tries=1):
    return SimpleNamespace(
        arrival_s=arrival_s, ttft_s=ttft_s, tries=tries, is_answered=np.isfinite(ttft_s)
    )


USERS = [user(3, 0.2), user(5, 0.4), user(6, 2.5, 3), user(8, np.inf, 4), user(9, 1.2, 2)]


def labelled(ax):
    return {drawn.get_label(): drawn for drawn in ax.lines}


def texts(ax):
    return {t.get_text() for t in ax.texts}


def test_users_stand_by_their_tries_and_who_got_nothing_stands_above():
    fig = figures.users_waits(USERS, limit_s=1.0, server_says_s=0.37)
    drawn = labelled(fig.axes[0])
    assert drawn["one try: 2"].get_xydata().tolist() == [[3, 0.2], [5, 0.4]]
    assert drawn["more tries: 2"].get_xydata().tolist() == [[6, 2.5], [9, 1.2]]
    assert list(drawn["never answered: 1"].get_xdata()) == [8]
    assert drawn["never answered: 1"].get_ydata()[0] > 2.5
    assert title_of(fig) == "3 of 5 users waited over 1 s; the server's p99 is 0.37 s"


def test_a_guess_stands_on_the_line_and_the_truth_among_the_values():
    values = [0.1, 0.2, 0.6, 0.7, 0.8, 0.9, 1.4, 3.0, 3.5, 3.9]
    fig = figures.bucket_guess(values, [0.5, 1.0, 4.0, np.inf], 0.7, (1.75, 1.0, 4.0))
    stairs, kept, _, guess, truth = fig.axes[0].lines
    assert stairs.get_xydata()[[0, 6]].tolist() == [[0.1, 10], [1.4, 70]]
    assert kept.get_xydata().tolist() == [[0, 0], [0.5, 20], [1, 60], [4, 100]]
    assert guess.get_xydata().tolist() == [[1.75, 70]]
    assert truth.get_xydata()[0] == pytest.approx([1.4, 70])
    assert "1.75 s, the true p70 is 1.40 s: both lie between 1 and 4 s" in title_of(fig)


@pytest.mark.parametrize("low, said", [(0.5, "outside"), (0.2, "inside")])
def test_the_mean_of_quantiles_stands_beside_the_services(low, said):
    fig = figures.mean_and_service({"a": 0.1, "b": 0.7, "e": 0.4}, (0.6, low, 0.8), 0.99)
    ax = fig.axes[0]
    assert [drawn.get_xdata()[0] for drawn in ax.lines] == pytest.approx([0.1, 0.7, 0.4, 0.4, 0.6])
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names == ["replica a", "replica b", "replica e", "their mean", "all requests"]
    assert f"is 0.40 s, {said} of what the service's can be: {low:g} to 0.8 s" in title_of(fig)


def test_a_restart_is_corrected_in_the_line_and_not_in_the_chord():
    fig = figures.restarted([0, 1, 2, 4], [100, 130, 12, 40], per_s=17.5)
    corrected, read, chord = fig.axes[0].lines
    assert corrected.get_ydata().tolist() == [100, 130, 142, 170]
    assert read.get_ydata().tolist() == [100, 130, 12, 40]
    assert chord.get_xydata().tolist() == [[0, 100], [4, 40]]
    assert "-15.00 requests a second; with the restart corrected it is 17.50" in title_of(fig)


def a_day():
    """Ten requests a minute; half of them fail in minutes 20 to 29."""
    bad = np.zeros(60, dtype=int)
    bad[20:30] = 5
    return Minutes(np.full(60, 10), bad, (Incident(20, 10, 0.5),))


def test_both_windows_are_drawn_from_the_beginning_of_the_trouble():
    fig = figures.burn_windows(a_day(), BurnRule(12, 12, 2), 0.99, [22, 23, 29, 30])
    short, long, limit = fig.axes[0].lines
    at = {since: place for place, since in enumerate(short.get_xdata())}
    assert [short.get_ydata()[at[since]] for since in (0, 1, 2, 11)] == pytest.approx(
        [0, 25, 50, 25]
    )
    assert [long.get_ydata()[at[since]] for since in (6, 12)] == pytest.approx([25, 500 / 12])
    assert list(limit.get_ydata()) == [12, 12]
    assert texts(fig.axes[0]) == {"alarm on", "last 2 min", "last 12 min", "limit: 12"}
    assert title_of(fig) == (
        "The trouble lasts 10 min; the alarm is on from minute 3 to 11; with 12 min alone it would "
        "be until 19"
    )


def test_a_rule_that_never_fires_is_drawn_and_said():
    fig = figures.burn_windows(a_day(), BurnRule(2000, 12, 2), 0.99, [])
    assert "alarm on" not in texts(fig.axes[0])
    assert title_of(fig) == "The trouble lasts 10 min, and the alarm never sounds"


def test_each_rule_has_its_false_alarms_and_what_it_never_finds_at_the_end():
    pages = {"one": (7.0, 0.5), "two": (0.25, 0.1)}
    found = {"one": [1.0, 30.0, np.inf], "two": [4.0, np.inf, np.inf]}
    fig = figures.alarms(pages, found, ["big", "middle", "small"])
    left, right = fig.axes
    assert {"7.0", "0.2"} == texts(left)
    drawn = labelled(right)
    never = right.get_xticks()[-1]
    assert right.get_xticklabels()[-1].get_text() == "never" and never > 30
    at_min = {name: list(drawn[name].get_xdata()) for name in ("big", "middle", "small")}
    assert at_min == {"big": [1, 4], "middle": [30, never], "small": [never, never]}
    assert "7.0 with one, 0.2 with two, which find 1 of 3 incidents" in title_of(fig)
    assert "two, 0.2 ± 0.1 false a month, found after 4, inf, inf min" in figures.alarms_told(
        pages, found
    )


def test_kept_users_are_told_from_the_others_and_late_ones_from_the_rest():
    late = np.array([one.ttft_s > 1 for one in USERS])
    head = KeptTraces(np.array([1, 4]), np.array([0.5, 0.5]), 5)
    tail = KeptTraces(np.array([0, 2, 3, 4]), np.array([0.5, 1, 1, 1]), 5)
    fig = figures.samples(late, {"head": head, "tail": tail})
    late_first = [(0, 0), (0, 1), (0, 2)]  # users 2, 3 and 4; users 0 and 1 stand in column 2
    for ax, kept, kept_late in zip(
        fig.axes, ((2, 1), (2, 0)), (late_first[2:], late_first), strict=True
    ):
        drawn = labelled(ax)
        assert list(map(tuple, drawn["kept, in time"].get_xydata())) == [kept]
        assert list(map(tuple, drawn["kept, late"].get_xydata())) == kept_late
        assert len(drawn["not kept"].get_xdata()) == 4 - len(kept_late)
    assert [tick.get_text() for tick in fig.axes[1].get_xticklabels()] == ["3 late", "2 in time"]
    told = fig.axes[0].get_title(loc="left")
    assert told == "head: 1 of 2 kept are late; weighted: 40.0 ± 28.3 % of all"
    assert title_of(fig) == "Of 3 late users head sampling kept 1, tail sampling kept 3"


def test_a_verdict_is_its_interval_and_its_word():
    found = {"above 1 s": Verdict("worse", 0.09, 0.05, 0.13),
             "above 2 s": Verdict("too early", 0.01, -0.04, 0.06)}  # fmt: skip
    fig = figures.verdicts(found, tolerated=0.03)
    limit, _, *drawn = fig.axes[0].lines
    intervals, middles = drawn[::2], drawn[1::2]
    assert list(limit.get_xdata()) == [3, 3]
    assert [list(one.get_xdata()) for one in intervals] == [[5, 13], [-4, 6]]
    assert [one.get_xdata()[0] for one in middles] == [9, 1]
    assert texts(fig.axes[0]) == {"worse", "too early", "tolerated: 3"}
    assert title_of(fig) == "Canary: worse above 1 s, too early above 2 s"
