"""The figures of chapter 05 show the numbers that they claim, by an independent calculation."""

import numpy as np
import pytest

from labutils import llm
from labutils.viz.figures import roofline as figures
from labutils.viz.style import title_of

MODEL, A100 = llm.model("Llama-3.1-8B"), llm.accelerator("A100 80 SXM")
PARAMETERS, KV, BANDWIDTH = 8_030_261_248, 131_072, 2.039e12


def texts(ax):
    return [t.get_text() for t in ax.texts]


def test_sharing_draws_the_rate_of_each_and_of_all():
    fig = figures.sharing(MODEL, A100, context=700, users=20)
    each, together = (ax.lines[0] for ax in fig.axes)
    batch = each.get_xdata()
    rate = BANDWIDTH / (2 * PARAMETERS + batch * 700 * KV)  # the caches bind long before F does
    assert each.get_ydata() == pytest.approx(rate)
    assert together.get_ydata() == pytest.approx(batch * rate)
    one, twenty = (BANDWIDTH / (2 * PARAMETERS + b * 700 * KV) for b in (1, 20))
    assert f"With 20 users each keeps {100 * twenty / one:.0f} %" in title_of(fig)
    assert f"{20 * twenty / one:.0f} times" in title_of(fig)
    assert f"20: {20 * twenty:,.0f}" in texts(fig.axes[1])


def test_sharing_marks_the_batches_that_do_not_fit():
    room = int((80e9 - 2 * PARAMETERS) // (1024 * KV))
    fig = figures.sharing(MODEL, A100, context=1024, users=32)
    assert f"more than {room} do not fit 80 GB" in texts(fig.axes[0])
    assert all(ax.patches[0].get_x() == room for ax in fig.axes)
    fig = figures.sharing(MODEL, A100, context=64, users=32)
    assert not any("fit" in text for ax in fig.axes for text in texts(ax))


def test_a_roofline_is_the_lower_of_two_limits_and_dots_lie_where_they_were_measured():
    roof = figures.Roof("toy", 30e9, 600e9)
    dots = [figures.Dot("one", 4e6, 8e6, 1e-3), figures.Dot("many", 3e9, 15e6, 7e-3)]
    ax = figures.roofline(roof, dots, title="A toy", role="measurement").axes[0]
    line, ridge, drawn = ax.lines
    x, y = line.get_data()
    assert y == pytest.approx(np.where(x < 20, 30 * x, 600))  # GFLOP/s
    assert ridge.get_xdata()[0] == roof.ridge == 20
    assert drawn.get_xdata() == pytest.approx([0.5, 200])
    assert drawn.get_ydata() == pytest.approx([4, 3000 / 7])
    assert {"one", "many", "ridge: 20 FLOP/B"} <= set(texts(ax))


def test_prompt_arithmetic_adds_up_and_reads_the_factor_of_doubling():
    fig = figures.prompt_arithmetic(MODEL, read_at=3000)
    total, linear, attention = fig.axes[0].lines[:3]
    n = total.get_xdata()
    assert linear.get_ydata() == pytest.approx(2 * PARAMETERS * n / 1e12)
    assert attention.get_ydata() == pytest.approx(2 * n**2 * 4096 * 32 / 1e12, rel=2e-3)
    assert total.get_ydata() == pytest.approx(linear.get_ydata() + attention.get_ydata())

    def flops(n):
        return 2 * PARAMETERS * n + 2 * n**2 * 4096 * 32

    assert f"{flops(6000) / flops(3000):.2f} times" in title_of(fig)
    assert "beyond 61,000" in title_of(fig)  # parameters / (heads · head_dim · layers)


def test_bystanders_draw_each_gap_where_it_lies():
    gaps = {"at once": np.array([5.0, 5, 90, 5]), "in pieces": np.array([5.0, 30, 31, 32, 5])}
    fig = figures.bystanders(gaps, own_ms={"at once": 85, "in pieces": 93})
    for ax, heights in zip(fig.axes, gaps.values()):
        assert [bar.get_height() for bar in ax.patches] == list(heights)
        centres = [bar.get_x() + bar.get_width() / 2 for bar in ax.patches]
        assert centres == pytest.approx(np.cumsum(heights) - heights / 2)
        between = heights - [bar.get_width() for bar in ax.patches]
        assert (between <= 1 + 1e-9).all()  # white space would read as idle time
    assert "at once, a prompt stops every running answer for 90 ms" in title_of(fig)
    assert "in pieces, for 32 ms" in title_of(fig)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.sharing(MODEL, A100, context=10, users=0), "users = 0"),
        (lambda: figures.prompt_arithmetic(MODEL, read_at=1.5), "read_at = 1.5"),
        (lambda: figures.roofline(figures.Roof("x", 0, 1), [], title="x"), "bandwidth = 0"),
        (lambda: figures.roofline(figures.Roof("x", 2, 1), [], title="x"), "dots = "),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
