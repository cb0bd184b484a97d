"""What a reader could not tell apart is named, and refused where the course is built."""

import pytest

from labutils.viz import Explorer, new_figure, slider
from labutils.viz.crowding import crowded
from labutils.viz.picture import png


def roomy():
    fig, ax = new_figure(title="Twice the load", x="load", y="time (s)", height=3)
    ax.set(xlim=(0, 1), ylim=(0, 10), xscale="linear")
    ax.text(0.2, 5, "one")
    ax.text(0.6, 5, "other")
    return fig, ax


def found(fig) -> list[str]:
    fig.canvas.draw()
    return list(crowded(fig))


def test_a_figure_with_room_is_left_alone():
    fig, ax = roomy()
    ax.text(0.2, 5, "unseen").set_visible(False)
    ax.text(0.2, 5, "keeps the room of one", alpha=0)
    ax.annotate("the point is out of sight", (7, 5))
    ax.text(7, 5, "cut off", clip_on=True)
    assert found(fig) == []


def test_a_twin_whose_axes_are_switched_off_has_no_ticks_to_cover():
    fig, ax = roomy()
    ax.twinx().set_axis_off()
    assert found(fig) == []


@pytest.mark.parametrize(
    ("crowd", "says"),
    [
        (lambda ax: ax.text(0.62, 5.1, "third"), "'other' and 'third' cover each other"),
        (lambda ax: ax.set_xticks([0.5, 0.51]), "'0.50' and '0.51' cover each other"),
        (lambda ax: ax.annotate("far", (0.2, 5), (0.6, 5)), "'other' and 'far' cover each other"),
        (lambda ax: ax.text(0.99, 5, "beyond the edge"), "'beyond the edge' reaches out of the"),
        (lambda ax: ax.set_ylabel("time in the system (s), " * 3), "reaches out of the picture"),
    ],
)
def test_what_is_crowded_is_named(crowd, says):
    fig, ax = roomy()
    crowd(ax)
    fig.set_layout_engine("none")
    assert any(says in line for line in found(fig))


def test_only_a_build_refuses_and_names_the_figure(monkeypatch):
    fig, ax = roomy()
    ax.text(0.62, 5.1, "third")
    png(fig)
    monkeypatch.setenv("LABUTILS_REFUSE_CROWDING", "1")
    says = "^figure 'Twice the load' is crowded: 'other' and 'third' cover each other$"
    with pytest.raises(ValueError, match=says):
        png(fig)


def test_an_explorer_is_looked_at_in_every_frame_of_a_build(monkeypatch):
    fig, ax = roomy()
    moved = ax.text(0.2, 2, "third")
    monkeypatch.setenv("LABUTILS_REFUSE_CROWDING", "1")
    explorer = Explorer(
        fig, lambda y: f"{moved.set_y(y)}", controls={"y": slider("y", 0.0, 9.0, 2.0)}
    )
    with pytest.raises(ValueError, match="'one' and 'third' cover each other"):
        explorer(y=5.1)
