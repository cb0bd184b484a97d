"""Many traces as one table, counted by hand."""

import numpy as np
import pytest

from labutils.telemetry import Span, stage_table


def spans_of(trace, *stages):
    """A request from its first stage's start to its last one's end; (name, start, end) each."""
    start, end = min(s for _, s, _ in stages), max(e for *_, e in stages)
    root = Span(trace, "root", None, "answer", float(start), float(end))
    return [root, *(Span(trace, f"{n}", "root", *s) for n, s in enumerate(stages))]


TRACES = [
    spans_of("a", ("words", 0.0, 3.0), ("near", 1.0, 5.0), ("rank", 6.0, 7.0)),
    spans_of("b", ("near", 2.0, 3.0), ("rank", 3.0, 11.0), ("rank", 11.0, 12.0)),
    spans_of("c", ("words", 0.0, 2.0), ("near", 0.5, 1.0), ("prompt", 2.0, 2.5)),
]


def test_a_row_is_what_the_request_waited_for():
    table = stage_table(TRACES)
    by_hand = {  # of requests a, b, c: "near" began at 1, so a waited for nobody's end before that
        "answer": (2, 0, 0), "near": (4, 1, 0), "rank": (1, 9, 0),
        "words": (0, 0, 2), "prompt": (0, 0, 0.5),
    }  # fmt: skip
    assert {name: tuple(table.seconds[:, n]) for n, name in enumerate(table.stages)} == by_hand
    assert table.total_s.tolist() == [7, 10, 2.5]


def test_means_and_shares():
    table = stage_table(TRACES)
    assert table.mean_s()["rank"] == pytest.approx(10 / 3)
    assert table.shares()["rank"] == pytest.approx(10 / 19.5)
    assert table.shares(np.array([0, 2])) == pytest.approx(
        {"answer": 2 / 9.5, "near": 4 / 9.5, "rank": 1 / 9.5, "words": 2 / 9.5, "prompt": 0.5 / 9.5}
    )


def test_no_trace_and_one_that_has_not_ended():
    with pytest.raises(ValueError, match="traces"):
        stage_table([])
    still_open = [Span("d", "root", None, "answer", 0.0)]
    with pytest.raises(ValueError, match="open"):
        stage_table([TRACES[0], still_open])
