"""What lab 8 runs beside its exercises: wrong methods, a learner's server, what HTTP adds."""

import asyncio
import contextlib
import gc
import json
import warnings

import numpy as np
import pytest

from labutils.exercises.catalog.streaming_server import lab8_loads, lab8_servers
from labutils.exercises.catalog.streaming_server.leaving import raced
from labutils.exercises.catalog.streaming_server.virtual_stage import now_ms, played
from labutils.metrics import RequestLog, RequestRecord, RequestStatus
from labutils.server.admission import Admission
from labutils.server.life import Server
from labutils.server.outgoing import EventStream
from labutils.serving.engine_thread import EngineThread
from labutils.serving.scheduling.step_shape import StepShape
from labutils.serving.simulator import StepCost


async def naps():
    await asyncio.sleep(3.25)
    return now_ms()


def test_a_story_is_played_at_once_also_where_a_loop_runs():
    async def in_a_cell():
        return played(naps())

    assert played(naps()) == asyncio.run(in_a_cell()) == 3250
    with pytest.raises(ZeroDivisionError):
        played(asyncio.wait_for(broken(), 1))


async def broken():
    return 1 / 0


def test_a_server_is_made_of_what_passes_and_of_the_courses_rest(capsys):
    async def send_all(self, send):
        raise NotImplementedError

    made = lab8_servers.server_of(EventStream.until_left, send_all)
    assert issubclass(made, Server) and issubclass(made.threads, EngineThread)
    assert issubclass(made.admissions, Admission)
    assert made.streams.until_left is EventStream.until_left
    assert made.streams.send_all is EventStream.send_all
    told = capsys.readouterr().out
    assert "Whoever leaves: using yours." in told and "yours is not there yet" in told


def test_a_renamed_method_is_told_what_was_expected():
    for method, found in ((played, "played"), (..., "Ellipsis")):
        with pytest.raises(ValueError, match=rf"{found}: expected one of generate, send_all, un"):
            lab8_servers.server_of(EventStream.until_left, method)


def test_an_untouched_race_leaves_nothing_that_was_never_awaited():
    async def until_left(self, answer, leaving):
        raise NotImplementedError

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with contextlib.suppress(NotImplementedError):
            raced(until_left)(50, "", None, None)
        gc.collect()
    assert not told


def burst_records(cost, *, request_s, busy_s, step_s, token_s):
    """Bursts of 1, 3 and 5 as they would be seen if the wire added just this."""
    prompt = lab8_loads.prompt_tokens(lab8_loads.bursts((1,), 1).requests[0])
    records = []
    for size in (1, 3, 5):
        prefill = StepShape(size * prompt, size * prompt * (prompt + 1) // 2, 0, 0)
        first_s = request_s + size * busy_s + cost.time_s(prefill)
        middle = prompt + lab8_loads.BURST_ANSWER // 2
        gap_s = cost.time_s(StepShape(0, 0, size, size * middle)) + step_s + size * token_s
        times = first_s + step_s + token_s + gap_s * np.arange(lab8_loads.BURST_ANSWER)
        records += [
            RequestRecord(
                f"{size}.{n}", 0.0, 0.0, token_times_s=times.tolist(), finish_s=float(times[-1]),
                status=RequestStatus.OK, prompt_tokens=prompt, tags={"kind": str(size)},
            )
            for n in range(size)
        ]  # fmt: skip
    return records


def test_the_wire_is_found_again_in_bursts_that_were_made_with_it():
    cost = StepCost(0.004, per_prefill_token_s=2e-4, per_pair_s=1e-6, per_sequence_s=3e-4,
                    per_context_token_s=1e-6)  # fmt: skip
    said = {"request_s": 0.011, "busy_s": 0.0023, "step_s": 0.0017, "token_s": 0.0003}
    wire = lab8_loads.Wire.fitted(burst_records(cost, **said), cost)
    assert wire._asdict() == pytest.approx(said)
    slower = wire.on(cost)
    shape = StepShape(0, 0, 7, 100)
    assert slower.time_s(shape) - cost.time_s(shape) == pytest.approx(0.0017 + 7 * 0.0003)
    prompt = lab8_loads.prompt_tokens(lab8_loads.bursts((1,), 1).requests[0])
    shape = StepShape(2 * prompt, 50, 0, 0)  # two requests come in it
    assert slower.time_s(shape) - cost.time_s(shape) == pytest.approx(0.0017 + 2 * 0.0023)


def test_a_wire_that_would_cost_nothing_was_not_measured():
    cost = StepCost(0.004, per_prefill_token_s=2e-4, per_sequence_s=3e-4)
    said = {"request_s": 0.068, "busy_s": -1e-3, "step_s": 0.004, "token_s": -1e-4}
    told = lab8_loads.Wire.fitted(burst_records(cost, **said), cost).verdict(cost)
    assert told.startswith("Too noisy") and "being busy with it, a token" in told
    said |= {"busy_s": 1e-3, "token_s": 1e-4}
    fitted = lab8_loads.Wire.fitted(burst_records(cost, **said), cost)
    assert fitted.verdict(cost).startswith("Each part")
    stalled = fitted._replace(request_s=0.736)
    assert stalled.verdict(cost).startswith("Too noisy: a request would wait")


def test_bursts_come_in_turn_and_one_client_may_rest():
    plan = lab8_loads.bursts((1, 3), 2, one_rests_s=0.05)
    assert [request.kind for request in plan.requests] == ["1", "3", "3", "3"] * 2
    assert [request.is_slow for request in plan.requests] == [True, True, False, False] * 2
    assert len({request.at_s for request in plan.requests}) == 4


def test_figures_are_in_milliseconds_and_the_wire_is_in_the_first_token_alone():
    records = [
        RequestRecord(
            n, 0.0, 0.0, token_times_s=[0.1 * n, 0.1 * n + 0.03], finish_s=0.1 * n + 0.03,
            status=RequestStatus.OK, prompt_tokens=3,
        )
        for n in range(1, 11)
    ]  # fmt: skip
    found = lab8_loads.figures(RequestLog.of(records), wire_s=0.02)
    assert found["TTFT p50"] == pytest.approx(520) and found["TTFT p90"] == pytest.approx(920)
    assert found["TPOT p50"] == found["TPOT p90"] == pytest.approx(30)


def test_capacity_is_what_a_step_of_a_full_batch_yields():
    """Steps cost the same whatever is in them: 16 requests every 17 steps at best."""
    found = lab8_loads.capacity_per_s(StepCost(0.01), requests=160)
    assert 0.75 * 100 < found <= 16 / (16 * 0.01)


def test_a_seal_tells_one_prediction_from_another():
    one, other = {0.5: {"TTFT p50": 30.0}}, {0.5: {"TTFT p50": 30.1}}
    assert lab8_servers.digest(one) == lab8_servers.digest(dict(one)) != lab8_servers.digest(other)


STREAMS = {  # the body behind a 200, by the tokens asked for; None is a 503
    1: "data: {}\n\ndata: [DONE]\n\n",
    3: "data: {}\n\n: ping\n\ndata: {}\n\nevent: error\ndata: {}\n\n",
    5: ": ping\n\ndata: {}\n\n",
    7: None,
}


async def _scripted(reader, writer):
    head = await reader.readuntil(b"\r\n\r\n")
    size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    body = STREAMS[json.loads(await reader.readexactly(size))["max_tokens"]]
    status = "503 no" if body is None else "200 OK"
    writer.write(f"HTTP/1.1 {status}\r\nconnection: close\r\n\r\n{body or ''}".encode())
    await writer.drain()
    writer.close()


def test_each_client_hears_its_own_stream_to_its_end():
    async def story():
        async with await asyncio.start_server(_scripted, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            asks = [(0.02, 1), (0.0, 3), (0.0, 5), (0.01, 7)]
            return await lab8_servers.heard(f"http://127.0.0.1:{port}", {"prompt": "x"}, asks)

    heard = asyncio.run(story())
    assert [[what for _, what in one] for one in heard] == [
        ["sent", "token", "whole"],
        ["sent", "token", "ping", "token", "broken"],
        ["sent", "ping", "token", "cut"],
        ["sent", "refused"],
    ]
    assert heard[0][0][0] >= 0.02 and all(one == sorted(one, key=lambda a: a[0]) for one in heard)
