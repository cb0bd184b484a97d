"""Which layouts divide a model, and that what does not divide is named."""

import pytest

from labutils import llm
from labutils.llm.layouts import Layout, layouts_of


def test_eight_cards_are_dealt_in_all_ways():
    dense = layouts_of(llm.model("Llama-3.1-70B"), 8)
    assert {(x.tp, x.pp, x.dp) for x in dense} == {
        (tp, pp, 8 // tp // pp) for tp in (1, 2, 4, 8) for pp in (1, 2, 4, 8) if 8 % (tp * pp) == 0
    }
    assert all(x.cards == 8 and x.ep == 1 for x in dense)
    experts = layouts_of(llm.model("Mixtral-8x7B"), 8)
    assert Layout(tp=2, dp=4, ep=8) in experts and Layout(dp=8, ep=4) in experts
    assert len(set(experts)) == len(experts)


def test_a_layout_says_itself():
    assert str(Layout(tp=4, dp=2, ep=8)) == "TP4 × DP2 × EP8"
    assert str(Layout()) == "one card"


@pytest.mark.parametrize(
    "name, shape, message",
    (
        ("Llama-3.1-70B", {"tp": 16}, "tp = 16: expected a divisor of the 8 KV heads"),
        ("Qwen2.5-7B", {"tp": 8}, "tp = 8: expected a divisor of the 28 heads"),
        ("Llama-3.1-70B", {"pp": 3}, "pp = 3: expected a divisor of the 80 layers"),
        ("Llama-3.1-70B", {"dp": 2, "ep": 2}, "ep = 2: expected 1, Llama-3.1-70B has no experts"),
        ("Mixtral-8x7B", {"dp": 16, "ep": 16}, "ep = 16: expected a divisor of the 8 experts"),
        ("Mixtral-8x7B", {"tp": 4, "dp": 1}, "takes 4 cards: expected 8"),
    ),
)
def test_what_does_not_divide_is_named(name, shape, message):
    layout = Layout(**shape)
    assert not layout.divides(llm.model(name), 8)
    with pytest.raises(ValueError, match=message):
        layout.require(llm.model(name), 8)


@pytest.mark.parametrize(
    "shape, message",
    (
        ({"tp": 0}, "tp = 0"),
        ({"pp": 1.5}, "pp = 1.5"),
        ({"tp": 4, "dp": 2, "ep": 2}, "ep = 2: expected 1, or a multiple of tp = 4"),
        ({"dp": 4, "ep": 4, "sp": 2}, "sp = 2"),
    ),
)
def test_layouts_that_cannot_be_are_refused(shape, message):
    with pytest.raises(ValueError, match=message):
        Layout(**shape)


def test_latent_attention_has_no_kv_heads_to_deal():
    assert Layout(tp=8, dp=2, ep=16).divides(llm.model("DeepSeek-V3"))
