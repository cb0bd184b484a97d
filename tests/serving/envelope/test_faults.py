"""Each fault is planted into a load test that has none, and found; what cannot be told is said."""

import json
from dataclasses import replace

import numpy as np
import pytest

from labutils.serving.envelope.clients import read_run
from labutils.serving.envelope.faults import CHECKS, faults

from .client_files import FORMS, a_load, aiperf, course, guidellm, inference_perf, vllm, written

UNITS, EVENTS, TOKENS, TIMEOUT, SURVIVORS, CLOSED, RATE, GAPS, FEW, COLD = (
    check.__name__ for check in CHECKS
)  # fmt: skip


def shown(path, stage=0, **asked) -> dict[str, bool | None]:
    run = read_run(path, **asked)
    return {c.__name__: one.shown for c, one in zip(CHECKS, faults(run)[stage])}


def finding(path, name, **asked):
    (found,) = faults(read_run(path, **asked))
    return next(one for check, one in zip(CHECKS, found) if check.__name__ == name)


@pytest.mark.parametrize("form", FORMS)
def test_a_sound_load_test_shows_no_fault(tmp_path, form):
    told = shown(FORMS[form](tmp_path, a_load(500)), output_tokens=21)
    assert True not in told.values()
    unknown = {name for name, found in told.items() if found is None}
    # vllm and the course do not say what arrivals are called; a report alone has no start times
    expected = {"inference_perf": {CLOSED, GAPS}, "vllm": {GAPS}, "course": {GAPS}}
    assert unknown == expected.get(form, set())


def test_milliseconds_that_are_read_as_seconds(tmp_path):
    (stage,) = (run := read_run(inference_perf(tmp_path, a_load(500)))).stages
    thousandfold = {name: 1e3 * value for name, value in stage.e2e_s.items()}
    for e2e_s, is_shown in ((stage.e2e_s, False), (thousandfold, True)):
        (found,) = faults(replace(run, stages=(replace(stage, e2e_s=e2e_s),)))
        assert next(one for c, one in zip(CHECKS, found) if c.__name__ == UNITS).shown is is_shown


@pytest.mark.parametrize("form", FORMS)
def test_two_events_a_token_are_counted(tmp_path, form):
    path = FORMS[form](tmp_path, a_load(500, events=2))
    found = finding(path, EVENTS, output_tokens=21)
    assert found.shown and "2.0" in found.words
    divides_by_events = form == "inference_perf"
    assert ("times too short" in found.words) == divides_by_events
    ratio = found.evidence["true / reported TPOT"]
    assert ratio == pytest.approx(2.0 if divides_by_events else 1.0, rel=0.01)


@pytest.mark.parametrize("form", ["guidellm", "aiperf", "vllm", "course"])
def test_another_count_of_tokens_is_not_taken_for_events(tmp_path, form):
    path = FORMS[form](tmp_path, a_load(500, tokens=63))  # the client's count, of 63 events
    counted = shown(path, output_tokens=63)
    assert (counted[EVENTS], counted[TOKENS]) == (False, False)
    both = shown(path, output_tokens=21)
    assert (both[EVENTS], both[TOKENS]) == (True, True)  # three events came for each token
    path = inference_perf(tmp_path, a_load(500, tokens=63))
    told = shown(path, output_tokens=21)
    assert (told[EVENTS], told[TOKENS]) == (False, True)


def test_empty_gaps_suffice_where_no_length_is_known(tmp_path):
    path = inference_perf(tmp_path, a_load(500, events=2))
    content = json.loads(path.read_text())
    del content["successes"]["output_len"]
    found = finding(written(path, content), EVENTS)
    assert found.shown and found.words.startswith("half of the gaps are empty")
    del content["successes"]["latency"]["inter_token_latency"]
    assert finding(written(path, content), EVENTS).shown is None


def test_a_client_that_tokenises_again(tmp_path):
    path = inference_perf(tmp_path, a_load(500), words=17)
    assert finding(path, TOKENS).shown is None and "asked for" in finding(path, TOKENS).words
    found = finding(path, TOKENS, output_tokens=21)
    assert found.shown and found.evidence == {"asked": 21, "counted": 17}


@pytest.mark.parametrize("form", FORMS)
def test_a_time_out(tmp_path, form):
    load = a_load(500, failed=np.arange(0, 500, 4))
    load.e2e_s[load.failed] = 1.3 + 0.002 * np.arange(125) / 125
    path = FORMS[form](tmp_path, load)
    found = finding(path, TIMEOUT)
    if form == "vllm":
        assert found.shown is None and "needs after how long" in found.words
    else:
        assert found.shown and found.evidence["after_s"] == pytest.approx(1.301, abs=0.002)
    lost = finding(path, SURVIVORS)
    assert lost.shown and lost.words == "25 % failed: of all who asked, p75 is infinite"


def test_failures_at_different_times_are_no_time_out(tmp_path):
    load = a_load(500, failed=np.arange(0, 500, 4))
    load.e2e_s[load.failed] = np.linspace(0.2, 9, 125)
    assert finding(aiperf(tmp_path, load), TIMEOUT).shown is False


def a_closed_load(n=400, clients=8, pause_s=0.0005):
    """``clients`` who ask again ``pause_s`` after an answer."""
    draw = np.random.default_rng(5)
    e2e_s = draw.uniform(0.8, 1.2, n)
    free_s, sent_s = np.zeros(clients), np.zeros(n)
    for i in range(n):
        mine = int(np.argmin(free_s))
        sent_s[i] = free_s[mine]
        free_s[mine] += e2e_s[i] + pause_s
    load = a_load(n, clients=clients)
    load.sent_s, load.e2e_s, load.rate, load.arrivals = sent_s, e2e_s, None, "concurrent"
    return load


@pytest.mark.parametrize("form", ["guidellm", "aiperf", "vllm", "course"])
def test_a_closed_loop_is_seen_in_its_requests(tmp_path, form):
    found = finding(FORMS[form](tmp_path, a_closed_load()), CLOSED)
    assert found.shown and found.evidence["sent as another ended"] > 0.95
    assert found.evidence["requests/s"] == pytest.approx(8, rel=0.05)


def test_a_closed_loop_that_is_stated_as_a_rate(tmp_path):
    load = a_closed_load()
    load.rate = 8.0
    assert finding(guidellm(tmp_path, load), CLOSED).shown


def test_a_closed_loop_without_requests_is_told_by_its_clients(tmp_path):
    path = vllm(tmp_path, a_closed_load(), detailed=False)
    assert finding(path, CLOSED).shown
    assert finding(vllm(tmp_path, a_load(500), detailed=False), CLOSED).shown is None


@pytest.mark.parametrize("rate", [2.0, 9.1, 30.0])
@pytest.mark.parametrize("even", [False, True])
def test_an_open_loop_is_none_however_many_are_in_flight(tmp_path, rate, even):
    load = a_load(600, rate=rate, even=even)
    load.e2e_s[:] = 1.1  # where sends are even, each may come as another ends
    assert finding(course(tmp_path, load), CLOSED).shown is False


def test_clients_who_take_long_to_ask_again_cannot_be_told(tmp_path):
    load = a_closed_load(n=3000, clients=60, pause_s=0.05)
    assert finding(course(tmp_path, load), CLOSED).shown is None
    assert finding(aiperf(tmp_path, load), CLOSED).shown  # it says how many clients there were


def test_arrivals_are_held_against_their_name(tmp_path):
    for even in (True, False):
        for name in ("constant", "poisson"):
            found = finding(aiperf(tmp_path, a_load(500, even=even, arrivals=name)), GAPS)
            assert found.shown == (even != (name == "constant")), (even, name)


def test_gaps_that_are_drawn_once_for_ten_requests_are_no_poisson_process(tmp_path):
    load = a_load(500)
    gaps_s = np.repeat(np.random.default_rng(4).exponential(1 / 8, 50), 10)
    load.sent_s = np.cumsum(gaps_s * 500 / 8 / gaps_s.sum())
    found = finding(guidellm(tmp_path, load), GAPS)
    assert found.shown and found.evidence["like the one before"] > 0.8


def test_without_start_times_arrivals_cannot_be_told(tmp_path):
    found = finding(inference_perf(tmp_path, a_load(500)), GAPS)
    assert found.shown is None and found.evidence["p90 / median"] == pytest.approx(1.02, abs=0.02)


@pytest.mark.parametrize("form", ["guidellm", "aiperf", "inference_perf", "vllm"])
def test_a_rate_that_was_not_sent(tmp_path, form):
    load = a_load(500, rate=8.0)
    load.rate = 11.0
    found = finding(FORMS[form](tmp_path, load), RATE)
    assert found.shown and found.evidence["sent"] == pytest.approx(8, rel=0.05)
    assert ("cannot tell" in found.words) == (form == "inference_perf")


def test_tails_that_so_few_answers_do_not_bound(tmp_path):
    found = finding(guidellm(tmp_path, a_load(367)), FEW)
    assert found.shown and found.evidence == {"answers": 367, "p99": 368}
    assert finding(guidellm(tmp_path, a_load(368)), FEW).shown is False


def test_a_cold_start_is_seen_in_requests_or_against_the_next_stage(tmp_path):
    load = a_load(500)
    load.e2e_s[:10] += 3.0
    assert finding(guidellm(tmp_path, load), COLD).shown
    assert finding(inference_perf(tmp_path, load), COLD).shown is None
    inference_perf(tmp_path, a_load(500), stage=1)
    (tmp_path / "guide.json").unlink()
    assert shown(tmp_path)[COLD] is True and shown(tmp_path, stage=1)[COLD] is False
