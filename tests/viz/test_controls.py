"""Controls say what they take, and take nothing else."""

import re

import ipywidgets
import pytest

from labutils.viz.controls import choice, panel, set_controls, slider, span, toggle


def test_whole_numbers_make_a_whole_slider_and_anything_else_a_fine_one():
    whole, fine = slider("servers", 1, 64, 8), slider("load", 0.05, 0.98, 0.5)
    assert isinstance(whole, ipywidgets.IntSlider) and whole.step == 1
    assert isinstance(fine, ipywidgets.FloatSlider) and fine.step == pytest.approx(0.0093)
    assert (fine.min, fine.max, fine.value) == (0.05, 0.98, 0.5)


@pytest.mark.parametrize(("step", "readout"), [(0.1, ".1f"), (0.25, ".2f"), (5.0, ".0f")])
def test_the_readout_shows_as_many_digits_as_the_step_has(step, readout):
    assert slider("x", 0, 50, 10, step).readout_format == readout


@pytest.mark.parametrize("bounds", [(5, 1, 3), (0, 10, 11), (0, 10, -1), (2, 2, 2)])
def test_a_slider_that_cannot_be_is_refused(bounds):
    with pytest.raises(ValueError, match=r"slider\('x'\): expected lo <= value <= hi"):
        slider("x", *bounds)


def test_whole_numbers_make_a_whole_span_and_anything_else_a_fine_one():
    whole, fine = span("window", 0, 12, (3, 8)), span("window (s)", 0, 12, (2.5, 7), 0.5)
    assert isinstance(whole, ipywidgets.IntRangeSlider) and whole.step == 1
    assert isinstance(fine, ipywidgets.FloatRangeSlider) and fine.readout_format == ".1f"
    assert (fine.min, fine.max, fine.value, fine.step) == (0, 12, (2.5, 7), 0.5)
    assert span("share", 0, 1.0, (0.2, 0.3)).step == pytest.approx(0.01)


@pytest.mark.parametrize("value", [(8, 3), (3, 13), (-1, 8), 3, (1, 2, 3), "38", None])
def test_a_span_that_cannot_be_is_refused(value):
    with pytest.raises(
        ValueError, match=r"^span\('x'\): expected value = \(low, high\) with lo <="
    ):
        span("x", 0, 12, value)


def test_few_options_are_buttons_and_many_a_list():
    assert isinstance(choice("axis", ["linear", "log"]), ipywidgets.ToggleButtons)
    many = choice("kind", [(f"kind {k}", k) for k in range(5)], 3)
    assert isinstance(many, ipywidgets.Dropdown) and many.value == 3
    with pytest.raises(ValueError, match=r"axis = 'cubic': expected one of 'linear', 'log'"):
        choice("axis", ["linear", "log"], "cubic")
    with pytest.raises(ValueError, match="at least one option"):
        choice("axis", [])


@pytest.fixture
def controls():
    return {
        "servers": slider("servers", 1, 9, 2),
        "load": slider("load", 0.1, 0.9, 0.5),
        "axis": choice("axis", [("straight", "log"), ("bent", "linear")]),
        "open": toggle("open loop"),
        "note": ipywidgets.Text("hello"),
        "window": span("window", 0, 12, (3, 8)),
        "delay": span("delay (s)", 0.0, 2.5, (0.5, 1)),
    }


WHOLE_PAIR = r"\(low, high\), two whole numbers from 0 to 12, the lower first"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("servers", 10, "a whole number from 1 to 9"),
        ("servers", 2.5, "a whole number from 1 to 9"),
        ("servers", True, "a whole number from 1 to 9"),
        ("load", 0.91, "a number from 0.1 to 0.9"),
        ("load", float("nan"), "a number from 0.1 to 0.9"),
        ("load", "high", "a number from 0.1 to 0.9"),
        ("axis", "straight", "one of 'log', 'linear'"),
        ("open", 1, "True or False"),
        ("window", (3, 13), WHOLE_PAIR),
        ("window", (8, 3), WHOLE_PAIR),
        ("window", (3, 7.5), WHOLE_PAIR),
        ("window", 3, WHOLE_PAIR),
        ("window", (1, 2, 3), WHOLE_PAIR),
        ("window", "38", WHOLE_PAIR),
        (
            "delay",
            (0.5, float("nan")),
            r"\(low, high\), two numbers from 0 to 2.5, the lower first",
        ),
        ("delay", (False, True), r"\(low, high\), two numbers from 0 to 2.5, the lower first"),
        ("serverz", 2, "one of servers, load, axis, open, note, window, delay"),
    ],
)
def test_a_bad_value_is_named_with_what_was_expected_and_nothing_is_set(
    controls, name, value, expected
):
    with pytest.raises(ValueError, match=f"{name} = .*expected {expected}$"):
        set_controls(controls, {"servers": 7, name: value})
    assert controls["servers"].value == 2


def test_good_values_are_set(controls):
    good = {"servers": 9, "load": 0.1, "axis": "linear", "open": True, "note": "bye"}
    good |= {"window": (0, 12), "delay": (0.25, 0.25)}
    set_controls(controls, good)
    assert {name: control.value for name, control in controls.items()} == good


def test_a_list_is_a_pair_too(controls):
    set_controls(controls, {"window": [4, 9]})
    assert controls["window"].value == (4, 9)


def test_all_labels_are_as_wide_as_the_longest_and_at_most_half_a_column(controls):
    controls["axis"].description = "servers behind one queue"
    grid = panel(controls.values())
    (width,) = {control.style.description_width for control in controls.values()}
    longest, share = width.removeprefix("min(").removesuffix("%)").split("px, ")
    assert 150 < int(longest) < 250 and 40 <= int(share) < 50
    assert "auto-fit" in grid.layout.grid_template_columns  # one column where two have no room
    assert not controls["open"].indent  # no room for a label that is not there


@pytest.mark.parametrize("letters", [1, 12, 60])
def test_two_columns_fit_beside_each_other_under_a_figure_and_three_do_not(letters):
    grid = panel([slider("x" * letters, 0, 1, 0.5) for _ in range(3)]).layout
    narrowest = int(re.search(r"(\d+)px\), 1fr", grid.grid_template_columns)[1])
    assert 2 * narrowest + 28 <= 768 < 3 * narrowest + 2 * 28


def test_buttons_that_would_wrap_beside_others_have_a_row_of_their_own():
    narrow = choice("latency", ["mean", "p99"])
    wide = choice("entries expire", ["never", "from the fill", "from the last hit"])
    before, after = slider("requests per second", 1, 9, 2), slider("after", 1, 9, 2)
    *shown, _ = panel([before, narrow, wide, after]).children
    assert shown == [wide, before, narrow, after]  # first, so that no hole is left beside it
    assert [w.layout.grid_area for w in shown] == ["auto / 1 / auto / -1", None, None, None]
