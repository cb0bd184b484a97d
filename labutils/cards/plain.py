"""Cells of a card as plain text: formulas in one line, marks left out."""

import re

_SIGNS = {
    "lambda": "λ", "mu": "µ", "rho": "ρ", "alpha": "α", "beta": "β", "gamma": "γ", "cdot": "·",
    "ln": "ln", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "max": "max",
    "approx": "≈", "le": "≤", "quad": " ",
}  # fmt: skip
_GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_FORMULA = re.compile(r"(?<!\\)\$(.+?)(?<!\\)\$")


def plain(text: str) -> str:
    """``text`` for a terminal."""
    text = _FORMULA.sub(lambda found: _in_one_line(found[1]), text)
    return re.sub(r"\*|`|\\(?=\$)", "", text)


def _in_one_line(latex: str) -> str:
    latex = re.sub(rf"\\frac{_GROUP}{_GROUP}", r"(\1) / (\2)", latex)
    latex = re.sub(rf"\\sqrt{_GROUP}", r"√(\1)", latex)
    latex = re.sub(r"\\text\{([^{}]*)\}", r"\1", latex)
    latex = re.sub(r"\\([a-z]+)", lambda found: _SIGNS[found[1]], latex)
    latex = re.sub(r"\^\{([^{}]*)\}", r"^(\1)", latex).replace(r"\,", " ")
    return re.sub(r" +", " ", re.sub(r"[{}]", "", latex))
