"""The explorer of KV memory against arithmetic on paper."""

import math
import re

import numpy as np
import pytest

from labutils.viz.explorers.kv_memory import _met, kv_memory_explorer
from labutils.viz.figures import pages

WEIGHTS_GB, TOKEN = 8.030261248 * 2, 131_072
SAME = np.full(50, 1000), np.full(50, 1)  # everybody holds 1,000 tokens, at any moment


@pytest.fixture(scope="module")
def explorer():
    rng = np.random.default_rng(3)
    lengths = {"same": SAME, "mixed": (rng.integers(30, 3000, 900), rng.integers(5, 700, 900))}
    return kv_memory_explorer(lengths, seed=2)


def sequences(finding):
    return int(re.search(r": ([\d,]+) sequences", finding)[1].replace(",", ""))


@pytest.mark.parametrize("card", [24, 80])
@pytest.mark.parametrize(("weights", "kv"), [(16, 16), (8, 16), (4, 8)])
def test_sequences_are_the_remainder_over_what_each_gets(explorer, card, weights, kv):
    left = 0.9 * card - WEIGHTS_GB * weights / 16
    tokens = left * 1e9 / (TOKEN * kv / 16)
    values = {"card": card, "weights": weights, "kv": kv, "lengths": "same"}
    reserved = explorer(given="reserved", limit=4096, **values)
    assert sequences(reserved) == math.floor(tokens / 4096)
    share = 100 * 1000 * math.floor(tokens / 4096) / tokens
    assert f"{share:.1f} % of this room holds" in reserved
    paged = explorer(given="paged", page=64, **values)
    assert sequences(paged) == min(6000, math.floor(tokens / 1024))
    assert f"{left:.1f} GB beside the weights" in paged


def test_the_room_is_counted_in_whole_tokens(explorer):
    values = {"card": 24, "weights": 16, "kv": 16, "given": "reserved", "limit": 4096}
    explorer(lengths="same", **values)
    words = [text.get_text() for text in explorer._frames.fig.axes[1].texts]
    tokens = math.floor((0.9 * 24 - WEIGHTS_GB) * 1e9 / TOKEN)
    assert f"beside the weights: 5.5 GB, {tokens:,} tokens" in words


def test_requests_over_the_limit_are_said_to_be_left_out():
    lengths = {"some long": (np.array([100, 4_000, 5_000, 9_000, 60]), np.full(5, 96))}
    found = kv_memory_explorer(lengths, seed=2)
    assert "40 % of these requests are longer than the limit" in found(limit=4096)
    assert "left out" not in found(limit=16_384)


def test_the_bar_adds_up_to_the_card(explorer):
    explorer(card=24, weights=16, kv=16, given="reserved", limit=4096, lengths="mixed")
    bar = explorer._frames.fig.axes[0]
    widths = [patch.get_width() for patch in bar.patches]
    assert sum(widths) == pytest.approx(100)
    assert widths[0] == pytest.approx(100 * WEIGHTS_GB / 24) and widths[-1] == pytest.approx(10)
    finding = explorer.finding
    held = float(re.search(r"([\d.]+) % of this room holds", finding)[1])
    room = 90 - 100 * WEIGHTS_GB / 24
    assert widths[1] == pytest.approx(held * room / 100, abs=0.1)


def test_the_map_shows_as_much_as_the_finding_says(explorer):
    finding = explorer(given="reserved", card=80, weights=16, kv=16, limit=4096, lengths="mixed")
    held = float(re.search(r"([\d.]+) % of this room holds", finding)[1])
    (cells,) = explorer._frames.fig.axes[1].findobj(pages._Cells)
    empty = [round(255 * part) for part in pages.TONES[pages.EMPTY]]
    free = [round(255 * part) for part in pages.TONES[pages.FREE]]
    cells = cells.colors[..., :3].reshape(-1, 3)
    dark = ~((cells == empty).all(axis=1) | (cells == free).all(axis=1))
    assert 100 * dark.mean() == pytest.approx(held, abs=0.5)


def test_who_is_met_is_met_in_proportion_to_the_stay():
    prompts, outputs = np.array([100, 10_000, 50]), np.array([300, 100, 9_000])
    met = _met(prompts, outputs, 12_000, np.random.default_rng(1))
    token_steps = outputs * prompts + outputs * (outputs - 1) / 2
    assert met.mean() == pytest.approx(token_steps.sum() / outputs.sum(), rel=0.06)
    assert met.max() < 10_100
    assert _met(prompts, outputs, 5_000, np.random.default_rng(1)).max() < 400


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"limit": 131_072, "given": "reserved", "card": 24}, "one reservation asks for 131,072"),
        ({"limit": 4096, "given": "paged", "card": 24, "page": 1}, "0.0 % is given away and empty"),
    ],
)
def test_extremes_are_explained(explorer, values, says):
    assert says in explorer(weights=16, kv=16, lengths="same", **values)
