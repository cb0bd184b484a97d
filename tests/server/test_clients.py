"""How other programs read the server: each one's way, typed anew, at a real socket."""

import json

import httpx
import openai
import pytest

from .conftest import settled
from .test_http import HTTP, LONG, PROMPT, is_empty

MESSAGES = [{"role": "user", "content": "What is goodput?"}]
PATHS = {
    "completions": {"prompt": PROMPT},
    "chat/completions": {"messages": MESSAGES},
}


@pytest.fixture(scope="module")
def server(draft):
    from labutils.engine import Engine
    from labutils.server import Server

    model, tokenizer = draft
    made = Server(Engine(model, tokenizer=tokenizer, num_pages=128))
    with made.running():
        yield made


@pytest.mark.parametrize("path", PATHS)
def test_a_reader_that_takes_each_event_for_one_line_of_data(server, path):
    """vLLM's benchmark client: what stands before an empty line, less ``data: ``, is JSON."""
    asked = {**LONG, **PATHS[path], "max_tokens": 9, "stream_options": {"include_usage": True}}
    chunks, rest = [], b""
    with HTTP.stream("POST", f"{server.url}/v1/{path}", json=asked) as response:
        for part in response.iter_bytes():
            *whole, rest = (rest + part).split(b"\n\n")
            for event in whole:
                if event and not event.startswith(b":"):
                    data = event.decode().removeprefix("data: ")
                    chunks.append(None if data == "[DONE]" else json.loads(data))
    *chunks, last = chunks
    assert last is None and rest == b""
    assert [chunk.get("usage", "absent") for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)
    assert chunks[-1]["usage"]["completion_tokens"] == 9


def test_a_reader_that_gathers_a_message_from_its_deltas(server):
    """openai-node's ``stream()``: texts are joined, and a message without a role is an error."""
    asked = {**LONG, "messages": MESSAGES, "max_tokens": 9}
    message = {}
    with HTTP.stream("POST", f"{server.url}/v1/chat/completions", json=asked) as response:
        for line in response.iter_lines():
            if line.startswith("data: {"):
                for name, text in json.loads(line.removeprefix("data: "))["choices"][0][
                    "delta"
                ].items():
                    message[name] = message.get(name, "") + text
    assert message["role"] == "assistant" and message["content"]


def test_the_official_clients_own_gatherer_ends_with_a_message(server):
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
    asked = {"model": "course", "messages": MESSAGES, "max_tokens": 9, "temperature": 0}
    with client.chat.completions.stream(**asked) as stream:
        for _ in stream:
            found = stream.current_completion_snapshot.choices[0].message
    whole = client.chat.completions.create(**asked).choices[0].message
    assert (found.role, found.content) == (whole.role, whole.content) and whole.content


def test_top_k_is_served(server):
    asked = {"prompt": PROMPT, "max_tokens": 12, "seed": 1, "ignore_eos": True}
    greedy, one, free = (
        HTTP.post(f"{server.url}/v1/completions", json=asked | options).json()["choices"][0]["text"]
        for options in ({"temperature": 0}, {"top_k": 1}, {})
    )
    assert greedy == one != free


def test_a_text_that_cannot_fit_never_reaches_the_tokenizer(server, monkeypatch):
    seen = []
    encode = server.engine.tokenizer.encode
    monkeypatch.setattr(
        server.engine.tokenizer, "encode", lambda text: seen.append(len(text)) or encode(text)
    )
    longest = server.front.longest_text
    assert longest == 512 * 11
    for length in (longest, longest + 1, 900_000):
        got = HTTP.post(f"{server.url}/v1/completions", json={"prompt": "a" * length})
        assert got.status_code == 400
        assert got.json()["error"]["code"] == "context_length_exceeded"
    assert seen == [longest]


def test_no_text_has_fewer_tokens_than_its_length_says(draft):
    _, tokenizer = draft
    for text in ("everybody" * 50, " arithmetic" * 50, "é" * 99, "\n" * 99, PROMPT):
        assert len(text) <= len(tokenizer.encode(text)) * tokenizer.longest
    assert len(tokenizer.encode(" arithmetic" * 50)) == 50  # the bound is reached


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example:80"}, {"Host": "[::1"},
     {"Origin": "http://evil.example"}, {"Origin": "null"}],
)  # fmt: skip
def test_a_page_of_another_site_gets_nothing(server, headers):
    for path in ("/metrics", "/v1/models"):
        got = HTTP.get(server.url + path, headers=headers)
        assert (got.status_code, got.json()["error"]["code"]) == (403, "foreign_page")
    told = HTTP.post(f"{server.url}/v1/completions", json={"prompt": "x"}, headers=headers)
    assert told.status_code == 403 and settled(lambda: is_empty(server))
    slashed = HTTP.post(f"{server.url}/v1/completions/", json={"prompt": "x"}, headers=headers)
    assert slashed.status_code == 404 and "location" not in slashed.headers


def test_this_machines_own_pages_are_served(server):
    port = httpx.URL(server.url).port
    for headers in ({"Host": f"localhost:{port}"}, {"Origin": "http://[::1]:8888"}):
        assert HTTP.get(f"{server.url}/v1/models", headers=headers).status_code == 200


def test_what_nobody_foresaw_is_counted_too(server, monkeypatch):
    def breaks(*_, **__):
        raise KeyError("a secret of the server")

    monkeypatch.setattr(server.front.admission, "admit", breaks)
    got = HTTP.post(f"{server.url}/v1/completions", json={"prompt": "x"})
    assert got.status_code == 500 and "secret" not in got.text
    assert 'request_refused_total{code="failed",model_name="course"} 1' in (
        HTTP.get(f"{server.url}/metrics").text
    )
