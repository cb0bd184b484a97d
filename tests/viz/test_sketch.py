"""The sketch without a browser: the measure, the callable twin, the fallback, what is saved."""

import json
import math
import sys

import numpy as np
import pytest
import traitlets
from scipy.integrate import quad
from scipy.interpolate import PchipInterpolator

from labutils import viz
from labutils.viz import sketch as sketch_module, sketch_score
from labutils.viz.sketch import Sketch
from labutils.viz.sketch_plot import SketchPlot
from labutils.viz.sketch_score import SketchScore
from labutils.viz.style import title_of

LOADS = (0.1, 0.3, 0.5, 0.7, 0.9, 0.97)
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def mm1(load: float) -> float:
    if load >= 1:
        raise ValueError(f"load = {load}: expected below 1")
    return 0.010 / (1 - load)


@pytest.fixture(autouse=True)
def no_sketch_is_open(monkeypatch):
    monkeypatch.setattr(sketch_module, "_open_sketches", {})


@pytest.fixture(params=["canvas", "sliders"])
def front_end(request, monkeypatch):
    if request.param == "sliders":
        monkeypatch.setitem(sys.modules, "anywidget", None)
        sketch_module._canvas_class.cache_clear()
    yield request.param
    sketch_module._canvas_class.cache_clear()


def make(x=LOADS, **changes) -> Sketch:
    options = {
        "x_label": "load",
        "y_label": "mean time in the system",
        "y_range": (0.005, 2),
        "y_log": True,
        "y_unit": "s",
        "x_range": (0, 1),
        "title": "How does it grow?",
    }
    return Sketch(x, **{**options, **changes})  # fmt: skip


# ---- the measure --------------------------------------------------------------------------------


@pytest.mark.parametrize(("ratio", "factor"), [(3, 3), (1 / 3, 3), (1, 1), (0.8, 1.25)])
def test_a_constant_ratio_is_the_factor(ratio, factor):
    def truth(x):
        return 0.02 * math.exp(1.7 * x)  # straight on a log axis, so the sketch can follow it

    score = make()(values=[ratio * truth(x) for x in LOADS]).reveal(truth, label="line")
    assert score.factor == pytest.approx(factor, rel=1e-6)


def test_the_factor_is_the_area_between_the_curves_on_a_log_axis():
    values = [0.03, 0.011, 0.2, 0.018, 0.5, 0.35]
    score = make()(values=values).reveal(mm1, label="M/M/1")
    drawn = PchipInterpolator(LOADS, np.log10(values))
    gap = quad(lambda x: abs(drawn(x) - math.log10(mm1(x))), 0.1, 0.97, limit=400)[0]
    assert score.factor == pytest.approx(10 ** (gap / 0.87), rel=2e-3)


def test_twice_too_high_costs_as_much_as_half_as_high():
    def off_by(*factors):
        values = [0.1 * factor for factor in factors]
        return make()(values=values).reveal(lambda x: 0.1, label="flat").factor

    assert off_by(2, 1, 1, 1, 1, 1) == pytest.approx(off_by(0.5, 1, 1, 1, 1, 1))
    assert off_by(4, 1, 1, 1, 1, 1) > off_by(2, 1, 1, 1, 1, 1) > 1.05


def test_the_order_of_the_points_matters():
    values = [0.011, 0.014, 0.02, 0.033, 0.1, 0.33]
    right = make()(values=values).reveal(mm1, label="M/M/1").factor
    assert right < 1.05
    assert make()(values=values[::-1]).reveal(mm1, label="M/M/1").factor > 4


def test_the_edge_is_a_good_answer_where_the_real_curve_leaves_the_plot():
    sketch = make(y_range=(0.005, 0.05))
    score = sketch(values=[0.0111, 0.0143, 0.02, 0.0333, 0.05, 0.05]).reveal(mm1, label="M/M/1")
    assert score.factor < 1.06
    sketch = make(y_range=(0.005, 0.05))
    score = sketch(values=[0.0111, 0.0143, 0.02, 0.0333, 0.01, 0.01]).reveal(mm1, label="M/M/1")
    assert "the real curve has left the plot (above 50 ms)" in score.text


def test_near_zero_on_a_linear_axis_costs_a_finite_amount():
    sketch = make(y_range=(0, 40), y_log=False, y_unit="×")
    score = sketch(values=[0] * 6).reveal(lambda x: 1 / (1 - x), label="M/M/1")
    gap = quad(lambda x: math.log(1 / (1 - x) / 0.4), 0.1, 0.97)[0]
    assert score.factor == pytest.approx(math.exp(gap / 0.87), rel=2e-3)


def test_infinity_is_beyond_the_plot():
    score = make()(values=[0.01] * 5 + [2]).reveal(
        lambda x: math.inf if x > 0.95 else 0.01, label="cliff"
    )
    assert 1 <= score.factor < 1.6


def test_the_worst_point_is_named_with_both_values():
    values = [0.011, 0.014, 0.02, 0.2, 0.1, 0.33]
    score = make()(values=values).reveal(mm1, label="M/M/1")
    assert score.worst == 3
    assert score.text.endswith("It is furthest off at load 0.7: you drew 200 ms, it is 33.3 ms.")


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (0.5, "off by a factor of 2, always too low."),
        (2, "off by a factor of 2, always too high."),
        (1.1, "off by 10 %, always too high."),
        (1.02, "to within 5 %"),
    ],
)
def test_says_how_far_off_in_words(ratio, words):
    score = make()(values=[0.1 * ratio] * 6).reveal(lambda x: 0.1, label="flat")
    assert words in score.text


def test_nothing_drawn_gives_the_curve_and_no_score():
    score = make().reveal(mm1, label="M/M/1")
    assert not score.drawn
    assert math.isnan(score.factor)
    assert score.text == (
        "You have not drawn yet (a restarted kernel forgets a drawing): here is the real curve, "
        "M/M/1."
    )
    assert "Your sketch" not in score.alt
    with pytest.raises(ValueError, match="expected a drawn one"):
        score.worst  # noqa: B018


# ---- the real curve -----------------------------------------------------------------------------


def test_an_unstable_end_is_left_out_but_only_beside_the_handles():
    score = make().reveal(mm1, label="M/M/1")
    xs, ys = score.real
    assert xs[0] == 0
    assert 0.99 < xs[-1] < 1
    assert np.allclose(ys, 0.010 / (1 - xs))
    with pytest.raises(ValueError, match="below 1"):
        make(x=(0.1, 0.5, 1.0)).reveal(mm1, label="M/M/1")


def test_points_stand_for_a_curve():
    xs = np.linspace(0.05, 0.98, 400)
    by_points = make()(values=[0.05] * 6).reveal((xs, 0.010 / (1 - xs)), label="measured")
    by_function = make()(values=[0.05] * 6).reveal(mm1, label="M/M/1")
    assert by_points.factor == pytest.approx(by_function.factor, rel=1e-3)


@pytest.mark.parametrize(
    ("truth", "match"),
    [
        (((0.1, 0.5), (1, 2)), "expected a number from x = 0.1 to 0.97"),
        (((0.9, 0.1), (1, 2)), "xs rising"),
        (((0.1, 0.97), (1, 2, 3)), "of one length"),
        (lambda x: math.nan, "expected a number"),
    ],
)
def test_a_real_curve_that_is_none_is_refused(truth, match):
    sketch = make()
    with pytest.raises(ValueError, match=match):
        sketch.reveal(truth, label="broken")
    sketch(values=[0.1] * 6)  # the drawing is still open


# ---- drawing ------------------------------------------------------------------------------------


def test_a_new_sketch_is_flat_in_the_middle_and_untouched(front_end):
    sketch = make()
    assert not sketch.drawn
    assert sketch.values == pytest.approx([0.1] * 6)
    linear = make(y_range=(0, 40), y_log=False)
    assert linear.values == [20.0] * 6


def test_calling_draws(front_end):
    sketch = make()
    assert sketch(values=["11 ms", 0.014, "20 ms", np.float64(0.033), "0.1 s", "330 ms"]) is sketch
    assert sketch.drawn
    assert sketch.values == pytest.approx([0.011, 0.014, 0.02, 0.033, 0.1, 0.33])
    assert sketch.widget.values == sketch.values
    assert sketch.widget.drawn


def test_values_beyond_the_plot_move_to_its_edge(front_end):
    sketch = make()(values=[0.001, 0.01, 0.02, 0.03, 1, 99])
    assert sketch.values[0] == pytest.approx(0.005)
    assert sketch.values[-1] == pytest.approx(2)


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ([0.1] * 5, "expected 6, one for each x"),
        ([0.1] * 5 + [math.nan], "cannot be read"),
        ([0.1] * 5 + ["soon"], "cannot be read"),
        ([0.1] * 5 + ["3 MB"], "amount of data"),
    ],
)
def test_values_that_cannot_be_drawn_are_refused(values, match):
    sketch = make()
    with pytest.raises(ValueError, match=match):
        sketch(values=values)
    assert not sketch.drawn


def test_values_follow_the_front_end_and_can_be_observed(front_end):
    sketch, seen = make(), []
    sketch.observe(lambda change: seen.append(change["new"]), "values")
    if front_end == "sliders":
        sketch.widget._sliders[2].value = 0.5
    else:
        sketch.widget.set_state({"values": [0.1, 0.1, 0.5, 0.1, 0.1, 0.1], "drawn": True})
    assert sketch.values == pytest.approx([0.1, 0.1, 0.5, 0.1, 0.1, 0.1])
    assert sketch.drawn
    assert len(seen) == 1


def test_running_the_cell_again_keeps_the_drawing_until_reality_is_laid_over_it(front_end):
    make()(values=[0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
    again = make()
    assert again.drawn
    assert again.values == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
    assert again.widget.values == again.values
    assert not make(title="Another question").drawn
    again.reveal(mm1, label="M/M/1")
    assert not make().drawn


def test_reality_ends_the_drawing_and_a_new_drawing_takes_it_away():
    sketch = make()(values=[0.02] * 6)
    score = sketch.reveal(mm1, label="M/M/1")
    reality = sketch.widget.reality
    assert reality["label"] == "M/M/1"
    assert reality["finding"] == score.text
    xs, heights = reality["points"]
    assert np.interp(0.9, xs, heights) == pytest.approx(0.5, abs=1e-3)  # 0.1 s: mid of 5 ms … 2 s
    json.dumps(reality, allow_nan=False)
    sketch(values=[0.03] * 6)
    assert sketch.widget.reality == {}


def test_sliders_close_and_open_again(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    sketch_module._canvas_class.cache_clear()
    sketch = make()(values=[0.02] * 6)
    score = sketch.reveal(mm1, label="M/M/1")
    assert all(slider.disabled for slider in sketch.widget._sliders)
    assert sketch.widget._finding.value == score.text
    assert [slider.value for slider in sketch.widget._sliders] == pytest.approx([0.02] * 6)
    sketch(values=[0.03] * 6)
    assert not any(slider.disabled for slider in sketch.widget._sliders)


def test_sliders_reach_both_ends_of_either_axis(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    sketch_module._canvas_class.cache_clear()
    for changes in ({}, {"y_log": False, "y_range": (0, 40)}):
        sketch = make(**changes)
        for end in sketch.plot.y_range:
            sketch.widget._sliders[0].value = end
            assert sketch.values[0] == pytest.approx(end)


# ---- what is shown and saved --------------------------------------------------------------------


def test_the_text_form_is_the_same_in_every_run(front_end):
    assert repr(make()) == (
        "Sketch, not drawn yet. Without a mouse, call it: one value for each of "
        "0.1, 0.3, 0.5, 0.7, 0.9, 0.97"
    )
    drawn = make()(values=[0.0111, 0.0143, 0.02, 0.0333, 0.1, 1.5])
    assert repr(drawn) == (
        "Sketch of 11.1 ms, 14.3 ms, 20 ms, 33.3 ms, 100 ms, 1.5 s at 0.1, 0.3, 0.5, 0.7, 0.9, 0.97"
    )


def test_the_cell_shows_the_widget_with_the_text_beside_it(front_end, monkeypatch):
    shown = []
    monkeypatch.setattr(sketch_module, "publish", lambda bundle, **_: shown.append(bundle))
    sketch = make()
    sketch._ipython_display_()
    (bundle,) = shown
    assert set(bundle) == {"text/plain", WIDGET_VIEW}
    assert bundle["text/plain"] == repr(sketch)
    assert bundle[WIDGET_VIEW]["model_id"] == sketch.widget.model_id


def test_what_the_browser_gets_is_json(front_end):
    if front_end == "canvas":
        plot = make().widget.plot
        assert json.loads(json.dumps(plot, allow_nan=False))["x"] == list(LOADS)
        assert plot["ticks"][0] == (pytest.approx(0, abs=1e-9), "5 ms")
        assert plot["drawing"] == viz.color("prediction")


@pytest.mark.parametrize("drawn", [True, False])
@pytest.mark.parametrize("y_log", [True, False])
def test_the_picture_holds_both_curves_and_says_what_it_shows(drawn, y_log, monkeypatch):
    shown = []
    monkeypatch.setattr(sketch_score, "show_figure", lambda fig, **w: shown.append((fig, w)))
    sketch = make(y_log=y_log)
    if drawn:
        sketch(values=[0.01, 0.02, 0.02, 0.04, 0.08, 0.5])
    score = sketch.reveal(mm1, label="M/M/1")
    score._ipython_display_()
    ((fig, words),) = shown
    (ax,) = fig.axes
    texts = [text.get_text() for text in ax.texts]
    assert texts == (["M/M/1", "your sketch"] if drawn else ["M/M/1"])
    assert len(ax.lines) == (3 if drawn else 1)
    assert len(ax.collections) == (1 if drawn else 0)
    assert words["text"] == score.text
    assert "M/M/1: 11.1 ms at 0.1" in words["alt"]
    assert "333 ms at 0.97" in words["alt"]
    fig.canvas.draw()


def shown_figure(score, monkeypatch) -> tuple:
    shown = []
    monkeypatch.setattr(sketch_score, "show_figure", lambda fig, **w: shown.append((fig, w)))
    score._ipython_display_()
    return shown[0]


def test_the_caption_does_not_repeat_the_title(monkeypatch):
    far = make()(values=[0.02] * 6).reveal(lambda x: 0.1 * x + 0.1, label="line")
    fig, words = shown_figure(far, monkeypatch)
    assert title_of(fig) == "On average your curve is off by a factor of 7.6, always too low"
    assert words["caption"].startswith("It is furthest off at load 0.97")
    assert words["text"] == f"{title_of(fig)}. {words['caption']}"
    near = make()(values=[0.02] * 6).reveal(lambda x: 0.0202, label="line")
    fig, words = shown_figure(near, monkeypatch)
    assert title_of(fig) == "Your curve is the real one to within 5 % on average"
    assert words["caption"] == ""
    nobody = make().reveal(mm1, label="M/M/1")
    fig, words = shown_figure(nobody, monkeypatch)
    assert title_of(fig) == "The real curve: M/M/1"
    assert words["caption"] == nobody.text


@pytest.mark.parametrize("drawn", [True, False])
def test_a_finding_titles_the_picture_and_the_score_goes_beneath(drawn, monkeypatch):
    sketch = make(y_range=(0.004, 2))
    if drawn:
        sketch(values=[0.02] * 6)
    score = sketch.reveal(mm1, label="M/M/1", finding="There is no knee")
    fig, words = shown_figure(score, monkeypatch)
    assert title_of(fig) == "There is no knee"
    assert words["caption"] == score.text
    assert words["text"] == f"There is no knee. {score.text}"
    with pytest.raises(ValueError, match=r"finding = ' '"):
        make().reveal(mm1, label="M/M/1", finding=" ")


def test_a_function_is_theory_and_points_are_measurement():
    (ax,) = make().reveal(mm1, label="M/M/1").figure().axes
    (curve,) = ax.lines
    assert curve.get_color() == viz.color("theory")
    assert curve.get_marker() == "None"
    xs = np.array([0.02, 0.1, 0.25, 0.6, 0.97, 0.998])
    (ax,) = make().reveal((xs, 0.010 / (1 - xs)), label="measured").figure().axes
    (measured,) = ax.lines
    assert measured.get_color() == viz.color("measurement")
    assert measured.get_marker() == "o"
    assert measured.get_linestyle() == "-"
    assert measured.get_linewidth() < 0.6 * curve.get_linewidth()
    assert np.array_equal(measured.get_xydata(), np.c_[xs, 0.010 / (1 - xs)])


def test_the_browser_gets_the_measured_points_as_json():
    sketch = make()
    xs, ys = [0.05, 0.1, 0.4, 0.97, 0.98], [0.02, 0.1, 0.2, math.inf, math.nan]
    sketch.reveal((xs, ys), label="measured")
    marks_x, heights = sketch.widget.reality["marks"]
    assert marks_x == xs
    assert sketch.plot.y_at(heights[:3]) == pytest.approx(ys[:3])
    assert heights[3] > 1
    json.dumps(sketch.widget.reality, allow_nan=False)
    sketch = make()
    sketch.reveal(mm1, label="M/M/1")
    assert "marks" not in sketch.widget.reality


def test_names_at_the_right_end_do_not_lie_on_each_other():
    score = make()(values=[0.02] * 5 + [1.9]).reveal(mm1, label="M/M/1")
    (ax,) = score.figure().axes
    one, other = (text.xy[1] for text in ax.texts)
    assert abs(one - other) >= 0.069


def test_real_show_displays_the_score(capsys):
    make()(values=[0.1] * 6).reveal(lambda x: 0.05, label="flat")._ipython_display_()
    assert "off by a factor of 2" in capsys.readouterr().out


# ---- the paper ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"x": (0.1,)}, "at least two"),
        ({"x": (0.3, 0.1)}, "that rise"),
        ({"x": (0.1, math.nan)}, "finite"),
        ({"x_range": (0.2, 1)}, "holds every x"),
        ({"x_range": (0, 0.9)}, "holds every x"),
        ({"y_range": (2, 1)}, "smaller one first"),
        ({"y_range": (0, 1)}, "above 0 on a log axis"),
        ({"y_range": (1, 2, 3)}, "two numbers"),
    ],
)
def test_bad_paper_is_refused_by_name(changes, match):
    with pytest.raises(ValueError, match=match):
        make(**changes)


def paper(**changes) -> SketchPlot:
    return make(**changes).plot


def test_ticks_carry_their_unit():
    assert [label for _, label in paper().y_ticks()] == [
        "5 ms", "10 ms", "20 ms", "50 ms", "100 ms", "200 ms", "500 ms", "1 s", "2 s",
    ]  # fmt: skip
    assert [label for _, label in paper(y_range=(1e-4, 1e3)).y_ticks()] == [
        "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s", "1,000 s",
    ]  # fmt: skip
    linear = paper(y_range=(0, 40), y_log=False, y_unit="×")
    assert [label for _, label in linear.y_ticks()] == ["0×", "10×", "20×", "30×", "40×"]
    assert [y for y, _ in paper(y_range=(0.3, 1.9), y_log=False).y_ticks()] == [0.5, 1, 1.5]


@pytest.mark.parametrize("y_log", [True, False])
def test_heights_and_values_are_inverse(y_log):
    plot = paper(y_log=y_log)
    heights = np.linspace(-0.2, 1.2, 29)
    assert plot.height(plot.y_at(heights)[4:]) == pytest.approx(heights[4:])
    assert plot.height(plot.y_range) == pytest.approx([0, 1])


def test_the_drawn_curve_passes_the_handles_without_overshoot():
    values = [0.01, 0.01, 0.9, 0.9, 0.02, 1.5]
    xs, ys = paper().drawn_curve(values)
    assert ys[np.searchsorted(xs, LOADS)] == pytest.approx(values)
    assert ys[(xs >= 0.1) & (xs <= 0.3)] == pytest.approx(0.01)
    assert ys.max() <= 1.5 * (1 + 1e-9)


def test_it_is_reached_from_the_room():
    assert viz.Sketch is Sketch
    assert issubclass(Sketch, traitlets.HasTraits)


@pytest.mark.parametrize("y_log", [True, False])
def test_what_the_journal_keeps_draws_the_same_again(y_log):
    plot = SketchPlot((0.1, 0.5, 0.9), "load", "ms", (0, 1), (5, 2000), y_log, "", "How?")
    for truth in (lambda load: 10 / (1 - load), ([0.1, 0.5, 0.9], [11, 20, 100])):
        score = SketchScore(plot, (10.0, 12.0, 60.0), truth, "M/M/1", "Doubled at 0.5")
        again = SketchScore.from_event(json.loads(json.dumps(score.as_event())))
        assert (again.plot, again.label, again.finding) == (plot, score.label, score.finding)
        assert (again.measured is None) == (score.measured is None)
        assert again.factor == pytest.approx(score.factor, rel=0.02)
