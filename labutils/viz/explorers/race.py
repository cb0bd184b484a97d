"""The explorer of chapter 07: one set of requests in two lanes, static batches and continuous."""

from functools import cache

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import Rectangle
from matplotlib.transforms import Bbox, TransformedBbox

from labutils.engine import Request, Scheduler
from labutils.ground.arguments import whole
from labutils.serving.memory import Unlimited
from labutils.serving.scheduling import StaticBatches
from labutils.serving.simulator import StepCost, simulate
from labutils.viz.controls import choice, player, slider
from labutils.viz.explorer import Explorer
from labutils.viz.figures.lanes import STALLED, Lane, mixed
from labutils.viz.labels import key
from labutils.viz.style import CARD, INK, color, dress, new_figure

_LANE_TITLE = {"loc": "left", "fontsize": 11, "fontweight": "bold", "color": INK}
STEP_S = 0.01  # of a step that costs the same whatever is in it
NAMES = ("static batches", "continuous batching")
LEFT_OUT, COUNTED = "left out", "counted"
_KEY = (  # words, role, share of its colour, place
    ("writes an answer", "service", 0.72, 0.0),
    ("reads its prompt", "theory", 1.0, 0.215),
    ("stands still meanwhile", "waiting", STALLED, 0.42),
    ("empty (hatched)", "reference", 0.5, 0.685),
)


def race_explorer(
    workloads: dict, *, seed: int, step_cost: StepCost, slots: int = 8, deals: int = 12
) -> Explorer:
    """Race static against continuous batching on the same requests, all there at the beginning.

    ``workloads`` maps names to pairs of arrays (prompt tokens, output tokens). *prompts* left out:
    every step takes the same time, whatever is in it; counted: a step costs what ``step_cost``
    says, and prompts are read before anybody decodes. *shuffle* deals the requests in another
    order (0: as they come). *time* is in per cent of the static lane's.
    """
    races = _Races(workloads, seed, step_cost, whole("slots", slots))
    first = next(iter(workloads))
    begin = races.photo_finish(first, LEFT_OUT, 0)
    time = slider("time (% of static's)", 0, 100, begin)
    controls = {
        "answers": choice("requests", list(workloads), first),
        "prompts": choice("prompts", [LEFT_OUT, COUNTED], LEFT_OUT),
        "shuffle": slider("shuffle", 0, whole("deals", deals), 0),
        "time": time,
    }
    view = _View(races)
    return Explorer(view.fig, view.update, controls=controls, beside=[player(time)])


class _Race:
    """Both lanes of one deal, cut into boxes once."""

    def __init__(self, lanes: tuple[Lane, Lane]):
        self.lanes = lanes
        self.end_s = max(lane.end_s for lane in lanes)
        self.boxes = [lane.boxes() for lane in lanes]
        self.corners = [boxes.corners(self.end_s) for boxes in self.boxes]


class _Races:
    """The races, each simulated when it is first looked at."""

    def __init__(self, workloads: dict, seed: int, step_cost: StepCost, slots: int):
        self._workloads, self._seed, self._cost, self.slots = workloads, seed, step_cost, slots
        self.race = cache(self._run)

    def photo_finish(self, answers: str, prompts: str, shuffle: int) -> int:
        """The moment, in per cent, in which the faster lane has just ended."""
        race = self.race(answers, prompts, shuffle)
        return int(np.ceil(100 * min(lane.end_s for lane in race.lanes) / race.end_s))

    def _run(self, answers: str, prompts: str, shuffle: int) -> _Race:
        requests, lengths = self._dealt(answers, shuffle)
        free = prompts == LEFT_OUT
        cost = StepCost(STEP_S) if free else self._cost
        budget = sum(r.prompt_tokens for r in requests) + self.slots
        continuous = Scheduler(self.slots, Unlimited(), token_budget=budget, chunked=free)
        served = {"output_tokens": lengths, "token_times": True}
        runs = [
            simulate(requests, scheduler, cost, **served)
            for scheduler in (StaticBatches(self.slots), continuous)
        ]
        return _Race(tuple(Lane(run.records(), slots=self.slots, mixed=free) for run in runs))

    def _dealt(self, answers: str, shuffle: int) -> tuple[list[Request], list[int]]:
        prompts, outputs = (np.asarray(column) for column in self._workloads[answers])
        order = np.arange(prompts.size)
        if shuffle:
            order = np.random.default_rng([self._seed, shuffle]).permutation(prompts.size)
        longest = int(outputs.max())
        requests = [Request(k, int(prompts[at]), longest) for k, at in enumerate(order)]
        return requests, outputs[order].tolist()


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, races: _Races):
        self._races, slots = races, races.slots
        self.fig, axes = new_figure(
            title="Who writes the same answers sooner, and what do empty slots cost?",
            height=5.2,
            rows=2,
            sharex=True,
        )
        dress(axes[1], x="time (% of the time that static batches need)")
        self._covers, self._boxes, self._counts, self._shown = [], [], [], None
        self._played = [Bbox([[0, 0], [0, slots]]) for _ in axes]
        for ax, played in zip(axes, self._played):
            dress(ax, y="slot")
            ax.grid(False)
            ax.set(xlim=(0, 100), ylim=(slots, 0))
            ax.set_yticks(np.arange(slots) + 0.5, np.arange(1, slots + 1), fontsize=8)
            ax.tick_params(length=0)
            self._add_lane(ax, slots, played)
        for ax, name in zip(axes, NAMES):  # titles stand still, and are drawn once
            ax.set_title(name, **_LANE_TITLE)
        self._now = [ax.axvline(0, color=INK, lw=1.2) for ax in axes]
        self._name_colors()

    def _add_lane(self, ax, slots: int, played: Bbox) -> None:
        # The whole lane is hatched, in the backdrop and once; a cover hides what lies ahead.
        ax.patch.set(hatch="//////", edgecolor=color("reference"), linewidth=0)
        cover = Rectangle((0, 0), 100, slots, facecolor=CARD, lw=0, antialiased=False)
        self._covers.append(ax.add_patch(cover))
        boxes = ax.add_collection(PolyCollection([], linewidths=0, antialiaseds=False, zorder=2))
        boxes.set_clip_box(TransformedBbox(played, ax.transData))  # what lies ahead stays unseen
        self._boxes.append(boxes)
        ax.hlines(np.arange(1, slots), 0, 100, color=CARD, lw=2, zorder=1.5)
        count = ax.annotate(
            "", (0.27, 1), xycoords="axes fraction", xytext=(0, 6), textcoords="offset points",
            va="baseline", fontsize=11, color=INK,
        )  # fmt: skip
        self._counts.append(count)

    def _name_colors(self) -> None:
        """Texts of the figure, not of the axes: they stand still, and are drawn once."""
        self.fig.axes[0].set_title(f" \n{NAMES[0]}", **_LANE_TITLE)  # room for them
        words = [(x, mixed(role, share), name) for name, role, share, x in _KEY]
        key(self.fig.axes[0], words, up=22, size=10.5)

    def update(self, *, answers, prompts, shuffle, time) -> str:
        """Show both lanes up to a moment; return the score."""
        race = self._races.race(answers, prompts, shuffle)
        at_s = time / 100 * race.end_s
        if race is not self._shown:
            for artist, boxes, corners in zip(self._boxes, race.boxes, race.corners):
                artist.set_verts(corners)
                artist.set_facecolor(boxes.colors)
            self._shown = race
        for k, lane in enumerate(race.lanes):
            self._played[k].x1 = time
            self._covers[k].set_x(100 * min(at_s, lane.end_s) / race.end_s)
            self._now[k].set_xdata([time, time])
            self._counts[k].set_text(_score(lane, at_s))
        return _finding(race, at_s)


def _score(lane: Lane, at_s: float) -> str:
    tokens = f"{lane.tokens(at_s):,} tokens"
    if lane.end_s <= at_s:
        return f"{tokens}, all done at {lane.end_s:.3g} s"
    return f"{tokens}, {lane.answers(at_s)} of {lane.finish_s.size} answers"


def _finding(race: _Race, at_s: float) -> str:
    static, continuous = race.lanes
    written = [lane.tokens(at_s) for lane in race.lanes]
    if at_s >= race.end_s:
        return (
            f"The same {written[0]:,} tokens in {static.end_s:.3g} s and in "
            f"{continuous.end_s:.3g} s: {static.end_s / continuous.end_s:.2f} times as fast."
        )
    ratio = f": {written[1] / written[0]:.2f} times as many" if written[0] else ""
    return f"After {at_s:.3g} s static has {written[0]:,} tokens, continuous {written[1]:,}{ratio}."
