"""The formula that a card prints, evaluated with the numbers of its example, gives the example."""

import math
import re

import pytest

from labutils.cards import all_cards, card
from labutils.cards.plain import plain
from labutils.ground.units import format_quantity

CAPACITY, RATE = 550.0, 450.0
ONE = {"λ": RATE, "µ": CAPACITY, "c": 1, "ρ": RATE / CAPACITY, "S": 1 / CAPACITY}
MODEL = {"P": 8_030_261_248, "b": 2, "L": 32, "H": 32, "H_kv": 8, "d": 128, "kv": 131_072}
STEP = {**MODEL, "W": 2 * MODEL["P"], "BW": 3.35e12, "F": 989e12, "C": 1024}
TPOT_S = {1: 4.8337e-3, 32: 6.0764e-3}
PREFILL_S = 68.74e-3


def erlang_c(servers, load):
    full = load**servers / math.factorial(servers) * servers / (servers - load)
    return full / (sum(load**k / math.factorial(k) for k in range(servers)) + full)


# card -> start of a row -> examples: values of the letters, and how the results are printed
EXAMPLES = {
    "queues": {
        "Inside": [({"λ": 500, "W": 0.04}, ["req"])],
        "Utilization": [(ONE, ["1"])],
        "Time inside": [(ONE, ["s"])],
        "Quantile": [({"W": 0.01, "q": 0.99}, ["s"])],
        "Wait, M/M/c": [
            ({"λ": RATE, "c": 8, "µ": CAPACITY / 8, "C": erlang_c}, ["s"]),
            ({**ONE, "C": erlang_c}, ["s"]),
        ],
        "Wait, M/G/1": [({**ONE, "c_s": scv**0.5}, ["s"]) for scv in (4, 0)],
        "Above": [({"λ": 700, "µ": 550, "t": 600}, ["req"])],
    },
    "tails": {
        "Slow pages": [({"p": 0.01, "n": 100}, ["{:.0%}"])],
        "Leaf quantile": [({"q": 0.99, "n": 10}, ["{:.2%}"])],
        "Extra load": [({"q": 0.95}, ["{:.0%}"])],
        "Speed-up of the whole": [
            ({"f": 0.7, "s": times}, ["{:.2f}"]) for times in (2, 10, math.inf)
        ],
        "Batch throughput": [({"c_0": 4e-3, "c_1": 0.9e-3, "B": 16}, ["1/s", "1/s"])],
        "Tokens from": [({"α": 0.8, "k": 5}, ["{:.2f}"])],
        "Speed-up by": [
            ({"E": 3.68928, "k": 5, "r": 0.1}, ["{:.2f}"]),
            ({"E": 1.96875, "k": 5, "r": 0.3}, ["{:.2f}"]),
        ],
    },
    "tokens": {
        "Weights": [(MODEL, ["B"])],
        "KV cache": [(MODEL, ["B"])],
        "Sequences": [({**STEP, "M": 80e9, "u": 0.9, "o": 0, "C": 4096}, ["{:.0f} of"])],
        "Decode step": [({**STEP, "B": batch}, ["s"]) for batch in (1, 32)],
        "Tokens per second": [({"B": 32, "TPOT": TPOT_S[32]}, ["tok/s", "tok/s"])],
        "Prefill": [({**STEP, "n": 2048, "MFU": 0.5}, ["s"])],
        "Ridge": [(STEP, ["{:.0f} FLOP/B", "{:.0f} sequences"])],
        "Tokens at which": [(STEP, ["tok"])],
        "First token": [({"network": 0.02, "queue": 0.1, "prefill": PREFILL_S}, ["s"])],
        "A streamed": [({"TTFT": 0.5, "n": 500, "TPOT": 0.03}, ["s"])],
        "Price": [({"n": 1, "price": 2.5, "tok/s": 32 / TPOT_S[32], "u": 1}, ["${:.2f}."])],
    },
}
TWO = {"λ": 10, "E[S^2]": 0.9 * 0.02**2 + 0.1 * 0.4**2, "ρ": 0.58, "ρ_s": 0, "ρ_x": 0.18, "x": 0.02}
LONG = {**TWO, "ρ_s": 0.18, "ρ_x": 0.58, "x": 0.4}
MACHINES = {"α": 0.04, "β": 0.0006, "√": math.sqrt}
EXAMPLES["orders"] = {
    "Stay": [(TWO, ["s"]), (LONG, ["s"])],
    "The same, server": [(TWO, ["s"]), (LONG, ["s"])],
    "The same, shortest job": [(TWO, ["s"]), (LONG, ["s"])],
    "$N$ machines": [({**MACHINES, "N": n}, [f"{{:.1f}} with {n}"]) for n in (16, 32)],
    "Where": [(MACHINES, ["with {:.0f}"])],
}
EXAMPLES["watching"] = {
    "Quantile from": [({"a": 0.1, "b": 0.5, "A": 8, "B": 20, "qn": 20}, ["s"])],
    "Rate": [({"sum of the rises": 30 + 12 + 28, "time": 4}, ["1/s"])],
    "Late": [({"late": 10, "refused": 200, "all that asked": 1200}, ["{:.1%}"])],
    "Burn": [
        ({"bad share": bad, "objective": at}, ["{:.0f}"]) for bad, at in ((0.02, 0.999), (1, 0.95))
    ],
    "What a kept": [({"chance to be kept": 0.05}, ["count {:.0f} each"])],
}
EXAMPLES["replicas"] = {
    "Herd": [({"λ": 160, "age": 0.5}, ["{:.0f} requests go"])],
    "Twice": [({"P": 3000, "C": 2000, "n": 4}, ["carry {:.2f} times"])],
    "Bounded": [({"b": 1.25, "in flight": 61, "n": 4}, ["whoever has {}"])],
    "Replicas by": [
        ({"n": 6, "measured": 34, "target": 24}, ["24: {}."]),
        ({"n": 6, "measured": 97, "target": 70}, ["): {}, then"]),
        ({"n": 9, "measured": 97, "target": 70}, ["then {},"]),
    ],
    "Headroom": [({"climb": 1 / 6, "start": 240, "one replica": 5}, ["{} stand"])],
    "Burst": [({"λ": 60, "µ": 40, "t": 120}, ["req"])],
    "Retries": [({"r_1": 2, "r_2": 2, "r_3": 2}, ["{} attempts"])],
    "Looks": [({"α": 0.05, "k": 24}, ["{:.0%} of"])],
}

FUNCTIONS = {"ln": math.log, "max": max, "floor": math.floor, "ceil": math.ceil}


def values(formula: str, names: dict) -> list[float]:
    """What stands on the right of a printed formula: one value, or those of several parts."""
    text = re.split("[=≈]", formula)[-1].replace("⌊", "floor(").replace("⌋", ")")
    text = text.replace("⌈", "ceil(").replace("⌉", ")")
    known = {**FUNCTIONS, **names}
    words = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    python, before, space = "", "", {}
    for token in re.findall(rf"{words}|[\d.]+|[-+/·^(),<]|\S+", text):
        if token in known:
            space[f"x{len(space)}"], shown = known[token], f"x{len(space)}"
        else:
            shown = {"·": "*", "^": "**", "<": ","}.get(token, token)
        ends = before == ")" or re.match(r"[\d.]", before) or before in known
        calls = token == "(" and callable(known.get(before))
        begins = token == "(" or token in known or token[0].isdigit()
        python += ("*" if ends and begins and not calls else "") + shown
        before = token
    found = eval(python, {"__builtins__": {}}, space)
    return list(found) if isinstance(found, tuple) else [found]


def printed(value: float, how: str) -> str:
    shown = how.format(value) if "{" in how else format_quantity(value, how)
    return shown.replace("%", " %") if "{" in how else shown


CASES = [
    pytest.param(card_id, row, *example, id=f"{card_id}-{row}-{at}")
    for card_id, rows in EXAMPLES.items()
    for row, examples in rows.items()
    for at, example in enumerate(examples)
]


@pytest.mark.parametrize(("card_id", "row", "names", "formats"), CASES)
def test_the_printed_formula_gives_the_printed_example(card_id, row, names, formats):
    ((_, formula, example),) = [r for r in card(card_id).rows if r[0].startswith(row)]
    found = values(plain(formula), names)
    for value, how in zip(found, formats, strict=True):
        assert printed(value, how) in plain(example), (plain(formula), value)


def test_kingmans_formula_is_that_of_poisson_arrivals_where_gaps_vary_as_theirs_do():
    formulas = {row[0][:11]: plain(row[1]) for row in card("queues").rows}
    for scv in (0.5, 4):
        names = {**ONE, "c_a": 1, "c_s": scv**0.5}
        assert values(formulas["Wait, G/G/1"], names) == pytest.approx(
            values(formulas["Wait, M/G/1"], names)
        )
    uneven = values(formulas["Wait, G/G/1"], {**ONE, "c_a": 3**0.5, "c_s": 1})
    assert uneven == pytest.approx([2 * RATE / CAPACITY / (CAPACITY - RATE)])


def test_every_formula_of_a_card_is_evaluated():
    for item in all_cards():
        if "formula" in item.header:
            rows = [row[0] for row in item.rows if "Kingman" not in row[0] and "$" in row[1]]
            starts = EXAMPLES.get(item.id, {})
            assert [row for row in rows if not row.startswith(tuple(starts))] == [], item.id
