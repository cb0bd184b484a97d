"""The explorer of chapter 06: what the weights leave on a card, and who gets which part of it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from labutils import llm
from labutils.viz.controls import choice
from labutils.viz.explorer import Explorer
from labutils.viz.figures.pages import EMPTY, FREE, KV, TONES, PageMap, mixed
from labutils.viz.labels import key
from labutils.viz.style import INK, color, dress, new_figure

GB, USABLE = 1e9, 0.9
LIMITS = (4_096, 16_384, 131_072)
PAGES = (1, 16, 64, 256, 1024)
SEQUENCES = 6_000  # drawn for a snapshot; more than any card of the explorer holds
APART = 7.5  # per cent of the bar between the middles of two names that can both be read
ROWS, CELLS, PARTS = 24, 48, 8  # the map: rows of cells, each painted in parts


def kv_memory_explorer(
    lengths: Mapping[str, tuple], *, seed: int, model: str = "Llama-3.1-8B"
) -> Explorer:
    """Explore the memory of one card: weights, KV that holds tokens, waste, and what is free.

    ``lengths`` maps names to measured (prompts, answers), two arrays of tokens. The map below the
    bar is the room that the weights leave, at a random moment of a full server: a request is met
    in proportion to its stay, at a random point of its answer.
    """
    view = _View(llm.model(model), lengths, np.random.default_rng(seed))
    controls = {
        "card": choice("card", [("24 GB", 24), ("80 GB", 80)], 24),
        "given": choice("memory is", ["reserved", "paged"], "reserved"),
        "weights": choice("weights", [("16 bit", 16), ("8 bit", 8), ("4 bit", 4)], 16),
        "page": choice("page, if paged", [(_in_tokens(size), size) for size in PAGES], 16),
        "kv": choice("KV", [("16 bit", 16), ("8 bit", 8)], 16),
        "lengths": choice("lengths", list(lengths)),
        "limit": choice(
            "limit (tokens)", [(f"{tokens:,}", tokens) for tokens in LIMITS], LIMITS[0]
        ),
    }
    return Explorer(view.fig, view.update, controls=controls)


@dataclass(frozen=True)
class _Room:
    """A full memory of ``tokens`` slots: what each sequence holds, and what it was given."""

    tokens: float
    held: np.ndarray
    given: np.ndarray

    @property
    def held_tokens(self) -> float:
        return float(self.held.sum())

    @property
    def empty_tokens(self) -> float:
        return float((self.given - self.held).sum())

    def codes(self, cells: int) -> np.ndarray:
        """A code for each of ``cells`` equal parts of the memory."""
        ends = np.cumsum(self.given)
        at = (np.arange(cells) + 0.5) * self.tokens / cells
        owner = np.searchsorted(ends, at, side="right")
        codes = np.where(owner < ends.size, owner, FREE)
        inside = np.flatnonzero(owner < ends.size)
        mine = owner[inside]
        filled = at[inside] - (ends[mine] - self.given[mine]) < self.held[mine]
        codes[inside[~filled]] = EMPTY
        return codes


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, model: llm.ModelSpec, lengths: Mapping[str, tuple], rng):
        self._model = model
        self._met = {
            (name, limit): _met(*columns, limit, rng)
            for name, columns in lengths.items()
            for limit in LIMITS
        }
        self._longer = {
            (name, limit): float(np.mean(np.add(*columns) > limit))
            for name, columns in lengths.items()
            for limit in LIMITS
        }
        self.fig, (bar, room) = new_figure(
            title=f"What {model.name} leaves of a card, and who gets it",
            height=5.6,
            rows=2,
            height_ratios=(1, 3.6),
        )
        self._draw_bar(bar)
        self._map = PageMap(room, ROWS * CELLS * PARTS, CELLS * PARTS, column_gaps=False)
        self._write_head(room)
        words = (
            (0.0, KV, "holds tokens (shades: sequences)"),
            (0.44, TONES[EMPTY], "given away, empty"),
            (0.72, TONES[FREE], "free"),
        )
        key(room, words, y=-0.02, up=0, va="top", size=9.5)

    def _write_head(self, ax) -> None:
        """Write the memory's size and its requests, each in one text whatever the letters' size."""
        look = {"transform": ax.transAxes, "fontsize": 10.5, "color": INK, "va": "bottom"}
        self._scale = ax.text(0, 1.02, " ", **look)
        self._count = ax.text(1, 1.02, " ", ha="right", fontweight="bold", **look)

    def _draw_bar(self, ax) -> None:
        dress(ax, x="share of the card (%)")
        ax.set(xlim=(0, 100), ylim=(-0.5, 1.0), yticks=[])
        ax.grid(False)
        shades = {
            "weights": color("weights"),
            "KV": KV,
            "waste": TONES[EMPTY],
            "free": TONES[FREE],
            "kept back": mixed(color("reference"), 0.45),
        }
        self._bars = {
            name: ax.barh(0, 1, height=0.9, color=shade)[0] for name, shade in shades.items()
        }
        self._texts = {
            name: ax.text(0, 0.52, "", fontsize=9.5, va="bottom", ha="center", color=INK)
            for name in shades
        }

    def update(self, *, card, given, weights, page, kv, lengths, limit) -> str:
        """Fill one card and return what came of it."""
        per_token = self._model.kv_bytes_per_token(kv / 8)
        weight_bytes = self._model.weight_bytes(weights / 8)
        left = USABLE * card * GB - weight_bytes
        pages = page if given == "paged" else None
        tokens = max(left, 0) // per_token
        room = _filled(tokens, self._met[lengths, limit], pages, limit)
        self._set_bar(card * GB, weight_bytes, max(left, 0), room, per_token)
        self._map.paint(room.codes(ROWS * CELLS * PARTS))
        free = f"{max(left, 0) / GB:.1f} GB, {room.tokens:,.0f} tokens"
        self._scale.set_text(f"beside the weights: {free}")
        self._count.set_text(f"{room.held.size:,} sequences at once")
        found = _finding(room, card, max(left, 0), given, limit)
        return found + _left_out(self._longer[lengths, limit])

    def _set_bar(self, card, weight_bytes, left, room: _Room, per_token) -> None:
        waste, held = room.empty_tokens * per_token, room.held_tokens * per_token
        sizes = {
            "weights": weight_bytes,
            "KV": held,
            "waste": waste,
            "free": left - held - waste,
            "kept back": (1 - USABLE) * card,
        }
        at, named_at = 0.0, -APART
        for name, size in sizes.items():
            share = 100 * min(size / card, 1)
            self._bars[name].set(x=at, width=share)
            middle = at + share / 2
            has_room = share > 4.5 and middle - named_at > APART
            text = f"{name}\n{size / GB:.1f} GB" if has_room else ""
            self._texts[name].set(text=text, x=middle)
            at, named_at = at + share, middle if has_room else named_at


def _met(prompts, outputs, limit: int, rng) -> np.ndarray:
    """Tokens that requests hold when they are met at a random moment; shape (SEQUENCES,).

    A request is met in proportion to its steps, at any of them.
    """
    prompts, outputs = np.asarray(prompts), np.asarray(outputs)
    allowed = np.flatnonzero(prompts + outputs <= limit)
    if not allowed.size:
        return np.zeros(0)
    steps = outputs[allowed]
    chosen = rng.choice(allowed, SEQUENCES, p=steps / steps.sum())
    return prompts[chosen] + np.floor(rng.random(SEQUENCES) * outputs[chosen])


def _filled(tokens: float, met: np.ndarray, page: int | None, limit: int) -> _Room:
    """As many of those met as fit, one after the other, in pages or with ``limit`` reserved."""
    given = np.full(met.shape, float(limit)) if page is None else np.ceil(met / page) * page
    fit = int(np.searchsorted(np.cumsum(given), tokens, side="right"))
    return _Room(tokens, met[:fit], given[:fit])


def _in_tokens(size: int) -> str:
    return f"{size:,} token{'s'[: size != 1]}"


def _left_out(longer: float) -> str:
    """What became of the requests that the limit does not admit."""
    if longer < 0.005:
        return ""
    return f" {100 * longer:.0f} % of these requests are longer than the limit, and left out."


def _finding(room: _Room, card: int, left: float, given: str, limit: int) -> str:
    if not room.tokens:
        return f"On {card} GB the weights leave nothing: no sequence fits."
    if not room.held.size:
        return (
            f"{left / GB:.1f} GB beside the weights hold {room.tokens:,.0f} tokens, and one "
            f"reservation asks for {limit:,}: no sequence fits."
        )
    return (
        f"{left / GB:.1f} GB beside the weights, {given}: {room.held.size:,} sequences at once; "
        f"{100 * room.held_tokens / room.tokens:.1f} % of this room holds tokens, "
        f"{100 * room.empty_tokens / room.tokens:.1f} % is given away and empty."
    )
