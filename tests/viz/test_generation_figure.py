"""The picture of generation: as many passes as tokens come out, and a cache that grows by one."""

import pytest

from labutils.viz.figures.generation import generation


def texts(fig):
    return [text.get_text() for text in fig.axes[0].texts]


def test_a_prefill_and_a_step_for_each_further_token():
    fig = generation(["to", "be", "or"], ["not", "to", "be"])
    shown = texts(fig)
    assert shown.count("prefill") == 1 and shown.count("decode step") == 2
    assert [text for text in shown if text.startswith("KV")] == [
        f"KV cache: {held} tokens" for held in (3, 4, 5)
    ]
    assert shown.count("not") == 2 and shown.count("or") == 1  # drawn, then passed in
    assert len(fig.axes[0].patches) == 3 + (3 + 4 + 5)  # passes, and columns


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match=r"answer = \[\]"):
        generation(["to"], [])
