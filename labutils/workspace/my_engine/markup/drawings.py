"""Two pictures as SVG. Places are shares of the width, letters keep their size: a phone reads them.

Colours are the style sheet's, so that they suit a light page, a dark one and paper.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from html import escape

_BAR, _STEP = 46, 19  # heights in pixels
_LEFT, _RIGHT = 6.0, 94.0  # where a line of tokens begins and ends, in percent
_MARKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)


@dataclass(frozen=True)
class Bar:
    """Seconds of one contender; from ``low_s`` to ``high_s`` went most of its rounds, if known."""

    shade: str
    label: str
    seconds: float
    low_s: float | None = None
    high_s: float | None = None


@dataclass(frozen=True)
class PackedStep:
    """The line of one step: rows of (request, new tokens, whether a token follows), in order.

    ``preempted`` are the requests that lost their memory before it.
    """

    rows: tuple[tuple[Hashable, int, bool], ...]
    preempted: tuple[Hashable, ...]


def ruler(bars: Sequence[Bar], clock: str) -> str:
    """All bars on one ruler, that of ``clock``."""
    widest = max(bar.high_s or bar.seconds for bar in bars)
    drawn = "".join(_bar(row, bar, widest) for row, bar in enumerate(bars))
    said = ", ".join(f"{bar.label} {bar.seconds:.3g} s" for bar in bars)
    height = _BAR * len(bars)
    return _svg(
        height + 22, f"Bars on one ruler of {clock}: {said}.", _axis(widest, height) + drawn
    )


def _bar(row: int, bar: Bar, widest: float) -> str:
    """A label above a bar, and a thin line over its end."""
    top = row * _BAR
    drawn = (
        f'<text x="0" y="{top + 15}">{escape(bar.label)}: {bar.seconds:.3g} s</text>'
        f'<rect class="{bar.shade}" x="0" y="{top + 21}" width="{_of(bar.seconds, widest)}" '
        'height="16"/>'
    )
    if bar.low_s is None:
        return drawn
    low, high = _of(bar.low_s, widest), _of(bar.high_s, widest)
    return drawn + f'<line class="rounds" x1="{low}" x2="{high}" y1="{top + 29}" y2="{top + 29}"/>'


def _axis(widest: float, y: int) -> str:
    """Marks at round numbers, five at most."""
    apart = next((one for one in _MARKS if widest / one < 6), widest)
    marks = [apart * n for n in range(int(widest / apart) + 1)]
    lines = "".join(
        f'<line class="axis" x1="{_of(s, widest)}" x2="{_of(s, widest)}" y1="0" y2="{y + 3}"/>'
        for s in marks
    )
    texts = "".join(
        f'<text class="axis" x="{_of(s, widest)}" y="{y + 18}" '
        f'text-anchor="{_anchor(s, widest)}">{s:g}{" s" * (s == marks[-1])}</text>'
        for s in marks
    )
    return lines + texts


def _anchor(at: float, widest: float) -> str:
    return "start" if at == 0 else "end" if at > 0.95 * widest else "middle"


def _of(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f}%"


def packed(steps: Sequence[PackedStep]) -> str:
    """Each step as a line of boxes, as wide as they have tokens; who was preempted at the right."""
    longest = max(sum(new for _, new, _ in step.rows) for step in steps)
    lines = "".join(_line(number, step, longest) for number, step in enumerate(steps))
    alt = (
        f"{len(steps)} lines of boxes, one for each step, of at most {longest} tokens. Decodes, "
        "one token wide, stand first; chunks of prompts, several wide, behind. Names at the right "
        "were preempted, and come again as a chunk."
    )
    return _svg(_STEP * len(steps) + 2, alt, lines)


def _line(number: int, step: PackedStep, longest: int) -> str:
    top, token, place = number * _STEP, (_RIGHT - _LEFT) / longest, _LEFT
    drawn = [f'<text class="axis" x="0" y="{top + 14}">{number + 1}</text>']
    for name, new, yields in step.rows:
        kind, wide = "decode" if new == 1 and yields else "prefill", new * token
        drawn.append(
            f'<rect class="{kind}" x="{place:.2f}%" y="{top + 1}" width="{wide:.2f}%" '
            f'height="{_STEP - 2}"/>'
            f'<text class="on" x="{place + token / 2:.2f}%" y="{top + 14}" '
            f'text-anchor="middle">{escape(str(name))}</text>'
        )
        if yields and kind == "prefill":
            dot = f'cx="{place + wide - token / 2:.2f}%" cy="{top + _STEP / 2}"'
            drawn.append(f'<circle class="dot" {dot} r="2.5"/>')
        place += wide
    lost = escape(" ".join(map(str, step.preempted)))
    drawn.append(f'<text class="lost" x="100%" y="{top + 14}" text-anchor="end">{lost}</text>')
    return "".join(drawn)


def _svg(height: int, alt: str, inside: str) -> str:
    return f'<svg role="img" aria-label="{escape(alt)}" height="{height}">{inside}</svg>'
