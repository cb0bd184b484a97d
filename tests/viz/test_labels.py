"""Direct labels stand at their line, inside the picture."""

import numpy as np
import pytest

from labutils.viz import label_line, line, move_label, new_figure
from labutils.viz.labels import key
from labutils.viz.style import INK


def drawn(label, ax):
    """Extent of a label in fractions of the axes, after the layout is settled."""
    ax.figure.canvas.draw()
    extent = label.get_window_extent()
    return extent.transformed(ax.transAxes.inverted()), extent


def curve(points, *, xlim=(0, 10), ylim=(0, 10), **settings):
    fig, ax = new_figure(title="t", x="x", y="y")
    (made,) = ax.plot(*np.transpose(points), **line("theory"))
    ax.set(xlim=xlim, ylim=ylim, **settings)
    return fig, ax, made


def test_at_the_right_edge_the_label_stands_outside_the_axes_and_inside_the_picture():
    fig, ax, made = curve([(0, 1), (10, 4)])
    box, extent = drawn(label_line(ax, made, "M/M/1, eight servers"), ax)
    assert box.x0 > 1 and box.y0 < 0.4 < box.y1
    assert extent.x1 <= fig.bbox.x1


def test_a_curve_that_leaves_through_the_top_is_labelled_beside_its_last_visible_point():
    load = np.linspace(0, 0.999, 500)
    _, ax, made = curve(np.c_[load, 1 / (1 - load)], xlim=(0, 1), ylim=(0, 20))
    label = label_line(ax, made, "theory")
    box, _ = drawn(label, ax)
    assert 1 / (1 - label.xy[0]) == pytest.approx(20, rel=0.1)
    assert box.x1 < 0.96 and box.y0 > 0.8 and box.y1 <= 1.0


@pytest.mark.parametrize("x", [0.2, 3, 9.7])
def test_at_a_chosen_place_the_label_stays_inside(x):
    _, ax, made = curve([(k / 5, 5 + np.sin(k / 5)) for k in range(51)])
    label = label_line(ax, made, "a wave of requests", x=x)
    box, _ = drawn(label, ax)
    assert label.xy == pytest.approx((x, 5 + np.sin(x)), abs=0.01)
    assert box.x0 >= 0 and box.x1 <= 1


def test_a_label_follows_its_line_on_logarithmic_axes():
    _, ax, made = curve(
        [(1, 1), (10, 10), (100, 5)], xlim=(1, 100), ylim=(1, 1000), xscale="log", yscale="log"
    )
    label = label_line(ax, made, "here", x=10**0.5)
    assert label.xy == pytest.approx((10**0.5, 10**0.5))  # halfway, as the eye sees it
    made.set_data([1, 10, 100], [1, 1000, 5])
    move_label(label, made, x=10**0.5)
    assert label.xy == pytest.approx((10**0.5, 1000**0.5))


def test_the_label_reads_well_in_the_line_s_own_hue():
    _, ax, made = curve([(0, 1), (10, 4)])
    made.set_color("#c18502")
    red, green, blue = (
        int(label_line(ax, made, "queue").get_color()[i : i + 2], 16) for i in (1, 3, 5)
    )
    assert 0xC1 > red > green > blue


def test_a_line_outside_the_axes_says_so():
    _, ax, made = curve([(20, 1), (30, 4)])
    for x in (None, 5, 25):
        with pytest.raises(ValueError, match=r"label_line\('lost'\): no point of the line lies"):
            label_line(ax, made, "lost", x=x)
    assert len(ax.texts) == 0


def test_a_label_hides_while_its_line_is_out_of_sight():
    _, ax, made = curve([(0, 1), (10, 4)])
    label = label_line(ax, made, "here")
    made.set_ydata([20, 30])
    move_label(label, made)
    assert not label.get_visible()
    made.set_ydata([2, 3])
    move_label(label, made)
    assert label.get_visible() and label.xy == pytest.approx((10, 3))


def test_where_the_line_is_out_of_sight_its_nearest_visible_point_is_labelled():
    load = np.linspace(0, 0.999, 1000)
    _, ax, made = curve(np.c_[load, 1 / (1 - load)], xlim=(0, 1), ylim=(0, 5))
    label = label_line(ax, made, "theory", x=0.95)
    assert label.xy == pytest.approx((0.8, 5), rel=0.01)


def test_gaps_in_the_line_are_passed_over():
    _, ax, made = curve([(0, 1), (4, 2), (6, np.nan), (10, np.nan)])
    assert label_line(ax, made, "until here").xy == pytest.approx((4, 2))


def test_a_label_keeps_off_other_lines_and_labels():
    load = np.linspace(0, 0.99, 300)
    fig, ax, above = curve(np.c_[load, 1 / (1 - load)], xlim=(0, 1), ylim=(0, 25))
    (below,) = ax.plot(load, 0.5 + 0.5 / (1 - load), **line("reference"))
    limit = ax.axhline(12, **line("limit"))
    labels = [
        label_line(ax, above, "M/M/1", x=0.8),
        label_line(ax, below, "M/D/1", x=0.8),
        label_line(ax, limit, "SLO", x=0.15),
        label_line(ax, limit, "promise", x=0.2),
    ]
    fig.canvas.draw()
    boxes = [label.get_window_extent() for label in labels]
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:number])
        for drawn_line in ax.lines:
            path = drawn_line.get_transform().transform_path(drawn_line.get_path())
            assert not path.intersects_bbox(box, filled=False)


def test_a_falling_line_that_ends_at_the_bottom_does_not_push_its_label_into_the_ticks():
    _, ax, made = curve([(0, 9), (9.5, 0)])
    box, _ = drawn(label_line(ax, made, "drained"), ax)
    assert box.y0 >= 0


def test_a_level_line_of_the_axes_is_labelled_at_the_wanted_place():
    _, ax, _ = curve([(0, 1), (10, 4)], xlim=(0, 40))
    label = label_line(ax, ax.axhline(7, **line("limit")), "SLO", x=30)
    assert label.xy == pytest.approx((30, 7))


def covered(label, ax) -> list:
    """The lines, and the texts, that a label lies on."""
    box = label.get_window_extent()
    lines = [
        line
        for line in ax.lines
        if line.get_linestyle() != "None"
        and line.get_transform().transform_path(line.get_path()).intersects_bbox(box, filled=False)
    ]
    texts = [
        text for text in ax.texts if text is not label and box.overlaps(text.get_window_extent())
    ]
    return lines + texts


def test_a_label_without_room_moves_along_its_line_to_the_nearest_room():
    _, ax, flat = curve([(0, 1.2), (10, 1.2)], ylim=(0, 20))
    for height in (0.6, 1.8, 2.4):
        ax.plot([4, 10], [height, height], **line("limit"))
    label = label_line(ax, flat, "theory", x=6)
    assert covered(label, ax) == []
    assert 2.5 < label.xy[0] < 4.01 and label.xy[1] == pytest.approx(1.2)


def test_labels_keep_off_a_limit_that_moves_across_the_curve():
    loads = 1 - np.geomspace(1, 0.02, 80)
    _, ax, theory = curve(np.c_[loads, loads], xlim=(0, 1), ylim=(0, 20))
    limit = ax.axhline(2, **line("limit"))
    (drop,) = ax.plot([0, 0], [0, 2], **line("limit"))
    labels = {
        label_line(ax, limit, "promise", x=0.02): (limit, 0.02),
        label_line(ax, theory, "theory", x=0.7): (theory, 0.7),
    }
    for servers in (1, 2, 8, 32):
        for target in (1.5, 2, 2.5, 4, 10, 18):
            theory.set_ydata(1 + loads**servers / (1 - loads) / servers)
            limit.set_ydata([target, target])
            ceiling = np.interp(target, theory.get_ydata(), loads)
            drop.set_data([ceiling, ceiling], [0, target])
            for label, (its_line, x) in labels.items():
                move_label(label, its_line, x=x)
            assert not any(covered(label, ax) for label in labels), (servers, target)


def test_a_label_keeps_off_points_but_not_off_the_way_between_them():
    _, ax, flat = curve([(0, 5), (10, 5)])
    ax.plot([4.7, 9], [5.4, 5.4], linestyle="none", marker="o")
    label = label_line(ax, flat, "here", x=5)
    assert label.xy == pytest.approx((5, 5))
    assert (label.get_ha(), label.get_va()) == ("left", "bottom")


def test_a_label_does_not_move_into_a_gap_of_its_line():
    gap = [(3.1, np.nan), (5.9, np.nan)]
    _, ax, broken = curve([(0, 5), (3, 5), *gap, (6, 5), (10, 5)])
    for height in np.arange(3.6, 6.5, 0.2):
        ax.plot([5.8, 10], [height, height], **line("limit"))
    label = label_line(ax, broken, "here", x=7)
    assert covered(label, ax) == [] and label.xy[0] <= 3


def test_a_key_has_the_colour_of_the_shapes_and_words_in_ink():
    fig, ax = new_figure()
    key(ax, [(0, "#ddcc88", "waits"), (0.5, "#3a9263", "runs")])
    said = [(text.get_text(), text.get_color()) for text in fig.texts]
    assert said == [("■", "#ddcc88"), ("waits", INK), ("■", "#3a9263"), ("runs", INK)]
    fig.canvas.draw()
    square, words = (text.get_window_extent() for text in fig.texts[:2])
    assert square.x1 <= words.x0 < square.x1 + square.width
