"""The palette under simulated colour blindness, and figures that leave no trace in pyplot."""

import itertools
import warnings

import matplotlib
import numpy as np
import pytest

from labutils.viz import style
from labutils.viz.labels import contrast, legible_on, readable

# Machado, Oliveira and Fernandes (2009), table of severity 1, on linear RGB
SIGHT = {
    "normal": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
COLORS = sorted({role.color for role in style.ROLES.values()})


def linear(color):
    rgb = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    xyz = to_xyz @ np.clip(rgb, 0, 1) / (0.95047, 1, 1.08883)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", SIGHT)
def test_any_two_colours_differ_for_every_eye(sight):
    seen = {color: lab(np.array(SIGHT[sight]) @ linear(color)) for color in COLORS}
    for one, other in itertools.combinations(COLORS, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 15, (one, other)


@pytest.mark.parametrize("color", COLORS)
def test_lines_stand_out_from_the_card_and_their_labels_can_be_read(color):
    assert contrast(color, style.CARD) >= 3
    assert contrast(readable(color), style.CARD) >= 4.5


@pytest.mark.parametrize("color", COLORS)
def test_numbers_on_a_filled_shape_can_be_read(color):
    assert contrast("#ffffff", readable(color)) >= 4.5
    assert contrast(legible_on(color), color) == max(
        contrast("#ffffff", color), contrast(style.INK, color)
    )


def test_contrast_has_the_published_extremes():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # WCAG's own example


def test_roles_that_share_a_colour_differ_in_dash_and_marker():
    for one, other in itertools.combinations(style.ROLES.values(), 2):
        if one.color == other.color:
            assert one.dash != other.dash and one.marker != other.marker


def test_an_unknown_role_names_the_known_ones():
    with pytest.raises(ValueError, match=r"role = 'teory': expected one of theory, measurement"):
        style.line("teory")


def test_changes_win_over_the_role():
    assert style.line("theory", linewidth=5)["linewidth"] == 5
    assert style.points("queue", marker="x")["marker"] == "x"


def test_log_axes_carry_plain_numbers_and_keep_what_a_figure_chose():
    fig, (narrow, wide, own) = style.new_figure(cols=3)
    narrow.set(yscale="log", ylim=(20, 90), xscale="log", xlim=(2, 7))
    wide.set(yscale="log", ylim=(0.01, 5000))
    own.set(yscale="log", ylim=(1, 100))
    own.yaxis.set_major_formatter("{x:g} ms")
    style.plain_ticks(fig)
    fig.canvas.draw()

    def words(axis):
        return {text for tick in axis.get_ticklabels(which="both") if (text := tick.get_text())}

    assert {"30", "60"} <= words(narrow.yaxis) and {"2", "6"} <= words(narrow.xaxis)
    assert {"0.01", "1", "1,000"} <= words(wide.yaxis)
    assert "10 ms" in words(own.yaxis)
    assert "10" not in words(own.yaxis)


def test_thirty_figures_leave_pyplot_and_its_settings_alone():
    import matplotlib.pyplot as plt

    before = dict(matplotlib.rcParams)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figures = [style.new_figure(title=f"figure {k}", x="x", y="y")[0] for k in range(30)]
    assert len({id(fig) for fig in figures}) == 30
    assert plt.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


def test_a_grid_of_panels_carries_its_labels_on_every_panel():
    fig, axes = style.new_figure(rows=2, cols=3, x="time (s)", y="requests", sharex=False)
    assert axes.shape == (2, 3)
    assert {(ax.get_xlabel(), ax.get_ylabel()) for ax in axes.flat} == {("time (s)", "requests")}
    assert fig.get_facecolor()[3] == 1  # opaque on a dark page


def test_dress_keeps_the_labels_that_it_does_not_replace():
    _, ax = style.new_figure(x="time (s)", y="requests")
    style.dress(ax, y="tokens")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time (s)", "tokens")


def test_a_long_title_is_wrapped_inside_the_figure_and_read_as_one_line():
    text = "Halving the idle share doubles the time in the system at every load, " * 2
    fig, ax = style.new_figure(title=text, x="load")
    fig.canvas.draw()
    extent = fig.texts[0].get_window_extent()
    assert extent.x1 <= fig.bbox.x1 and extent.y0 > ax.get_window_extent().y1
    assert style.title_of(fig) == text.strip()


def test_the_title_of_a_figure_is_its_own_or_that_of_its_only_titled_panel():
    fig, axes = style.new_figure(cols=2)
    assert style.title_of(fig) == ""
    style.dress(axes[1], title="the right one")
    assert style.title_of(fig) == "the right one"
    style.dress(axes[0], title="the left one")
    assert style.title_of(fig) == ""
    style.set_title(fig, "both")
    assert style.title_of(fig) == "both"
