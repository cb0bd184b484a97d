"""What may be asked, field by field; whatever else comes is an error of the protocol."""

import json
import random

import pytest
from hypothesis import given, settings, strategies as st

from labutils.server.protocol import Ask, ProtocolError


def json_of(fields):
    """As a client writes it: a number too large for a float is still JSON."""
    return json.dumps(fields).replace("Infinity", "1e400").encode()


def asked(chat=False, **fields):
    return Ask.of(json_of(fields), chat=chat, model="course", max_tokens=64, longest_text=5_632)


def refused(chat=False, **fields):
    with pytest.raises(ProtocolError) as caught:
        asked(chat, **fields)
    error = caught.value.body()["error"]
    assert error["message"] and error["type"] and set(error) >= {"param", "code"}
    return caught.value


@pytest.mark.parametrize(
    "param, fields",
    [
        ("prompt", {}),
        ("prompt", {"prompt": ""}),
        ("prompt", {"prompt": []}),
        ("prompt", {"prompt": ["two", "of them"]}),
        ("prompt", {"prompt": [1, True]}),
        ("prompt", {"prompt": "x\ud800"}),
        ("prompt", {"prompt": "x" * 5_633}),
        ("max_tokens", {"prompt": "x", "max_tokens": float("1e400")}),
        ("seed", {"prompt": "x", "seed": float("-1e400")}),
        ("temperature", {"prompt": "x", "temperature": 10**401}),
        ("top_p", {"prompt": "x", "top_p": 10**401}),
        ("top_k", {"prompt": "x", "top_k": -2}),
        ("top_k", {"prompt": "x", "top_k": 1.5}),
        ("n", {"prompt": "x", "n": 2}),
        ("n", {"prompt": "x", "n": True}),
        ("logprobs", {"prompt": "x", "logprobs": 0}),
        ("repetition_penalty", {"prompt": "x", "repetition_penalty": 2}),
        ("min_p", {"prompt": "x", "min_p": 0.1}),
        ("min_tokens", {"prompt": "x", "min_tokens": 50}),
        ("regex", {"prompt": "x", "regex": "[0-9]+"}),
        ("typical_p", {"prompt": "x", "typical_p": 0.9}),
        ("stop_token_ids", {"prompt": "x", "stop_token_ids": [3]}),
        ("guided_json", {"prompt": "x", "guided_json": {}}),
        ("structured_outputs", {"prompt": "x", "structured_outputs": {"choice": ["a"]}}),
        ("truncate_prompt_tokens", {"prompt": "x", "truncate_prompt_tokens": 5}),
        ("tool_choice", {"prompt": "x", "tool_choice": "required"}),
        ("logprobs", {"prompt": "x", "logprobs": 5}),
        ("suffix", {"prompt": "x", "suffix": "y"}),
        ("stream", {"prompt": "x", "stream": "yes"}),
        ("max_tokens", {"prompt": "x", "max_tokens": 0}),
        ("max_tokens", {"prompt": "x", "max_tokens": 1.5}),
        ("max_tokens", {"prompt": "x", "max_tokens": True}),
        ("temperature", {"prompt": "x", "temperature": -0.1}),
        ("temperature", {"prompt": "x", "temperature": 2.1}),
        ("top_p", {"prompt": "x", "top_p": 0}),
        ("seed", {"prompt": "x", "seed": "7"}),
        ("stop", {"prompt": "x", "stop": ["a", ""]}),
        ("stop", {"prompt": "x", "stop": list("abcde")}),
        ("stop", {"prompt": "x", "stop": 3}),
        ("stream_options", {"prompt": "x", "stream_options": [1]}),
        ("response_format", {"prompt": "x", "response_format": {"type": "json_object"}}),
    ],
)
def test_a_field_that_is_wrong_is_named(param, fields):
    error = refused(**fields)
    assert (error.status, error.param) == (400, param)
    assert str(error).startswith(param) and "expected" in str(error)
    assert len(str(error)) < 250


def test_a_refusal_shows_what_came_as_json_writes_it():
    assert str(refused(prompt="x", stream="true")) == 'stream = "true": expected true or false'
    assert str(refused(prompt="x", tools=[{}])) == (
        "tools = [{}]: expected none or [], since it is not served here"
    )
    name = "m" * 900_000
    assert len(str(refused(prompt="x", model=name))) < 150


def test_a_text_that_no_context_holds_is_refused_by_its_length():
    error = refused(prompt="a" * 5_633)
    assert error.code == "context_length_exceeded" and "5,632" in str(error)
    assert asked(prompt="a" * 5_632).prompt
    talk = [{"role": "user", "content": "a" * 5_632}]
    assert refused(chat=True, messages=talk).param == "messages"


@pytest.mark.parametrize(
    "messages",
    [None, [], "hello", [{"role": "robot", "content": "x"}], ["x"], [{"role": "user"}],
     [{"role": "user", "content": [{"type": "image_url"}]}]],
)  # fmt: skip
def test_messages_that_are_wrong(messages):
    assert refused(chat=True, messages=messages).param.startswith("messages")


def test_another_model_is_not_found():
    error = refused(prompt="x", model="gpt-9")
    assert (error.status, error.code) == (404, "model_not_found")


def test_what_a_request_may_hold():
    ask = asked(
        prompt=["text"], max_tokens=9, temperature=0.5, top_p=0.9, seed=-3, stop="end",
        stream=True, stream_options={"include_usage": True}, ignore_eos=True, n=1,
        user="somebody", logprobs=None, repetition_penalty=1.0, tool_choice="auto", top_k=7,
    )  # fmt: skip
    assert (ask.prompt, ask.max_tokens, ask.stop, ask.stream) == ("text", 9, ("end",), True)
    assert (ask.sampling.temperature, ask.sampling.top_p, ask.sampling.top_k) == (0.5, 0.9, 7)
    assert asked(prompt="x", top_k=-1).sampling.top_k is None
    assert [asked(prompt="x", temperature=t).sampling.temperature for t in (5e-324, 1e-3)] == [
        0.0,
        1e-3,
    ]
    assert ask.sampling.seed == 2**63 - 3 and ask.include_usage and ask.ignore_end
    plain = asked(prompt=[3, 1, 2])
    assert (plain.prompt, plain.max_tokens, plain.stop, plain.stream) == ([3, 1, 2], 64, (), False)
    assert (plain.sampling.temperature, plain.sampling.top_p, plain.sampling.seed) == (
        1,
        None,
        None,
    )
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    talk = [{"role": "system", "content": "S"}, {"role": "user", "content": parts}]
    ask = asked(chat=True, messages=talk, max_completion_tokens=5, max_tokens=8)
    assert ask.prompt == "system: S\nuser: ab\nassistant:" and ask.max_tokens == 5


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"3", b"\xff{}", b'{"a": NaN}', b"[" * 100_000, b'{"prompt"}']
)
def test_a_body_that_is_no_object(body):
    with pytest.raises(ProtocolError) as caught:
        Ask.of(body, chat=False, model="course", max_tokens=64, longest_text=5_632)
    assert caught.value.status == 400


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=5), one, max_size=3),
    max_leaves=6,
)  # fmt: skip
_names = [
    "prompt",
    "messages",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "seed",
    "stop",
    "stream",
    "n",
    "model",
    "stream_options",
    "ignore_eos",
    "logprobs",
    "echo",
    "tools",
    "response_format",
    "best_of",
    "logit_bias",
    "suffix",
]


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(_names), _json, max_size=6), st.booleans())
def test_whatever_is_asked_is_served_or_an_error_of_the_protocol(fields, chat):
    body = json.dumps(fields).encode()
    try:
        ask = Ask.of(body, chat=chat, model="course", max_tokens=64, longest_text=5_632)
    except ProtocolError as error:
        assert 400 <= error.status < 500
        json.dumps(error.body())
    else:
        assert ask.prompt and ask.max_tokens >= 1


def test_bytes_drawn_at_random():
    draw = random.Random(5)
    for _ in range(200):
        body = bytes(draw.randrange(256) for _ in range(draw.randrange(40)))
        with pytest.raises(ProtocolError):
            Ask.of(body, chat=True, model="course", max_tokens=64, longest_text=5_632)
