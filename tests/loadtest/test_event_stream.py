"""Server-sent events: cut anywhere, ended by any line end, never more than they say."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st

from labutils.loadtest.event_stream import MOST_CHARACTERS, EventStream, ServerEvent, StreamTooLong

STREAM = (
    "\ufeff: ping\n\n"
    'data: {"text": "naïve 😀"}\n\n'
    "event: error\nid: 7\ndata: first\ndata:second\ndata\n\n"
    "retry: 1500\nretry: soon\nunknown: field\nid: has \0 zero\n\n"
    "data:  two spaces\n: comment: with colon\n\n"
    "data: cut off by the end"
)
EVENTS = [
    ServerEvent('{"text": "naïve 😀"}'),
    ServerEvent("first\nsecond\n", "error", "7"),
    ServerEvent(" two spaces", "message", "7"),
]


def fed(pieces: list[bytes]) -> tuple[list[ServerEvent], EventStream]:
    stream = EventStream()
    return [event for piece in pieces for event in stream.feed(piece)], stream


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_pieces_of_any_size_give_the_same_events(end, size):
    raw = STREAM.replace("\n", end).encode()
    events, stream = fed([raw[i : i + size] for i in range(0, len(raw), size)])
    assert events == EVENTS
    assert stream.comments == 2 and stream.retry_ms == 1500


@settings(max_examples=50)
@given(
    texts=st.lists(st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]))),
    ends=st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=1, max_size=9),
    cuts=st.sets(st.integers(0, 400)),
)
def test_whatever_is_sent_arrives_wherever_it_is_cut(texts, ends, cuts):
    lines = [line for text in texts for line in (f"data: {text}", "")]
    raw = "".join(
        line + ends[i % len(ends)] for i, line in enumerate([*lines, "data: x", ""])
    ).encode()
    edges = [0, *sorted(cut for cut in cuts if cut < len(raw)), len(raw)]
    whole, _ = fed([raw])
    parts, _ = fed([raw[a:b] for a, b in pairwise(edges)])
    assert parts == whole
    if "\r" not in ends:
        assert [event.data for event in whole] == [*texts, "x"]


def test_an_event_without_data_is_none_and_its_name_is_forgotten():
    events, _ = fed([b"event: error\n\ndata: x\n\n"])
    assert events == [ServerEvent("x")]


def test_bytes_that_are_no_text_do_not_end_the_stream():
    events, _ = fed([b"data: a\xff", b"b\n\n"])
    assert events == [ServerEvent("a\ufffdb")]


@pytest.mark.parametrize("piece", [b"x" * 65536, b"data: " + b"y" * 65000 + b"\n"])
def test_a_server_cannot_fill_the_memory(piece):
    stream = EventStream()
    with pytest.raises(StreamTooLong, match="more than 1,048,576 characters"):
        for _ in range(MOST_CHARACTERS // len(piece) + 2):
            stream.feed(piece)


def test_json_with_line_ends_of_other_kinds_is_one_line():
    data = json.dumps({"text": "a\u2028b\x0bc"}, ensure_ascii=False)
    events, _ = fed([f"data: {data}\n\n".encode()])
    assert [event.data for event in events] == [data]
