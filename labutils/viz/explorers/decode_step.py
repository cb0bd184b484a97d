"""The explorer of chapter 05: one decode step as two bars, and the map of what binds."""

import ipywidgets
import numpy as np

from labutils import llm
from labutils.viz.controls import choice, toggle
from labutils.viz.explorer import Explorer
from labutils.viz.labels import label_line, move_label
from labutils.viz.style import CARD, color, dress, line, new_figure, points

BATCHES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048)
CONTEXTS = tuple(2**k for k in range(4, 18))
DEVICES = ("L4", "RTX 4090", "A100 80 SXM", "H100 SXM", "H200 SXM", "B200", "MI300X")
PRECISIONS = {"16 bits": (2, 2, False), "W8A16": (1, 2, False), "8 bits": (1, 1, True)}
"""Bytes per weight, bytes per cached value, and whether arithmetic is in 8 bits too."""

BINDS = {"weights": "weights bind", "kv": "KV binds", "flops": "arithmetic binds"}
USABLE = 0.9  # of the memory
_RIDGES = {
    "kv": ("kv", "KV = weights"),
    "flops": ("flops", "compute = read"),
    "memory": ("limit", f"{100 * USABLE:g} % of the memory"),
}
_REGIONS = {
    "weights": (0.02, 0.3, "left"),
    "kv": (0.6, 0.9, "left"),
    "flops": (0.99, 0.05, "right"),
}
_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1)  # shares of the axis
_TOPS = np.array([k * 10.0**p for p in range(-1, 6) for k in (1, 2, 5)])  # ms


def decode_step_explorer(
    *, model: str = "Llama-3.1-8B", batch: int = 1, context: int = 1024, device: str = "H100 SXM"
) -> Explorer:
    """Explore one decode step of a dense model: the time to read, the time to compute.

    The longer bar is the step (``llm.decode_step``, at peak figures). Each setting leaves a point
    on the map of batch and context, in the colour of what binds there: weights, KV cache or
    arithmetic. ``ridges`` draws the lines between the three. Arguments are the settings to begin
    with.
    """
    view = _View(llm.model(model))
    controls = {
        "batch": _stops("batch", BATCHES, batch),
        "context": _stops("tokens of context", CONTEXTS, context),
        "device": choice("device", list(DEVICES), device),
        "precision": choice("precision", list(PRECISIONS), "16 bits"),
        "ridges": toggle("draw the ridges"),
    }
    return Explorer(view.fig, view.update, controls=controls)


def _stops(label: str, values, value) -> ipywidgets.SelectionSlider:
    """A slider that stops at these values, a geometric row."""
    if value not in values:
        raise ValueError(f"{label} = {value!r}: expected one of {', '.join(map(str, values))}")
    widget = ipywidgets.SelectionSlider(description=label, options=list(values), value=value)
    widget.add_class("jupyter-widgets")  # ipywidgets 8.1 forgets it, and styles by it
    return widget


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, model: llm.ModelSpec):
        self._model = model
        self._seen: dict[tuple[int, int], str] = {}
        self._seen_on: tuple = ()
        self._drawn_for: tuple = ()
        self.fig, (self._bars_ax, self._map_ax) = new_figure(
            title=f"One decode step of {model.name}: which bar is longer, and of what?",
            height=6.4,
            rows=2,
            height_ratios=(1, 1.9),
        )
        self._draw_bars()
        self._draw_map()

    def _draw_bars(self) -> None:
        ax = self._bars_ax
        dress(ax)
        ax.set(xlim=(0, 1), ylim=(-0.55, 1.75), yticks=[0, 1], yticklabels=["compute", "read"])
        ax.set_xticks(_TICKS, [""] * len(_TICKS))
        ax.set_xlabel("time (ms)", labelpad=18)
        ax.grid(False, axis="y")
        self._ticks = [  # texts, for a new axis takes as long to draw as all the rest
            ax.text(
                x, -0.05, "", transform=ax.get_xaxis_transform(), ha="center", va="top",
                fontsize=10, color="#4b5563",
            )
            for x in _TICKS
        ]  # fmt: skip
        rows = {"weights": 1, "kv": 1, "flops": 0}
        self._bars = {
            name: ax.barh(row, 1, height=0.5, color=color(name))[0] for name, row in rows.items()
        }
        look = {"fontsize": 10.5, "color": color("ink"), "va": "bottom"}
        self._texts = [ax.text(0.0, row + 0.3, "", **look) for row in (1, 0)]
        (self._end,) = ax.plot([1, 1], [-0.4, 1.3], **line("ink", linewidth=1.4))

    def _draw_map(self) -> None:
        ax = self._map_ax
        dress(ax, x="batch (requests)", y="context (tokens)")
        ax.set(xscale="log", yscale="log", xlim=(0.85, 2500), ylim=(12, 170_000))
        ax.set_xticks([1, 4, 16, 64, 256, 1024], ["1", "4", "16", "64", "256", "1,024"])
        ax.set_yticks([16, 128, 1024, 8192, 65536], ["16", "128", "1,024", "8,192", "65,536"])
        ax.minorticks_off()
        self._draw_ridges()
        self._dots = {
            name: ax.plot([], [], **points(name, markersize=8), zorder=3)[0] for name in BINDS
        }
        (self._here,) = ax.plot([], [], **points("ink", marker="o", markersize=14), zorder=4)
        self._here.set(markerfacecolor="none", markeredgecolor=color("ink"), markeredgewidth=1.8)
        self._regions = {name: self._region(name, *place) for name, place in _REGIONS.items()}

    def _draw_ridges(self) -> None:
        ax, anywhere = self._map_ax, ([1.0, 10.0], [20, 20])
        self._lines = {
            name: ax.plot(*anywhere, **line(role, linewidth=1.8))[0]
            for name, (role, _) in _RIDGES.items()
        }
        self._labels = [
            (label_line(ax, self._lines[name], text), self._lines[name])
            for name, (_, text) in _RIDGES.items()
        ]

    def _region(self, name: str, x: float, y: float, side: str):
        """The name of a region of the map, in fractions of it; shown once it was visited."""
        return self._map_ax.text(
            x, y, BINDS[name], transform=self._map_ax.transAxes, ha=side, color=color(name),
            fontsize=10.5, bbox={"facecolor": CARD, "edgecolor": "none", "pad": 1},
        )  # fmt: skip

    def update(self, *, batch, context, device, precision, ridges) -> str:
        """Redraw for one setting; return what binds there, and the rates."""
        chip = llm.accelerator(device)
        step = _step(self._model, chip, precision, batch, context)
        self._set_bars(step)
        self._note(batch, context, (device, precision), binds(step))
        self._set_ridges(chip, precision, visible=ridges)
        return _finding(self._model, chip, precision, context, step)

    def _set_bars(self, step: llm.DecodeStep) -> None:
        read_ms, compute_ms = 1000 * step.bytes_time_s, 1000 * step.flops_time_s
        weights_ms = read_ms * step.weight_bytes / (step.weight_bytes + step.kv_bytes)
        widths = {"weights": weights_ms, "kv": read_ms - weights_ms, "flops": compute_ms}
        longest = max(read_ms, compute_ms)
        top = _TOPS[_TOPS.searchsorted(1.02 * longest)]
        for name, width in widths.items():
            self._bars[name].set_width(width / top)
        self._bars["kv"].set_x(weights_ms / top)
        self._end.set_xdata([longest / top] * 2)
        for x, tick in zip(_TICKS, self._ticks):
            tick.set_text(f"{x * top:g}")
        self._texts[0].set_text(
            f"{step.weight_bytes / 1e9:.3g} GB of weights: {weights_ms:.3g} ms   +   "
            f"{step.kv_bytes / 1e9:.3g} GB of KV: {read_ms - weights_ms:.3g} ms"
        )
        self._texts[1].set_text(f"{step.flops / 1e12:.3g} TFLOP: {compute_ms:.3g} ms")

    def _note(self, batch: int, context: int, on: tuple, what: str) -> None:
        """Add this setting to those seen on this device; another device begins a new map."""
        if on != self._seen_on:
            self._seen, self._seen_on = {}, on
        self._seen[batch, context] = what
        for name, dots in self._dots.items():
            places = [place for place, found in self._seen.items() if found == name]
            dots.set_data(*zip(*places)) if places else dots.set_data([], [])
            self._regions[name].set_visible(bool(places))
        self._here.set_data([batch], [context])

    def _set_ridges(self, chip: llm.Accelerator, precision: str, *, visible: bool) -> None:
        wanted = (chip.name, precision, visible)
        if wanted == self._drawn_for:
            return
        self._drawn_for = wanted
        at = ridges_of(self._model, chip, precision) if visible else {}
        for name, drawn in self._lines.items():
            drawn.set_data(*at.get(name, ([], [])))
        for label, drawn in self._labels:
            if visible:
                move_label(label, drawn)
            else:
                label.set_visible(False)


def binds(step: llm.DecodeStep) -> str:
    """The longest part of a step: "weights", "kv" or "flops"."""
    if step.binding == "flops":
        return "flops"
    return "weights" if step.weight_bytes >= step.kv_bytes else "kv"


def ridges_of(model: llm.ModelSpec, chip: llm.Accelerator, precision: str) -> dict:
    """The lines between what binds, as (batches, contexts): "kv", "flops" and "memory".

    All three follow from a step of a single request, for a dense model without windows: KV bytes
    and operations grow in proportion to the batch.
    """
    contexts = np.geomspace(12, 170_000, 120)
    steps = [_step(model, chip, precision, 1, context) for context in contexts]
    weights, kv, read_s, compute_s = np.array(
        [(s.weight_bytes, s.kv_bytes, s.bytes_time_s, s.flops_time_s) for s in steps]
    ).T
    weights_s, kv_s = read_s * weights / (weights + kv), read_s * kv / (weights + kv)
    with np.errstate(divide="ignore"):
        compute = np.where(compute_s > kv_s, weights_s / (compute_s - kv_s), np.inf)
    room = np.maximum(USABLE * chip.memory_bytes - weights, 0) / kv
    found = {"kv": weights / kv, "flops": compute, "memory": room}
    return {
        name: (batch[(batch > 0.5) & (batch < 5000)], contexts[(batch > 0.5) & (batch < 5000)])
        for name, batch in found.items()
    }


def _step(model, chip, precision: str, batch: int, context: float) -> llm.DecodeStep:
    per_weight, per_value, small = PRECISIONS[precision]
    return llm.decode_step(
        model, chip, batch, context,
        bytes_per_weight=per_weight, bytes_per_value=per_value,
        precision=(_eight_bit(chip) or "bf16") if small else "bf16",
    )  # fmt: skip


def _eight_bit(chip: llm.Accelerator) -> str | None:
    """The 8-bit format that the device has a listed rate for."""
    return next((name for name in ("fp8", "int8") if name in chip.peak_flops), None)


def _finding(model, chip, precision: str, context: int, step: llm.DecodeStep) -> str:
    needed = step.weight_bytes + step.kv_bytes
    requests = "1 request" if step.batch == 1 else f"{step.batch:,} requests"
    text = (
        f"{chip.name}, {precision}, {requests} with {context:,} tokens each: a step takes "
        f"{1000 * step.time_s:.3g} ms, {BINDS[binds(step)]}; "
        f"{step.tokens_per_s_per_request:,.4g} tokens/s each, {step.tokens_per_s:,.0f} in all."
    )
    if precision == "8 bits" and not _eight_bit(chip):
        text += " (No 8-bit rate is listed for this device: its arithmetic is in 16 bits.)"
    if needed > USABLE * chip.memory_bytes:
        text += f" It needs {needed / 1e9:,.0f} GB; the device has {chip.memory_bytes / 1e9:.0f}."
    return text
