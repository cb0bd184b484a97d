"""Replicas as lanes under each other, each as full as its queue is long."""

from collections.abc import Sequence

import numpy as np
from matplotlib.collections import PolyCollection

from labutils.serving.replicas import ReplicasRun
from labutils.viz.figures.lanes import mixed
from labutils.viz.style import color

_HEIGHT = 0.86  # of a lane; the rest parts it from the next


def waiting(run: ReplicasRun, at_s: Sequence[float]) -> np.ndarray:
    """Requests that wait for their first token at each replica (replicas × moments)."""
    log = run.log
    over_s = np.where(np.isfinite(log.first_token_s), log.first_token_s, log.finish_s)
    return np.array([
        _so_far(log.sent_s[rows], at_s) - _so_far(over_s[rows], at_s)
        for rows in map(run.rows_of, range(len(run.runs)))
    ])  # fmt: skip


def _so_far(times_s: np.ndarray, at_s: Sequence[float]) -> np.ndarray:
    return np.searchsorted(np.sort(times_s), at_s, side="right")


class Lanes:
    """A lane for each replica in one panel, and what waits there, drawn anew by ``draw``."""

    def __init__(self, ax, replicas: int):
        self._floors = np.arange(1.0, replicas + 1)
        ends = np.array([-1e6, 1e6])
        beds = _shapes(ends, self._floors, np.full((replicas, 2), _HEIGHT))
        ax.add_collection(PolyCollection(beds, facecolor=mixed("queue", 0.13), linewidth=0))
        self._filled = PolyCollection([], facecolor=color("queue"), linewidth=0)
        ax.add_collection(self._filled)
        ax.set(ylim=(replicas + 0.1, 0), yticks=self._floors - _HEIGHT / 2)
        ax.set_yticklabels(range(replicas))
        ax.tick_params(axis="y", length=0)
        ax.grid(False)
        ax.spines["left"].set_visible(False)

    def draw(self, at_s: np.ndarray, counts: np.ndarray, *, most: float) -> None:
        """Fill the lanes; ``most`` requests are as high as a lane."""
        heights = _HEIGHT * np.minimum(counts / most, 1)
        self._filled.set_verts(_shapes(at_s, self._floors, heights))


def _shapes(x: np.ndarray, floors: np.ndarray, heights: np.ndarray) -> list[np.ndarray]:
    """The outline of each lane, its corners alone: along the top, and back on the floor."""
    return [_shape(x, *lane) for lane in zip(floors, heights)]


def _shape(x: np.ndarray, floor: float, heights: np.ndarray) -> np.ndarray:
    turns = np.diff(heights) != 0
    kept = np.r_[True, turns] | np.r_[turns, True]
    top = np.stack((x[kept], floor - heights[kept]), axis=1)  # y goes down
    return np.concatenate((top, [(x[-1], floor), (x[0], floor)]))
