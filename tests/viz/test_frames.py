"""A frame drawn on the stored backdrop equals a full drawing, whatever moved."""

import io

import numpy as np
import pytest
from PIL import Image

from labutils.viz import band, dress, label_line, line, new_figure, points, set_title
from labutils.viz.frame import Frames
from labutils.viz.picture import quick_png
from tests.conftest import only_full


def two_panels():
    fig, (left, right) = new_figure(title="Two panels", x="time (s)", y="requests", cols=2)
    made = {
        "curve": left.plot([0, 1, 2], [0, 3, 1], **line("queue"))[0],
        "cloud": right.scatter([1, 2, 3], [3, 1, 2], c=["#125cb8"] * 3),
        "region": left.axvspan(0.4, 0.9, **band("limit")),
    }
    left.errorbar([0.5, 1.5], [1, 2], yerr=0.3, **points("measurement"))
    made["word"] = label_line(left, made["curve"], "backlog", x=1)
    right.legend([made["cloud"]], ["runs"])
    dress(right, title="runs")
    return fig, left, right, made


MOVES = {
    "line": lambda fig, left, right, made: made["curve"].set_ydata([3, 0, 2.5]),
    "points": lambda fig, left, right, made: made["cloud"].set_offsets([[1, 1], [2, 3], [3, 1]]),
    "text": lambda fig, left, right, made: made["word"].set_text("drained"),
    "region": lambda fig, left, right, made: made["region"].set_visible(False),
    "limits": lambda fig, left, right, made: left.set_ylim(-2, 17),
    "label": lambda fig, left, right, made: right.set_ylabel("tokens"),
    "title": lambda fig, left, right, made: set_title(fig, "One panel"),
    "panel title": lambda fig, left, right, made: right.set_title("seeds", loc="left"),
    "ticks": lambda fig, left, right, made: left.set_yticks([0, 1.5, 3], ["no", "some", "many"]),
    "autoscale": lambda fig, left, right, made: (
        made["curve"].set_ydata([20, 0, 2]),
        left.relim(),
        left.autoscale(),
    ),
    "scale": lambda fig, left, right, made: right.set_xscale("log"),
    "everything": lambda fig, left, right, made: (
        made["curve"].set_ydata([9, 9, 8]),
        left.set_ylim(0, 10),
        made["word"].set_text("high"),
    ),
}


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


@pytest.mark.parametrize("move", ["scale", "everything", *only_full(*[*MOVES][:-2])])
def test_a_frame_equals_a_full_drawing(move):
    fig, left, right, made = two_panels()
    frames = Frames(fig)
    first = pixels(frames.png())
    MOVES[move](fig, left, right, made)
    second = pixels(frames.png())
    assert (first != second).any()
    fig.canvas.draw()
    assert np.array_equal(second, pixels(quick_png(fig.canvas)))


def test_what_was_hidden_for_the_backdrop_stays_as_it_was():
    fig, _, _, made = two_panels()
    made["curve"].set_visible(False)
    Frames(fig).png()
    assert not made["curve"].get_visible() and made["cloud"].get_visible()


def test_the_backdrop_is_drawn_once_while_only_artists_move(monkeypatch):
    fig, left, _, made = two_panels()
    frames = Frames(fig)
    drawings = []
    draw = fig.canvas.draw
    monkeypatch.setattr(fig.canvas, "draw", lambda: (drawings.append(1), draw()))
    for height in (1, 2, 3):
        made["curve"].set_ydata([0, height, 0])
        left.set_yscale("linear")  # the same scale again changes nothing
        frames.png()
    assert len(drawings) == 1


def test_house_colours_survive_the_quick_packing():
    fig, *_ = two_panels()
    packed = pixels(Frames(fig).png()).astype(int)
    true = np.asarray(fig.canvas.buffer_rgba())[..., :3].astype(int)
    assert np.percentile(np.abs(packed - true), 99) <= 8
