"""The explorer of lab 1: four switches, sixteen benchmarks, one machine."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.ticker import MaxNLocator

from labutils.ground.arguments import positive, whole
from labutils.metrics.latency import percentile
from labutils.viz.controls import toggle
from labutils.viz.explorer import Explorer
from labutils.viz.figures.benchmark import claims_limits, dress_strip, percent_text, short_time
from labutils.viz.labels import readable
from labutils.viz.style import color, dress, new_figure, points

Log = Sequence[float]
"""The durations of successive passes, in seconds, the cold ones included."""

SWITCHES = {
    "waits": "wait for the device",
    "one_shape": "one shape",
    "warm": "leave out the warm-up",
    "median": "median",
}


def benchmark_explorer(
    logs: Mapping[tuple[bool, bool], Log], *, floor_s: float, warm_up: int = 2
) -> Explorer:
    """Explore what a benchmark claims, with each of four repairs on or off.

    ``logs`` maps (waits, one_shape) to recorded durations: four runs of the same passes.
    ``floor_s`` is the roofline's time of the pass whose work is claimed; ``warm_up`` runs are left
    out at the beginning, if that is switched on.

    Raises ``ValueError`` unless all four logs are there, each longer than ``warm_up``.
    """
    view = _View(_checked(logs, warm_up), positive("floor_s", floor_s), warm_up)
    controls = {name: toggle(text) for name, text in SWITCHES.items()}
    return Explorer(view.fig, view.update, controls=controls)


def _checked(logs, warm_up: int) -> dict[tuple[bool, bool], np.ndarray]:
    whole("warm_up", warm_up, at_least=0)
    wanted = [(waits, one) for waits in (False, True) for one in (False, True)]
    for key in wanted:
        if key not in logs or len(logs[key]) <= warm_up:
            raise ValueError(f"logs[{key}]: expected more than {warm_up} durations")
        positive(f"the shortest of logs[{key}]", min(logs[key]))
    return {key: np.asarray(logs[key], dtype=float) for key in wanted}


class _View:
    """Above, the claims on a strip; below, the runs that count and those left out."""

    def __init__(self, logs: dict[tuple[bool, bool], np.ndarray], floor_s: float, warm_up: int):
        self._logs, self._floor_s, self._warm_up = logs, floor_s, warm_up
        self._seen: dict[tuple, float] = {}
        self.fig, (self._strip, self._runs) = new_figure(
            title="Four switches, sixteen benchmarks: which claims are possible?",
            height=4.8,
            rows=2,
            height_ratios=(1, 2.6),
        )
        self._set_strip()
        self._set_runs()

    def _set_strip(self) -> None:
        every = [self.claim(*bits) for bits in np.ndindex(2, 2, 2, 2)]
        dress(self._strip, x="claimed share of the roofline (%)")
        self._strip.set(xscale="log", xlim=claims_limits(every), ylim=(0, 1), yticks=[])
        dress_strip(self._strip)
        faint = points("measurement", markersize=7, alpha=0.35)
        (self._ghosts,) = self._strip.plot([], [], **faint)
        (self._dot,) = self._strip.plot([], [], **points("measurement", markersize=13))

    def _set_runs(self) -> None:
        dress(self._runs, x="run", y="time (ms)")
        longest = max(len(log) for log in self._logs.values())
        times = 1000 * np.concatenate(list(self._logs.values()))
        self._runs.set(yscale="log", xlim=(0, longest + 1), ylim=(times.min() / 3, 4 * times.max()))
        self._runs.yaxis.set_major_formatter("{x:g}")
        self._runs.xaxis.set_major_locator(MaxNLocator(8, integer=True))
        (self._out,) = self._runs.plot([], [], **points("waiting", markersize=8))
        (self._in,) = self._runs.plot([], [], **points("measurement"))
        (self._level,) = self._runs.plot([], [], color=color("ink"), linewidth=1.3)
        self._name = self._runs.annotate(
            "", (longest + 0.9, 1), xytext=(0, 4), textcoords="offset points", ha="right",
            va="bottom", fontsize=10.5, color=readable(color("ink")),
        )  # fmt: skip

    def claim(self, waits, one_shape, warm, median) -> float:
        """The share of the roofline that this benchmark claims."""
        return self._floor_s / self._quoted(waits, one_shape, warm, median)

    def _quoted(self, waits, one_shape, warm, median) -> float:
        counted = self._logs[bool(waits), bool(one_shape)][self._warm_up if warm else 0 :]
        return percentile(counted, 0.5) if median else float(counted.mean())

    def update(self, *, waits: bool, one_shape: bool, warm: bool, median: bool) -> str:
        """Show one benchmark: what it measured, what it claims."""
        bits = waits, one_shape, warm, median
        share, log = self.claim(*bits), self._logs[waits, one_shape]
        left_out = self._warm_up if warm else 0
        number, quoted_ms = np.arange(1, log.size + 1), 1000 * self._quoted(*bits)
        self._out.set_data(number[:left_out], 1000 * log[:left_out])
        self._in.set_data(number[left_out:], 1000 * log[left_out:])
        self._level.set_data([left_out + 0.5, log.size + 0.5], [quoted_ms] * 2)
        self._name.xy = (self._runs.get_xlim()[1], quoted_ms)
        middle = "median" if median else "mean"
        self._name.set_text(f"{middle} {short_time(quoted_ms / 1000)}")
        self._ghosts.set_data(*_row(100 * np.array(list(self._seen.values()))))
        self._dot.set_data(*_row([100 * share]))
        self._seen[bits] = share
        return _finding(bits, share)


def _row(percents) -> tuple:
    return percents, [0.5] * len(percents)


def _finding(bits: tuple, share: float) -> str:
    on = [text for text, bit in zip(SWITCHES.values(), bits) if bit]
    what = ", ".join(on) if on else "no repair"
    verdict = ", beyond it." if share > 1 else "."
    return f"{what[0].upper()}{what[1:]}: {percent_text(share)} of the roofline{verdict}"
