"""A server at its socket: answers that are the engine's, clients that leave, errors in words."""

import asyncio
import gzip
import json
import random
import re
import socket
import time

import httpx
import openai
import pytest
from prometheus_client.parser import text_string_to_metric_families

from labutils.engine import Engine, PagePool, Sampling
from labutils.server import Limits, Server, Settings
from labutils.server.outgoing import EventStream
from labutils.serving.promises import Promise, Promises, Tenant
from labutils.serving.promises.policies import Shedding
from labutils.serving.runs.step_cost import StepCost
from labutils.telemetry import record_traces
from labutils.workspace.my_engine.texts.course_engine import course_sources
from labutils.workspace.my_engine.texts.load_pieces import load
from tests.rotation import in_turn

from .conftest import settled

PROMPT = "A queue grows when"
HTTP = httpx.Client(verify=False, timeout=30)  # certificates would take longer than a request
LONG = {"prompt": PROMPT, "max_tokens": 300, "temperature": 0, "ignore_eos": True, "stream": True}


def asks(server, headers=None, **fields):
    url, body = f"{server.url}/v1/completions", {"prompt": PROMPT, **fields}
    return HTTP.post(url, json=body, headers=headers, timeout=30)


def events(response):
    """Pairs (event, data) of a stream, comments left out."""
    kind = None
    for line in response.iter_lines():
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield kind, line.removeprefix("data: ")


def texts(pairs):
    chunks = [json.loads(data) for kind, data in pairs if kind is None and data != "[DONE]"]
    return "".join(chunk["choices"][0]["text"] for chunk in chunks if chunk["choices"])


def raw_post(fields):
    """A request as bytes, for clients that misbehave."""
    body = json.dumps(fields).encode()
    return b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%b" % (
        len(body), body
    )  # fmt: skip


def until_closed(client):
    """All that the server says before it closes the connection."""
    client.settimeout(5)
    told = []
    while part := client.recv(4096):
        told.append(part)
    return b"".join(told)


def is_empty(server):
    """Nothing is open, and each page is where it should be."""
    engine, front = server.engine, server.front
    empty = not engine.open and not engine.requests and not front.jobs
    return empty and front.admission.open_requests == front.admission.waiting_tokens == 0


@pytest.fixture
def server(serving):
    return serving()


def test_the_official_client_gets_the_engines_own_text(serving, draft):
    model, tokenizer = draft
    server = serving()
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
    asked = {"model": "course", "prompt": PROMPT, "max_tokens": 23}
    for options, sampling in (
        ({"temperature": 0}, Sampling()),
        (drawn := {"temperature": 0.9, "top_p": 0.8, "seed": 5}, Sampling(**drawn)),
    ):
        engine = Engine(model, tokenizer=tokenizer)
        stop = list(tokenizer.end_tokens)
        (alone,) = engine.generate([PROMPT], max_output_tokens=23, sampling=sampling, stop=stop)
        whole = client.completions.create(**asked, **options)
        assert whole.choices[0].text == alone.text
        assert whole.choices[0].finish_reason == alone.finish_reason
        assert whole.usage.completion_tokens == len(alone.answer)
        usage = {"include_usage": True}
        parts = [*client.completions.create(**asked, **options, stream=True, stream_options=usage)]
        assert "".join(one.choices[0].text for one in parts if one.choices) == alone.text
        assert parts[-2].choices[0].finish_reason == alone.finish_reason
        assert parts[-1].usage.total_tokens == alone.prompt_tokens + len(alone.answer)
    assert [one.id for one in client.models.list()] == ["course"]
    assert client.models.retrieve("course").id == "course"
    with pytest.raises(openai.NotFoundError, match='"gpt-9": not served here, expected "course"'):
        client.models.retrieve("gpt-9")


def test_several_tokens_to_an_event_are_the_same_answer_and_the_first_one_waits_for_no_other(
    serving,
):
    server = serving(settings=Settings(stream_interval=5), pause_s=0.02)
    with HTTP.stream(
        "POST", f"{server.url}/v1/completions", json={**LONG, "max_tokens": 23}
    ) as got:
        pairs = [*events(got)]
    told = [texts([pair]) for pair in pairs[:-1]]
    whole = asks(server, max_tokens=23, temperature=0, ignore_eos=True).json()
    assert "".join(told) == whole["choices"][0]["text"]
    tokens = [len(server.engine.tokenizer.encode(text)) for text in told]
    assert len(tokens) == 6 and tokens[0] == 1  # then four times five, and the rest of two
    with pytest.raises(ValueError, match="stream_interval = 0"):
        Settings(stream_interval=0)


def test_a_chat_is_streamed_as_it_is_answered_whole(server):
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
    messages = [{"role": "user", "content": "What is goodput?"}]
    asked = {"model": "course", "messages": messages, "max_tokens": 15, "temperature": 0}
    whole = client.chat.completions.create(**asked).choices[0].message.content
    parts = [*client.chat.completions.create(**asked, stream=True)]
    assert whole and "".join(one.choices[0].delta.content or "" for one in parts) == whole


def test_a_stop_string_ends_the_answer_before_it(server):
    free = asks(server, temperature=0, max_tokens=30, ignore_eos=True).json()["choices"][0]
    word = free["text"].split()[3]
    with HTTP.stream(
        "POST", f"{server.url}/v1/completions",
        json={**LONG, "max_tokens": 30, "stop": [word, "never"]},
    ) as response:  # fmt: skip
        streamed = texts(events(response))
    cut = asks(server, temperature=0, max_tokens=30, ignore_eos=True, stop=word).json()["choices"][
        0
    ]
    assert cut["text"] == streamed == free["text"][: free["text"].index(word)]
    assert (free["finish_reason"], cut["finish_reason"]) == ("length", "stop")


@pytest.mark.parametrize("stream", [True, False])
def test_who_leaves_frees_its_pages_long_before_the_answer_would_have_ended(serving, stream):
    server = serving(pause_s=0.02)  # 300 tokens would take 6 s
    with socket.create_connection(server.socket.getsockname()) as client:
        client.sendall(raw_post({**LONG, "stream": stream}))
        assert settled(lambda: server.engine.scheduler.running)
        if stream:
            assert b"data: " in client.recv(4096) + client.recv(4096)
        (request,) = server.engine.open.values()
    assert settled(lambda: is_empty(server))
    assert request.finish_reason == "cancelled" and len(request.answer) < 250
    server.engine.check()


def test_a_stream_that_takes_its_time_to_end_gives_its_job_up_all_the_same(draft):
    class Careful(EventStream):
        async def until_left(self, answer, leaving):
            await super().until_left(answer, leaving)
            await asyncio.sleep(0)  # a turn of the loop more, as whoever awaits both tasks takes

    class Patient(Server):
        streams = Careful

    model, tokenizer = draft
    lines, engine = [], Engine(model, tokenizer=tokenizer)
    engine.on_step = lambda *_: time.sleep(0.01)
    law = Tenant(name="anybody", tokens_per_s=0.001, burst_tokens=1_000.0)
    server = Patient(engine, write=lines.append, limits=Limits(tenants=(law,)))
    with server.running() as url:
        with HTTP.stream("POST", f"{url}/v1/completions", json=LONG) as response:
            reading = events(response)
            seen = [next(reading) for _ in range(4)]
        assert settled(lambda: is_empty(server))
    told = json.loads(lines[0])
    assert (told["status"], told["reason"]) == (499, "cancelled")
    assert len(seen) <= told["output_tokens"] < 250
    bucket, used = server.front.admission.buckets["anybody"], told["prompt_tokens"]
    left = bucket.filled("anybody", engine.clock())
    assert left == pytest.approx(1_000 - used - told["output_tokens"], abs=1)


def test_a_hundred_clients_of_whom_some_leave_get_their_own_answers(serving, draft):
    model, tokenizer = draft
    server = serving(engine=Engine(model, tokenizer=tokenizer, num_pages=40, max_sequences=8))
    prompts = [f"{PROMPT} {word}" for word in ("the", "a batch", "one", "load", "requests wait")]
    stop = list(tokenizer.end_tokens)
    engine = Engine(model, tokenizer=tokenizer)
    alone = engine.generate(prompts, max_output_tokens=20, stop=stop)

    async def one(client, n):
        fields = {"prompt": prompts[n % 5], "max_tokens": 20, "temperature": 0, "stream": True}
        async with client.stream("POST", "/v1/completions", json=fields) as response:
            assert response.status_code == 200, await response.aread()
            found = []
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    found.append((None, line.removeprefix("data: ")))
                if n % 10 == 7 and len(found) == 2:
                    return None
        assert found[-1][1] == "[DONE]"
        return texts(found)

    async def all_of_them():
        limits = httpx.Limits(max_connections=200)
        async with httpx.AsyncClient(base_url=server.url, timeout=60, limits=limits) as client:
            return await asyncio.gather(*(one(client, n) for n in range(100)))

    for n, text in enumerate(asyncio.run(all_of_them())):
        assert n % 10 == 7 or text == alone[n % 5].text
    assert settled(lambda: is_empty(server))
    server.engine.check()


def test_an_engine_that_fails_in_mid_stream_says_so_in_an_event(serving, monkeypatch):
    server = serving(pause_s=0.01)
    steps = iter(range(1000))
    step = server.engine.step

    def breaks():
        if next(steps) == 5:
            raise RuntimeError("a secret of the server")
        return step()

    with HTTP.stream("POST", f"{server.url}/v1/completions", json=LONG) as response:
        reading = events(response)
        first = next(reading)
        monkeypatch.setattr(server.engine, "step", breaks)
        pairs = [first, *reading]
    kind, data = pairs[-1]
    error = json.loads(data)["error"]
    assert (kind, error["code"]) == ("error", "engine_stopped") and "secret" not in data
    assert "[DONE]" not in [data for _, data in pairs]
    assert HTTP.get(f"{server.url}/health").status_code == 503
    assert HTTP.get(f"{server.url}/ready").status_code == 503
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
    with pytest.raises(openai.InternalServerError):
        client.completions.create(model="course", prompt="x")


def test_an_idle_stream_beats(serving):
    server = serving(settings=Settings(heartbeat_s=0.02), pause_s=0.2)
    with HTTP.stream("POST", f"{server.url}/v1/completions", json={**LONG, "max_tokens": 3}) as got:
        lines = [*got.iter_lines()]
    assert lines.count(": ping") >= 3 and "data: [DONE]" in lines
    assert got.headers["x-accel-buffering"] == "no"


def test_a_stream_can_be_read_again_from_any_event(serving):
    server = serving()
    with HTTP.stream(
        "POST", f"{server.url}/v1/completions", json={**LONG, "max_tokens": 20}
    ) as got:
        whole, id = "".join(got.iter_text()), got.headers["x-response-id"]
    assert "id: " not in whole  # numbers go to who asks for them
    pieces = [f"id: {n}\n{event}" for n, event in enumerate(whole.split("\n\n")[:-1], 1)]
    for after in (0, 7, len(pieces) - 1, len(pieces)):
        again = HTTP.get(f"{server.url}/v1/streams/{id}", headers={"Last-Event-ID": str(after)})
        assert again.text == "".join(f"{piece}\n\n" for piece in pieces[after:])
    for wrong in ("-1", "x", str(len(pieces) + 1), "²", "1" * 5_000):
        sent = {"Last-Event-ID": wrong.encode()}
        assert HTTP.get(f"{server.url}/v1/streams/{id}", headers=sent).status_code == 400
    assert HTTP.get(f"{server.url}/v1/streams/cmpl-unknown").status_code == 404


def test_who_asks_for_it_may_come_back_and_miss_nothing(serving):
    server = serving(pause_s=0.01)
    fields, headers = {**LONG, "max_tokens": 40}, {"X-Resume-Within-S": "30"}
    with HTTP.stream("POST", f"{server.url}/v1/completions", json=fields, headers=headers) as got:
        reading = got.iter_lines()
        seen = [next(reading) for _ in range(6)]  # two events: id, data, an empty line
        id = got.headers["x-response-id"]
    again = HTTP.get(f"{server.url}/v1/streams/{id}", headers={"Last-Event-ID": "2"}, timeout=30)
    lines = [*seen, *again.text.split("\n")]
    numbers = [int(line.removeprefix("id: ")) for line in lines if line.startswith("id: ")]
    assert numbers == [*range(1, len(numbers) + 1)]
    data = [(None, line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    whole = asks(server, **(fields | {"stream": False})).json()["choices"][0]["text"]
    assert texts(data) == whole and data[-1][1] == "[DONE]"


def test_who_came_back_is_not_given_up_when_the_time_to_come_back_is_over(serving):
    server = serving(pause_s=0.01)
    headers = {"X-Resume-Within-S": "0.2"}  # the answer takes at least 0.6 s
    body = {**LONG, "max_tokens": 60}
    with HTTP.stream("POST", f"{server.url}/v1/completions", json=body, headers=headers) as got:
        next(got.iter_lines())
        id = got.headers["x-response-id"]
    again = HTTP.get(f"{server.url}/v1/streams/{id}", headers={"Last-Event-ID": "1"})
    assert again.text.endswith("data: [DONE]\n\n")
    with HTTP.stream("POST", f"{server.url}/v1/completions", json=LONG, headers=headers) as got:
        next(got.iter_lines())
        (job,) = server.front.jobs.values()
    assert settled(lambda: is_empty(server)) and job.ending.reason == "cancelled"


def test_a_client_that_does_not_read_holds_up_nobody_and_is_cut(serving):
    long_name = "m" * 300  # so that few events fill the buffers on the way
    server = serving(settings=Settings(model=long_name, most_unread=40, stalled_s=0.2))
    server.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
        client.connect(server.socket.getsockname())
        client.sendall(raw_post({**LONG, "max_tokens": 500, "prompt": "A"}))
        assert settled(lambda: server.front.jobs)
        (job,) = server.front.jobs.values()
        assert asks(server, max_tokens=5).status_code == 200  # somebody else is served meanwhile
        assert settled(lambda: is_empty(server))
    assert job.ending.error == "slow reader" and job.ending.reason == "cancelled"
    assert job.log.error.code == "cancelled" and 40 < len(job.log.events) < 450


def test_limits_are_told_in_the_protocols_words(serving):
    law = Tenant(name="law", tokens_per_s=2.0, burst_tokens=40.0)
    limits = Limits(waiting_tokens=6, open_requests=3, tenants=(law, Tenant(name="shop")))
    cost = StepCost(base_s=0.5, per_prefill_token_s=0.01)
    server = serving(limits=limits, step_cost=cost, pause_s=0.02)

    def post(tenant, max_tokens=4, **headers):
        headers = {"X-Tenant": tenant, **headers}
        fields = {"prompt": PROMPT, "max_tokens": max_tokens}
        url = f"{server.url}/v1/completions"
        return HTTP.post(url, json=fields, headers=headers, timeout=30)

    over = post("law", 60)
    assert (over.status_code, over.json()["error"]["code"]) == (429, "over_budget")
    assert "retry-after" not in over.headers  # its bucket never holds as many
    assert post("law", 30).status_code == 200
    over = post("law", 36)  # 40 wanted; what was given back and flowed in is not enough
    assert over.status_code == 429 and 1 <= int(over.headers["retry-after"]) <= 20
    assert over.json()["error"]["type"] == "rate_limit_error"
    late = post("shop", **{"X-TTFT-Deadline-Ms": "100"})
    assert (late.status_code, late.json()["error"]["code"]) == (503, "too_late")
    assert late.json()["error"]["predicted_ttft_s"] == pytest.approx(0.54)
    assert post("shop", **{"X-TTFT-Deadline-Ms": "100000"}).status_code == 200
    assert post("nobody").json()["error"]["code"] == "unknown_tenant"
    assert is_empty(server)


def test_a_full_server_refuses_and_the_official_client_sees_the_status(serving):
    server = serving(limits=Limits(open_requests=1), pause_s=0.02)
    with HTTP.stream("POST", f"{server.url}/v1/completions", json=LONG) as response:
        reading = response.iter_lines()  # whoever forgets it has left
        next(reading)
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
        with pytest.raises(openai.InternalServerError) as caught:
            client.completions.create(model="course", prompt=PROMPT)
        assert caught.value.status_code == 503 and caught.value.code == "full"
        assert int(caught.value.response.headers["retry-after"]) >= 1
    assert settled(lambda: is_empty(server))


@pytest.mark.parametrize(
    "headers",
    [{"X-Tenant": "a b"}, {"X-Tenant": "x" * 129}, {"X-Request-Id": b'a"}\n'[:3]},
     {"X-TTFT-Deadline-Ms": "soon"}, {"X-TTFT-Deadline-Ms": "-5"}, {"X-TTFT-Deadline-Ms": "nan"},
     {"X-Resume-Within-S": "61"}, {"X-Resume-Within-S": "0"}],
)  # fmt: skip
def test_headers_that_are_wrong(server, headers):
    got = HTTP.post(f"{server.url}/v1/completions", json={"prompt": "x"}, headers=headers)
    assert got.status_code == 400 and got.json()["error"]["code"] == "bad_header"


def test_ids_as_clouds_write_them_come_back(server):
    id = "Root=1-67891233-abcdef;Sampled=1"
    got = HTTP.post(f"{server.url}/v1/completions", json={"prompt": "x", "max_tokens": 1},
                    headers={"X-Request-Id": id})  # fmt: skip
    assert (got.status_code, got.headers["x-request-id"]) == (200, id)


def test_a_body_that_is_packed_is_refused_as_such(server):
    body = gzip.compress(json.dumps({"prompt": "x"}).encode())
    for coding, status in (("gzip", 415), ("identity", 400)):
        headers = {"Content-Encoding": coding}
        got = HTTP.post(f"{server.url}/v1/completions", content=body, headers=headers)
        assert got.status_code == status
        assert got.json()["error"]["message"].startswith("Content-Encoding") == (status == 415)


@pytest.mark.parametrize(
    "fields, param",
    [({"max_tokens": 10**9}, "max_tokens"), ({"prompt": [1] * 600, "max_tokens": 1}, "prompt")],
)
def test_what_does_not_fit_into_the_context_is_blamed_on_what_is_too_long(server, fields, param):
    error = asks(server, **fields).json()["error"]
    assert (error["code"], error["param"]) == ("context_length_exceeded", param)
    talk = [{"role": "user", "content": "ab " * 900}]
    chat = HTTP.post(f"{server.url}/v1/chat/completions", json={"messages": talk})
    assert chat.json()["error"]["param"] == "messages"


def test_a_token_that_no_vocabulary_has_is_refused_and_not_counted_as_served(server):
    for token in (10**6, 10**400):
        error = asks(server, prompt=[1, token]).json()["error"]
        assert (error["code"], error["param"]) == ("cannot_be_served", "prompt")
        assert len(error["message"]) <= 200
    text = HTTP.get(f"{server.url}/metrics").text
    assert 'request_refused_total{code="cannot_be_served",model_name="course"} 2.0' in text
    assert "request_success_total{" not in text and "prompt_tokens_total{" not in text
    assert is_empty(server)


def test_only_a_client_with_the_token_is_served(serving):
    server = serving(settings=Settings(token="a secret of letters"))
    for path in ("/v1/models", "/metrics", "/v1/streams/x"):
        assert HTTP.get(server.url + path).status_code == 401
    assert asks(server).status_code == 401
    for wrong in ("a secret", "Bearer", "ünï"):
        sent = {"Authorization": f"Bearer {wrong}".encode()}
        told = HTTP.get(f"{server.url}/v1/models", headers=sent)
        assert (told.status_code, told.headers["www-authenticate"]) == (401, "Bearer")
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="a secret of letters")
    assert client.completions.create(model="course", prompt="x", max_tokens=1).id
    assert HTTP.get(f"{server.url}/ready").status_code == 200  # a probe has no token


def test_bodies_that_are_too_long_or_too_slow(serving):
    server = serving(settings=Settings(body_bytes=2_000, body_s=0.1))
    refused = asks(server, user="x" * 3_000)
    assert (refused.status_code, refused.headers["connection"]) == (413, "close")
    with socket.create_connection(server.socket.getsockname()) as client:
        client.sendall(
            b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
        )
        assert b" 408 " in until_closed(client)
    with socket.create_connection(server.socket.getsockname()) as client:
        client.sendall(
            b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n"
            + b"x" * 3_000
        )
        assert b" 413 " in until_closed(client)  # and the other 6,000 bytes are never waited for
    with socket.create_connection(server.socket.getsockname()) as client:
        client.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000 + b"\r\n\r\n")
        assert b" 400 " in client.recv(4096)
    assert asks(server, max_tokens=1).status_code == 200 and is_empty(server)


@pytest.mark.parametrize("request_line", [b"POST /v1/completions", b"GET /health"])
def test_two_lengths_are_refused_and_nothing_behind_them_is_served(server, request_line):
    body = raw_post({"prompt": PROMPT, "max_tokens": 1}).partition(b"\r\n\r\n")[2]
    sent = b"%b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked"
    sent = sent % request_line + b"\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    with socket.create_connection(server.socket.getsockname()) as client:
        client.sendall(sent + b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        told = until_closed(client)
    assert told.count(b"HTTP/1.1 ") == 1 and b" 400 " in told and b"two_lengths" in told
    assert settled(lambda: is_empty(server))


def test_metrics_count_what_was_served(serving):
    server = serving()
    used = [asks(server, max_tokens=n, ignore_eos=True).json()["usage"] for n in (1, 5, 9)]
    assert asks(server, max_tokens=0).status_code == 400
    text = HTTP.get(f"{server.url}/metrics").text
    found = {
        (sample.name, sample.labels.get("le", sample.labels.get("finished_reason"))): sample.value
        for family in text_string_to_metric_families(text) for sample in family.samples
    }  # fmt: skip
    assert found["vllm:request_success_total", "length"] == 3
    assert found["vllm:prompt_tokens_total", None] == sum(one["prompt_tokens"] for one in used)
    assert found["vllm:generation_tokens_total", None] == 15
    for name, count in (
        ("time_to_first_token", 3), ("request_time_per_output_token", 2),
        ("inter_token_latency", 4 + 8), ("e2e_request_latency", 3), ("request_queue_time", 3),
    ):  # fmt: skip
        assert found[f"vllm:{name}_seconds_count", None] == count
        assert found[f"vllm:{name}_seconds_bucket", "+Inf"] == count
    assert found["vllm:num_requests_running", None] == 0 <= found["vllm:kv_cache_usage_perc", None]
    assert found["vllm:request_refused_total", None] == 1


def test_a_log_line_and_the_spans_of_each_request(serving):
    lines, recorder = [], record_traces("server")
    server = serving(write=lines.append, recorder=recorder, keep=1.0, slow_s=60)
    sent = {"X-Request-Id": "mine-7"}
    fields = {"prompt": PROMPT, "max_tokens": 6, "ignore_eos": True}
    got = HTTP.post(f"{server.url}/v1/completions", json=fields, headers=sent)
    assert got.headers["x-request-id"] == "mine-7"
    line = json.loads(lines[0])
    assert (line["request_id"], line["id"]) == ("mine-7", got.json()["id"])
    assert (line["status"], line["reason"], line["output_tokens"]) == (200, "length", 6)
    assert PROMPT not in lines[0]
    asks(server, max_tokens=-1)
    assert json.loads(lines[1]) == {
        "model": "course", "status": 400, "refused": None, "param": "max_tokens"
    }  # fmt: skip
    (trace,) = recorder.traces()
    names = {span.name: span for span in trace}
    assert set(names) == {"request", "queue", "prefill", "decode", "detokenise"}
    whole = names.pop("request")
    assert all(whole.start_s <= one.start_s <= one.end_s <= whole.end_s for one in names.values())
    assert names["queue"].end_s <= names["prefill"].end_s <= names["decode"].end_s
    assert line["time_to_first_token_s"] == pytest.approx(
        names["prefill"].end_s - whole.start_s, abs=1e-5
    )
    recorder.close()


def test_slow_and_failed_traces_are_kept_and_of_the_others_a_weighted_share(serving):
    recorder = record_traces("server")
    server = serving(recorder=recorder, keep=0.25, slow_s=60, seed=3)
    for _ in range(40):
        asks(server, max_tokens=1)
    kept = recorder.traces()
    weights = [span.attributes["labutils.sampling_weight"] for t in kept for span in t[:1]]
    assert 3 <= len(kept) <= 20 and set(weights) == {4.0}
    recorder.clear()
    server.front.watch.slow_s = 0.0
    for _ in range(3):
        asks(server, max_tokens=1)
    weights = [t[0].attributes["labutils.sampling_weight"] for t in recorder.traces()]
    assert weights == [1.0] * 3
    recorder.close()


def test_a_fault_of_the_server_tells_no_stranger_what_it_was(serving, monkeypatch):
    server = serving()
    monkeypatch.setattr(server.front.admission, "admit", {}.__getitem__)
    got = asks(server)
    error = got.json()["error"]
    assert (got.status_code, error["code"], error["message"]) == (
        500,
        "failed",
        "the server failed",
    )


def test_what_is_not_there_is_an_error_of_the_protocol(server):
    for method, path, status in (
        ("GET", "/", 404), ("GET", "/v1/completions", 405), ("POST", "/v1/nothing", 404),
        ("GET", "/../../etc/passwd", 404),
    ):  # fmt: skip
        got = HTTP.request(method, server.url + path)
        assert got.status_code == status and got.json()["error"]["code"] == "unknown_route"


def test_malformed_requests_never_break_the_server(server):
    draw = random.Random(11)
    valid = json.dumps({"prompt": PROMPT, "max_tokens": 2, "stream": True}).encode()
    statuses, sent_off = [], 150 if in_turn(__file__) else 45
    for n in range(sent_off):
        body, headers = bytearray(valid), {"content-type": draw.choice(["", "text/html", "x" * 50])}
        for _ in range(draw.randrange(1, 6)):
            body[draw.randrange(len(body))] = draw.randrange(256)
        if n % 3 == 0:
            body = body[: draw.randrange(len(body))]
        got = HTTP.post(f"{server.url}/v1/completions", content=bytes(body), headers=headers)
        statuses.append(got.status_code)
        assert got.status_code in (200, 400, 404), got.text
        assert got.status_code == 200 or got.json()["error"]["message"]
    assert statuses.count(400) > sent_off // 3
    post = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\n"
    raw = [
        b"", b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02", post,
        post + b"Content-Length: -1\r\n\r\n", post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    ]  # fmt: skip
    for sent in raw:
        with socket.create_connection(server.socket.getsockname()) as client:
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
            client.settimeout(10)
            answer = client.recv(4096)
            assert not re.search(rb"^HTTP/1.1 5", answer)
    assert asks(server, max_tokens=1).status_code == 200
    assert settled(lambda: is_empty(server))


def test_a_drain_lets_those_who_run_end_and_nobody_in(serving):
    server = serving(pause_s=0.01)
    with HTTP.stream(
        "POST", f"{server.url}/v1/completions", json={**LONG, "max_tokens": 60}
    ) as got:
        reading = events(got)
        next(reading)
        server.drain()
        assert settled(lambda: server.front.admission.is_draining)
        refused = asks(server)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "draining")
        assert HTTP.get(f"{server.url}/ready").text == "draining"
        assert [data for _, data in reading][-1] == "[DONE]"
    assert settled(lambda: not server.front.engine_thread.is_open)


def test_who_does_not_end_in_time_is_told(serving):
    lines = []
    server = serving(pause_s=0.02, drain_s=0.1, write=lines.append)
    with HTTP.stream("POST", f"{server.url}/v1/completions", json=LONG, timeout=30) as got:
        reading = events(got)
        next(reading)
        server.drain()
        kind, data = [*reading][-1]
    assert kind == "error" and json.loads(data)["error"]["code"] == "draining"
    assert json.loads(lines[0])["error"] == "the server shut down before the end"
    assert settled(lambda: not server.front.engine_thread.is_open)


def test_the_warm_up_measures_a_step_and_promises_are_held_against_it(serving):
    pause_s = 0.03  # of every step: the least that a first token takes
    server = serving(pause_s=pause_s)
    cost = server.front.admission.step_cost
    assert cost.base_s >= pause_s and cost.per_prefill_token_s * 512 < cost.base_s + 1
    too_soon = {"X-TTFT-Deadline-Ms": "29"}
    refused = asks(server, headers=too_soon)
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "too_late")
    assert asks(server, headers={"X-TTFT-Deadline-Ms": "60000"}).status_code == 200
    told = StepCost(base_s=9.0)
    assert serving(step_cost=told).front.admission.step_cost is told


def test_ready_only_after_the_warm_up(draft):
    import threading

    model, tokenizer = draft
    engine, gate = Engine(model, tokenizer=tokenizer), threading.Event()
    engine.on_step = lambda *_: gate.wait(10)
    server = Server(engine)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert settled(lambda: _answers(server.url))
        early = HTTP.get(f"{server.url}/ready")
        assert (early.status_code, early.text) == (503, "warming up")
        assert HTTP.get(f"{server.url}/health").status_code == 200
        gate.set()
        assert settled(lambda: HTTP.get(f"{server.url}/ready").status_code == 200)
    finally:
        gate.set()
        server.drain()
        thread.join()


def _answers(url):
    try:
        return HTTP.get(f"{url}/health").status_code
    except httpx.HTTPError:
        return False


def test_addresses_and_engines_that_are_refused(draft):
    model, tokenizer = draft
    with pytest.raises(
        ValueError, match=r"host = '0.0.0.0': expected a loopback address, or a tok"
    ):
        Server(Engine(model, tokenizer=tokenizer), host="0.0.0.0")
    with pytest.raises(ValueError, match=r"engine\.tokenizer = None"):
        Server(Engine(model))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"port = {port}: expected a free one"):
            Server(Engine(model, tokenizer=tokenizer), port=port)


def test_a_learners_engine_is_served_as_well(serving, draft):
    """A package assembled from source, as ``my/engine`` is: its classes are not the course's."""
    model, tokenizer = draft
    package = load(dict(course_sources()))
    assert package.Engine is not Engine
    server = serving(engine=package.Engine(model, tokenizer=tokenizer))
    text = asks(server, temperature=0, max_tokens=12).json()["choices"][0]["text"]
    stop = list(tokenizer.end_tokens)
    (alone,) = Engine(model, tokenizer=tokenizer).generate(
        [PROMPT], max_output_tokens=12, stop=stop
    )
    assert text == alone.text and settled(lambda: is_empty(server))


def test_a_policy_that_looks_at_promises_finds_the_callers(serving, draft):
    model, tokenizer = draft
    promises = Promises(otherwise=Promise())
    cost = StepCost(base_s=0.5)
    scheduler = Shedding(8, PagePool(128), promises=promises, step_cost=cost, token_budget=512)
    server = serving(engine=Engine(model, scheduler, tokenizer=tokenizer))
    sent = {"X-TTFT-Deadline-Ms": "300"}
    fields = {"prompt": PROMPT, "max_tokens": 3}
    late = HTTP.post(f"{server.url}/v1/completions", json=fields, headers=sent)
    assert (late.status_code, late.json()["error"]["code"]) == (503, "refused")
    assert "promised within 0.3 s" in late.json()["error"]["message"]
    stream = HTTP.post(f"{server.url}/v1/completions", json={**LONG, "max_tokens": 3}, headers=sent)
    assert (
        stream.status_code == 503
    )  # refused before the first event: a status, not a broken stream
    assert asks(server, max_tokens=3).status_code == 200
    assert not promises.by_id and settled(lambda: is_empty(server))


def test_tokens_that_wait_in_a_pause_come_in_one_piece(serving):
    """The client is the slow one here, and still misses nothing."""
    server = serving()
    with HTTP.stream(
        "POST", f"{server.url}/v1/completions", json={**LONG, "max_tokens": 200}
    ) as got:
        time.sleep(0.2)
        pairs = [*events(got)]
    assert len(pairs) >= 150 and pairs[-1][1] == "[DONE]"
