"""One picture of how a language model writes: a prefill, then a loop of decode steps."""

from collections.abc import Sequence

from labutils.viz.labels import readable
from labutils.viz.style import color, new_figure

_PASS_TOP, _CACHE_TOP = 2.2, 0.75  # where the passes and the cache stand, in boxes


def generation(prompt: Sequence[str], answer: Sequence[str]):
    """Draw the passes that turn ``prompt`` into ``answer``, and the cache that they leave.

    Above, the tokens that go into each pass and the one that comes out; below, what the cache
    holds after it, one column for each token that passed through.
    """
    if not prompt or not answer:
        raise ValueError(f"prompt = {prompt!r}, answer = {answer!r}: expected tokens in both")
    passes = [list(prompt), *([token] for token in answer[:-1])]
    fig, ax = new_figure(
        title="One pass reads the whole prompt; each later pass reads one token, and the cache",
        width=9.4,
        height=3.9,
    )
    ax.grid(False)
    ax.set(xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(False)
    left, held = 0.0, 0
    for number, (tokens, drawn) in enumerate(zip(passes, answer)):
        width = max(1.5, 0.85 * len(tokens))
        held += len(tokens)
        _draw_pass(ax, left, width, tokens, drawn, is_prefill=number == 0)
        _draw_cache(ax, left, width, held)
        left += width + 0.45
    ax.set(xlim=(-0.1, left - 0.3), ylim=(-0.55, 4.1))
    return fig


def _draw_pass(ax, left: float, width: float, tokens, drawn: str, *, is_prefill: bool) -> None:
    """A pass as a box: tokens go in from above, one token comes out below."""
    role = "flops" if is_prefill else "weights"
    middle = left + width / 2
    _box(ax, left, _PASS_TOP, width, 0.75, role)
    name = "prefill" if is_prefill else "decode step"
    ax.text(middle, _PASS_TOP + 0.37, name, ha="center", va="center", color="white", fontsize=10.5)
    for place, token in enumerate(tokens):
        x = left + width * (place + 0.5) / len(tokens)
        ax.text(x, 3.75, token, ha="center", va="center", fontsize=10, color=color("ink"))
        _arrow(ax, (x, 3.55), (x, _PASS_TOP + 0.8))
    _arrow(ax, (middle, _PASS_TOP), (middle, 1.85))
    label = "first token" if is_prefill else "next token"
    ax.text(middle, 1.65, drawn, ha="center", va="center", fontsize=10, color=color("ink"))
    ax.text(middle, 1.3, label, ha="center", va="center", fontsize=9, color=readable(color(role)))


def _draw_cache(ax, left: float, width: float, held: int) -> None:
    """What the cache holds after the pass: as many columns as tokens went through."""
    column = min(0.17, width / (held + 1))
    for place in range(held):
        _box(ax, left + place * column, 0.15, 0.8 * column, _CACHE_TOP - 0.15, "kv")
    text = f"KV cache: {held} tokens"
    ax.text(left, -0.2, text, va="center", fontsize=9, color=readable(color("kv")))


def _box(ax, x: float, y: float, width: float, height: float, role: str) -> None:
    ax.bar(x, height, width, bottom=y, align="edge", color=readable(color(role)))


def _arrow(ax, start: tuple[float, float], end: tuple[float, float]) -> None:
    ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": color("ink")})
