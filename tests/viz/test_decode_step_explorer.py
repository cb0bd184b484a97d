"""The decode explorer: its bars, what binds, the lines between; checked independently."""

import numpy as np
import pytest

from labutils import llm
from labutils.viz.explorers.decode_step import BATCHES, CONTEXTS, decode_step_explorer, ridges_of

# Llama-3.1-8B, from its shapes, and two devices from their data sheets
PARAMETERS, KV, PER_PAIR = 8_030_261_248, 2 * 32 * 8 * 128 * 2, 4 * 32 * 128 * 32
H100, A100 = (3.35e12, 989e12), (2.039e12, 312e12)


@pytest.fixture(scope="module")
def explorer():
    return decode_step_explorer()


def times(device, batch, context, *, width=2):
    """Milliseconds for weights, caches and arithmetic."""
    bandwidth, peak = device
    flops = batch * (2 * PARAMETERS + PER_PAIR * context)
    read = np.array([PARAMETERS * width, batch * context * KV]) / bandwidth
    return 1000 * np.array([*read, flops / peak])


def bars(explorer):
    """Widths of the three bars in milliseconds, and where the step ends."""
    ax = explorer._frames.fig.axes[0]
    top = float([t for t in ax.texts if t.get_position()[0] == 1][-1].get_text())
    widths = [bar.get_width() * top for bar in ax.patches]
    return np.array(widths), ax.lines[0].get_xdata()[0] * top


@pytest.mark.parametrize(
    ("device", "chip", "batch", "context"),
    [("H100 SXM", H100, 32, 1024), ("A100 80 SXM", A100, 768, 16), ("H100 SXM", H100, 3, 65536)],
)
def test_the_bars_are_the_times_and_the_longer_one_is_the_step(
    explorer, device, chip, batch, context
):
    finding = explorer(device=device, batch=batch, context=context)
    weights, kv, compute = times(chip, batch, context)
    widths, end = bars(explorer)
    assert widths == pytest.approx([weights, kv, compute])
    step = max(weights + kv, compute)
    assert end == pytest.approx(step)
    assert f"takes {step:.3g} ms" in finding
    assert f"{1000 * batch / step:,.0f} in all" in finding


def test_eight_bit_weights_halve_the_reading_and_leave_the_arithmetic(explorer):
    explorer(device="H100 SXM", batch=16, context=256, precision="16 bits")
    wide, _ = bars(explorer)
    explorer(precision="W8A16")
    narrow, _ = bars(explorer)
    assert narrow / wide == pytest.approx([0.5, 1, 1])
    explorer(precision="8 bits")
    assert bars(explorer)[0] / wide == pytest.approx([0.5, 0.5, 0.5])
    finding = explorer(device="A100 80 SXM")
    assert "No 8-bit rate is listed" in finding
    explorer(precision="16 bits")


def test_the_learner_meets_all_three_that_bind(explorer):
    said = [
        explorer(device="H100 SXM", batch=b, context=c)
        for b, c in ((1, 1024), (256, 1024), (512, 64))
    ]
    for finding, what in zip(said, ("weights bind", "KV binds", "arithmetic binds")):
        assert what in finding
    assert "needs" in explorer(batch=2048, context=131072)


def test_the_map_keeps_what_was_seen_until_the_device_changes():
    explorer = decode_step_explorer(batch=2, context=128)
    dots = explorer._frames.fig.axes[1].lines[3:6]
    explorer(batch=8)
    explorer(batch=2048, context=16)
    assert [len(d.get_xdata()) for d in dots] == [2, 0, 1]
    explorer(device="B200")
    assert sum(len(d.get_xdata()) for d in dots) == 1


def test_on_the_lines_the_two_sides_are_equal():
    chip = llm.accelerator("A100 80 SXM")
    lines = ridges_of(llm.model("Llama-3.1-8B"), chip, "16 bits")
    batch, context = lines["kv"]
    assert batch * context == pytest.approx(np.full(batch.size, 2 * PARAMETERS / KV))
    batch, context = lines["flops"]
    for b, c in zip(batch[::9], context[::9]):
        weights, kv, compute = times(A100, b, c)
        assert compute == pytest.approx(weights + kv)
    batch, context = lines["memory"]
    assert 2 * PARAMETERS + batch * context * KV == pytest.approx(np.full(batch.size, 72e9))


def test_above_some_context_no_batch_is_bound_by_arithmetic():
    """2 P / F + a C / F = kv C / BW: per request, caches outgrow arithmetic from there on."""
    bandwidth, peak = H100
    limit = 2 * PARAMETERS / peak / (KV / bandwidth - PER_PAIR / peak)
    lines = ridges_of(llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM"), "16 bits")
    assert 400 < limit < 430 and lines["flops"][1].max() < limit


def test_the_ridges_are_drawn_when_asked_for(explorer):
    explorer(device="H100 SXM", ridges=True, batch=1, context=1024)
    lines = explorer._frames.fig.axes[1].lines[:3]
    assert all(len(line.get_xdata()) > 20 for line in lines)
    explorer(ridges=False)
    assert all(len(line.get_xdata()) == 0 for line in lines)


def test_stops_are_ascending_and_bad_settings_are_named(explorer):
    assert list(BATCHES) == sorted(set(BATCHES)) and list(CONTEXTS) == sorted(set(CONTEXTS))
    with pytest.raises(ValueError, match="batch = 5"):
        explorer(batch=5)
    with pytest.raises(ValueError, match="tokens of context = 1000"):
        decode_step_explorer(context=1000)
    with pytest.raises(ValueError, match="Llama"):
        decode_step_explorer(model="Llama-3.1-8")
