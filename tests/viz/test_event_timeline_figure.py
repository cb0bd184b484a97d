"""The timeline of a scene draws who waits, the model's batches, and every end."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from labutils.exercises.rehearsals.rehearsal import rehearse
from labutils.exercises.rehearsals.scene import Asks, HangsUp, Opens, Scene
from labutils.serving.batcher.dynamic_batcher import DynamicBatcher
from labutils.viz.figures.batcher_load import load_sweep
from labutils.viz.figures.event_timeline import event_timeline, event_timelines, in_words
from labutils.viz.style import color, title_of

SCENE = Scene(
    Opens(2, 40.5, fixed_ms=20.25, per_item_ms=2.0),
    (Asks(0, "c1"), Asks(3, "c2"), Asks(5, "c3"), HangsUp(30, "c3"), Asks(80, "c4")),
)


class NeverDelivers(DynamicBatcher):
    def deliver(self, batch, results):
        """Loses everything."""


def bars(ax, name):
    """(row, start, end) of every bar in the colour of a role."""
    found = []
    for patch in ax.patches:
        if to_hex(patch.get_facecolor()) == color(name) and abs(patch.get_height() - 0.62) < 1e-9:
            row = round(patch.get_y() + 0.31)
            found.append((row, patch.get_x(), round(patch.get_x() + patch.get_width(), 6)))
    return sorted(found)


def words(ax):
    return [text.get_text() for text in ax.texts if "■" not in text.get_text()]


def test_bars_are_waits_and_batches():
    fig = event_timeline(rehearse(DynamicBatcher, SCENE))
    (ax,) = fig.axes
    # c1 and c2 fill a batch at 3 ms, for 24.25 ms; c4 waits the window, and is alone
    assert bars(ax, "waiting") == [(0, 0, 3), (2, 5, 30), (3, 80, 120.5)]
    batches = [(3, 27.25), (3, 27.25), (120.5, 142.75)]
    rows = [(0, *batches[0]), (1, *batches[1]), (3, *batches[2])]
    assert bars(ax, "service") == sorted([*rows, (4, 3, 27.25), (4, 120.5, 142.75)])
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "c1", "c2", "c3", "c4", "model",
    ]  # fmt: skip
    assert sorted(words(ax)) == ["1", "2", "answered", "answered", "answered", "hangs up"]
    assert title_of(fig) == "3 of 4 get their own result"


def test_who_hears_nothing_is_drawn_so_beside_where_the_answer_should_be():
    wanted = rehearse(DynamicBatcher, SCENE)
    fig = event_timeline(rehearse(NeverDelivers, SCENE), wanted)
    (ax,) = fig.axes
    assert words(ax).count("never hears anything") == 3
    marks = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert sorted(marks) == pytest.approx([27.25, 27.25, 142.75])
    assert title_of(fig).startswith("0 of 4 get their own result, and 3 should")


def test_the_alternative_tells_every_event_and_what_should_have_come():
    text = in_words(rehearse(NeverDelivers, SCENE), rehearse(DynamicBatcher, SCENE))
    assert "0.00 ms c1 asks; 3.00 ms c2 asks" in text and "30.00 ms c3 hangs up" in text
    assert "c4 never hears anything, expected a result, at 142.75 ms" in text
    assert "\n" not in text


def test_a_batcher_that_dies_and_one_that_blocks_say_so():
    class Blocks(DynamicBatcher):
        async def run(self, batch):
            self.call([ticket.item for ticket in batch])
            raise RuntimeError("dead")

    (ax,) = event_timeline(rehearse(Blocks, SCENE)).axes
    assert "the batcher's task dies" in words(ax)
    assert "on the event loop: nothing else happens" in words(ax)


def test_an_answer_at_another_time_counts_as_wrong_in_the_title():
    class Hasty(DynamicBatcher):
        async def until_ready(self):
            while not self.waiting:
                await self.news(until_s=None)

    title = title_of(event_timeline(rehearse(Hasty, SCENE), rehearse(DynamicBatcher, SCENE)))
    assert title.startswith("4 of 4 get their own result") or "at another time" in title


def test_scenes_below_each_other_share_the_time():
    plays = {"one": rehearse(DynamicBatcher, SCENE), "two": rehearse(NeverDelivers, SCENE)}
    one, two = event_timelines(plays, title="Two").axes
    assert one.get_xlim() == two.get_xlim() and one.get_title(loc="left") == "one"
    assert two.get_xlabel() == "time (ms)"


def test_the_sweep_draws_lines_and_points_of_each_setting():
    kernel = {"no window": [0.01, 0.02], "10 ms": [0.02, 0.025]}
    yours = {"no window": [0.011, 0.021], "10 ms": [0.019, 0.026]}
    (ax,) = load_sweep((50, 400), kernel, yours, title="A sweep").axes
    drawn = [np.asarray(line.get_ydata()).tolist() for line in ax.lines]
    assert np.allclose(drawn, [[10, 20], [11, 21], [20, 25], [19, 26]])
    assert {"no window", "10 ms"} <= set(words(ax))
