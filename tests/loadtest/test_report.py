"""A report against counts made by hand, intervals against the binomial law, text against malice."""

import json
import math
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.loadtest import Limits, LoadPlan, LoadReport, PlannedRequest
from labutils.loadtest.record_lines import as_line, from_line
from labutils.loadtest.report.figures import LatencyRow, Lateness, Quantile
from labutils.metrics import RequestRecord

PROMISES = {"chat": Limits(ttft_s=0.3, tpot_s=0.1), "batch": Limits(e2e_s=5.0)}


def plan(count: int = 10, *, seconds: float = 10.0, promises=PROMISES, **said) -> LoadPlan:
    requests = [
        PlannedRequest(id=i, at_s=seconds * i / count, max_tokens=3, prompt_words=5)
        for i in range(count)
    ]
    return LoadPlan(requests=requests, seconds=seconds, promises=promises, **said)


def record(id, at_s, *, late=0.001, tokens=(), end=None, status="ok", kind="chat", **tags):
    """Token times and the end count from the intended moment."""
    times = [at_s + token for token in tokens]
    finish_s = at_s + end if end is not None else (times[-1] if times else at_s + late)
    return RequestRecord(
        id, at_s, at_s + late, token_times_s=times, finish_s=finish_s, status=status,
        tags={"kind": kind, **tags},
    )  # fmt: skip


RECORDS = [
    record(0, 0.5, tokens=(0.9, 1.0)),  # in the warm-up, and answered in it
    record(1, 1.5, tokens=(0.6, 0.8)),  # in the warm-up, answered after it; late for its promise
    record(2, 1.8, tokens=(0.2, 0.25)),  # the same, in time
    record(3, 2.5, tokens=(0.2, 0.28, 0.38)),  # keeps both promises: TPOT 0.09
    record(4, 3.0, tokens=(0.4, 0.45)),  # first token late
    record(5, 4.0, tokens=(0.1, 0.4)),  # tokens too far apart
    record(6, 5.0, tokens=(0.1,), end=0.2),  # one token: no gap to be too long
    record(7, 5.5, status="rejected", reason="HTTP 429: busy"),
    record(8, 6.0, tokens=(0.1, 0.2), status="failed", reason="cut: no [DONE]"),
    record(9, 6.5, tokens=(0.1, 0.2), status="cancelled", reason="left"),
    record(10, 7.0, tokens=(0.1, 2.5), slow_reader=True),
    record(11, 7.5, tokens=(1.0, 4.5), kind="batch"),  # ends after the run, within its promise
    record(12, 8.0, end=6.0, status="timed_out", kind="batch", reason="6 s"),
    record(13, 9.0, tokens=(0.5, 0.6), kind="other"),  # nothing was promised
]


def test_a_report_counts_what_can_be_counted_by_hand():
    report = LoadReport.of(RECORDS[::-1], plan(14), warm_up_s=2.0)
    assert (report.planned, report.recorded, report.num_cut) == (14, 14, 3)
    assert (report.from_s, report.to_s) == (2.0, 10.0)
    assert report.statuses == {"ok": 7, "rejected": 1, "failed": 1, "cancelled": 1, "timed_out": 1}
    assert report.left_out == {"left": 1, "slow_reader": 1}
    assert report.reasons == {
        "rejected: HTTP 429: busy": 1, "failed: cut: no [DONE]": 1, "cancelled: left": 1,
        "timed_out: 6 s": 1,
    }  # fmt: skip
    chat, batch = report.promises
    # chat: 3 keeps all; 4 and 5 break one each; 6 keeps all; 7 and 8 have no answer
    assert (chat.requests, chat.kept) == (6, 2) and chat.share == pytest.approx(1 / 3)
    assert chat.kept_each == {"ttft_s": 3, "tpot_s": 3}
    assert (batch.requests, batch.kept, batch.kept_each) == (2, 1, {"e2e_s": 1})
    # from 2 to 10: 1 to 6 but 0, the slow reader (10) and 13 end there; 11 ends later
    assert report.requests_per_s == pytest.approx(8 / 8)
    # of these 1, 4 and 5 break a promise, 10 is not judged, 13 was promised nothing
    assert report.goodput_per_s == pytest.approx(4 / 8)
    assert report.tokens_per_s == pytest.approx((2 + 2 + 3 + 2 + 2 + 1 + 2 + 2) / 8)
    assert report.offered_per_s == pytest.approx(11 / 8)
    assert report.output_tokens == 3 + 2 + 2 + 1 + 2 + 2


def test_latencies_are_of_answers_from_the_intended_moment():
    report = LoadReport.of(RECORDS, plan(14), warm_up_s=2.0)
    assert [row.count for row in report.latencies] == [6, 5, 6, 6]
    assert report.latency("TTFT").at(0.5) == pytest.approx(0.2)  # of .1 .1 .2 .4 .5 1.0
    assert report.latency("TTFT").mean_s == pytest.approx((0.1 + 0.1 + 0.2 + 0.4 + 0.5 + 1) / 6)
    assert report.latency("TPOT").at(0.9) == pytest.approx(3.5)  # of .05 .09 .1 .3 3.5
    assert report.latency("ITL").at(0.5) == pytest.approx(0.1)  # of .05 .08 .1 .1 .3 3.5
    assert report.latency("E2E").at(0.99) == pytest.approx(4.5)
    with pytest.raises(KeyError):
        report.latency("ttft")


def test_remarks_say_what_the_percentiles_hide():
    told = " ".join(LoadReport.of(RECORDS, plan(14), warm_up_s=2.0).remarks)
    assert "3 of 11 requests have no answer (1 rejected, 1 failed, 1 timed out)" in told
    assert "6 answers say nothing about how high p99 may be (95% confidence takes 368)" in told
    assert "1 slow readers" in told
    assert "closed loop" not in told and "interrupted" not in told and "was late" not in told


def test_an_interrupted_run_is_counted_as_far_as_it_went():
    report = LoadReport.of(RECORDS[:6], plan(14), warm_up_s=2.0, ended_s=4.5)
    assert report.to_s == 4.5 and report.requests_per_s == pytest.approx(5 / 2.5)
    assert report.remarks[0] == "The run was interrupted after 4.5 s."
    assert report.remarks[1] == "6 of 14 requests have a record."


def test_a_report_of_nothing_says_so():
    report = LoadReport.of([], plan())
    assert report.statuses == {} and report.lateness is None and not report.is_generator_late
    assert "none measured" in str(report) and LoadReport.from_json(report.to_json()) == report


@pytest.mark.parametrize("warm_up_s", [-1, 10.0, math.nan, "1"])
def test_a_warm_up_that_leaves_nothing_is_refused(warm_up_s):
    with pytest.raises(ValueError, match="warm_up_s = "):
        LoadReport.of(RECORDS, plan(), warm_up_s=warm_up_s)


def test_a_confidence_that_is_none_is_refused():
    with pytest.raises(ValueError, match="confidence = 95"):
        LoadReport.of(RECORDS, plan(), confidence=95)


@pytest.mark.parametrize(
    ("late", "ttft", "is_late"),
    [
        ([0.0049] * 100, 0.2, False),
        ([0.0] * 99 + [9.0], 0.2, False),  # one in a hundred: p99 is the one before
        ([0.0] * 98 + [0.006] * 2, 0.2, True),  # above 5 ms
        ([0.0] * 98 + [0.002] * 2, 0.03, True),  # above 5 % of 30 ms
        ([0.0] * 98 + [0.002] * 2, 0.05, False),
        ([0.004] * 5, None, False),  # no first token to compare it with
        ([0.006] * 5, None, True),
    ],
)
def test_it_says_plainly_when_the_generator_was_late(late, ttft, is_late):
    tokens = () if ttft is None else (ttft,)
    status = "failed" if ttft is None else "ok"
    end = max(late) + 1.0
    records = [
        record(i, 0.1 * i, late=lag, tokens=[max(token, lag) for token in tokens], end=end,
               status=status)
        for i, lag in enumerate(late)
    ]  # fmt: skip
    report = LoadReport.of(records, plan(len(late), seconds=11.0))
    assert report.is_generator_late is is_late
    assert any("The generator was late" in line for line in report.remarks) is is_late
    assert report.lateness == Lateness(
        sorted(late)[math.ceil(0.5 * len(late)) - 1],
        sorted(late)[math.ceil(0.99 * len(late)) - 1],
        max(late),
    ) or report.lateness.max_s == pytest.approx(max(late))


def at_most(n: int, q: float) -> np.ndarray:
    """P(B ≤ k) for k = 0 … n, by adding up the binomial law."""
    terms = [math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]
    return np.cumsum(terms)


@pytest.mark.parametrize("n", [1, 5, 37, 60, 371])
@pytest.mark.parametrize("q", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_intervals_are_the_narrowest_that_the_binomial_law_allows(n, q, confidence):
    values = np.sort(np.random.default_rng(n).lognormal(size=n))
    miss = (1 - confidence) / 2
    # x_(r) lies above the quantile when fewer than r values lie below it, and the other way round
    below = at_most(n, q)
    low = max((r for r in range(1, n + 1) if below[r - 1] <= miss), default=None)
    high = min((r for r in range(1, n + 1) if 1 - below[r - 1] <= miss), default=None)
    found = Quantile.of(np.random.default_rng(1).permutation(values), q, confidence)
    assert found.low_s == (None if low is None else values[low - 1])
    assert found.high_s == (None if high is None else values[high - 1])
    assert found.value_s == values[math.ceil(round(n * q, 9)) - 1]


def test_intervals_hold_the_true_quantile_as_often_as_they_say():
    rng, true, trials = np.random.default_rng(9), -math.log(0.1), 1500
    held = 0
    for _ in range(trials):
        found = Quantile.of(rng.exponential(size=83), 0.9, 0.9)
        held += found.low_s <= true <= (math.inf if found.high_s is None else found.high_s)
    assert held / trials > 0.9 - 4 * math.sqrt(0.09 / trials)


def test_values_that_were_not_measured_count_for_nothing():
    row = LatencyRow.of("TPOT", np.array([math.nan, 2.0, math.nan, 4.0]), confidence=0.95)
    assert (row.count, row.mean_s, row.at(0.5)) == (2, 3.0, 2.0)
    empty = LatencyRow.of("TPOT", np.array([math.nan]), confidence=0.95)
    assert (empty.count, empty.mean_s, empty.quantiles) == (0, None, ())
    assert math.isnan(empty.at(0.5))


HOSTILE = '<script src="//x.test/a.js"></script>&<img src=x onerror=alert(1)>"\''

spans = st.floats(0, 50, allow_nan=False)
statuses = st.sampled_from(["ok", "failed", "rejected", "timed_out", "cancelled"])


@st.composite
def records(draw):
    made = []
    for i in range(draw(st.integers(0, 9))):
        tokens = sorted(draw(st.lists(spans, max_size=4)))
        late = draw(st.floats(0, min(tokens, default=1.0)))
        made.append(
            record(
                i, draw(st.floats(0, 9.9)), late=late, tokens=tokens, end=100.0,
                status=draw(statuses), kind=draw(st.sampled_from(["chat", "batch", "x"])),
                reason=draw(st.text(max_size=9)),
            )
        )  # fmt: skip
    return made


@settings(max_examples=25, deadline=None)
@given(records(), st.floats(0.1, 0.99))
def test_a_report_is_read_as_it_was_written(made, confidence):
    report = LoadReport.of(made, plan(), warm_up_s=1.0, confidence=confidence)
    assert LoadReport.from_json(report.to_json()) == report
    for one in made:
        again = from_line(as_line(one))
        assert again.token_times_s.tolist() == one.token_times_s.tolist()
        assert (again.id, again.status, again.tags) == (one.id, one.status, one.tags)
        assert (again.intended_arrival_s, again.sent_s) == (one.intended_arrival_s, one.sent_s)


def test_a_record_that_never_ended_is_read_as_it_was_written():
    one = RequestRecord("7.1", 1.5, status="failed", tags={"reason": "lost"})
    again = from_line(as_line(one))
    assert math.isnan(again.sent_s) and math.isnan(again.finish_s) and again.id == "7.1"
    with pytest.raises(ValueError, match="expected a line of a run"):
        from_line('{"id": 1}')


def test_what_is_no_report_is_refused():
    good = json.loads(LoadReport.of(RECORDS, plan(14)).to_json())
    for spoilt in (
        "", "[]", "{}", "[" * 100_000, 5, json.dumps(good | {"format": "x"}),
        json.dumps(good | {"color": 1}), json.dumps(good | {"latencies": [{"name": 3}]}),
        json.dumps(good | {"statuses": 7}), json.dumps(good | {"from_s": "soon"}),
        json.dumps({name: value for name, value in good.items() if name != "planned"}),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="report: expected"):
            LoadReport.from_json(spoilt)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.attributes, self.text = set(), set(), ""

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def test_the_page_escapes_whatever_it_was_told_and_loads_nothing(tmp_path):
    promises = {HOSTILE: Limits(ttft_s=1.0)}
    made = [
        record(0, 1.0, tokens=(0.1, 0.2), kind=HOSTILE),
        record(1, 2.0, status="failed", reason=HOSTILE),
        record(2, 3.0, status="cancelled", reason=HOSTILE),
    ]
    report = LoadReport.of(made, plan(3, promises=promises, name=HOSTILE))
    path = tmp_path / "report.html"
    replace(report, remarks=(HOSTILE,)).write_html(path)
    page = Tags()
    page.feed(path.read_text(encoding="utf-8"))
    assert not page.found & {"script", "img", "link", "iframe", "object", "embed", "base"}
    assert not page.attributes & {"src", "href", "onerror", "onload"}
    assert page.text.count(HOSTILE) == 7  # title, heading, remark, left out, kind, two reasons
    assert "url(" not in path.read_text() and "@import" not in path.read_text()


def test_a_page_that_stood_there_is_kept(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("mine")
    LoadReport.of(RECORDS, plan(14)).write_html(str(path))
    LoadReport.of(RECORDS, plan(14)).write_html(path)  # the same once more: nothing to keep
    (kept,) = (tmp_path / "backups").iterdir()
    assert kept.read_text() == "mine" and "Load test" in path.read_text()


def test_the_table_says_what_the_report_holds():
    text = str(LoadReport.of(RECORDS, plan(14, name="evening"), warm_up_s=2.0))
    assert text.startswith("evening\n! ")
    assert "2 s, 3 requests" in text and "chat: 2 of 6 kept all promises (33.3%)" in text
    assert "TTFT ≤ 300 ms: 3, TPOT ≤ 100 ms: 3" in text and "1 × rejected: HTTP 429: busy" in text
