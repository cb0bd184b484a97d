"""The length of a stream against token times that are measured as those of a server are."""

import pytest

from labutils import llm
from labutils.metrics import RequestRecord


@pytest.mark.parametrize("ttft, tpot, tokens", ((0.5, 0.03, 500), (1.25, 0.0, 3), (0.08, 0.011, 1)))
def test_a_stream_lasts_as_long_as_its_record_says(ttft, tpot, tokens):
    times = [10 + ttft + k * tpot for k in range(tokens)]
    record = RequestRecord(
        id="a",
        intended_arrival_s=10.0,
        sent_s=10.0,
        token_times_s=tuple(times),
        finish_s=times[-1],
        prompt_tokens=7,
        output_tokens=tokens,
    )
    assert llm.stream_duration_s(ttft, tpot, tokens) == pytest.approx(record.e2e_s, rel=1e-12)


def test_the_needed_tpot_gives_the_wanted_duration_and_500_tokens_in_3_s_need_5_ms():
    for duration, ttft, tokens in ((3.0, 0.5, 500), (0.9, 0.31, 2), (60.6, 2.0, 294)):
        tpot = llm.tpot_for_duration_s(duration, ttft, tokens)
        reached = ttft
        for _ in range(tokens - 1):
            reached += tpot
        assert reached == pytest.approx(duration, rel=1e-9)
    assert llm.tpot_for_duration_s(3.0, 0.5, 500) == pytest.approx(5.01e-3, rel=1e-3)


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda: llm.stream_duration_s(-1, 0.1, 5), "ttft_s = -1"),
        (lambda: llm.stream_duration_s(1, 0.1, 0), "output_tokens = 0"),
        (lambda: llm.tpot_for_duration_s(1, 2, 5), "duration_s = 1"),
        (lambda: llm.tpot_for_duration_s(3, 2, 1), "output_tokens = 1"),
    ),
)
def test_streams_that_cannot_be_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
