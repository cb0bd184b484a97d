"""A dashboard of a queue: one panel does not agree with rate × time."""

from labutils.drills.definition.writing import Draw, Drill, choice, piece, quantity, template

_NAMES = {
    "rate": ("Requests a second, in and out", "req/s"),
    "wait": ("Wait before service, mean", "s"),
    "service": ("Time in service, mean", "s"),
    "waiting": ("Waiting, mean number", "req"),
    "serving": ("In service, mean number", "req"),
    "inside": ("In flight, mean number", "req"),
}
# Panels that agree with each other -> how, in words.
_AGREE = (
    ({"rate", "wait", "waiting"}, "rate × wait against the number waiting"),
    ({"rate", "service", "serving"}, "rate × time in service against the number in service"),
    ({"waiting", "serving", "inside"}, "waiting + in service against in flight"),
    ({"rate", "wait", "service", "inside"}, "rate × (wait + time in service) against in flight"),
)
_DIGITS = {"wait": 2, "service": 2, "waiting": 3, "serving": 3, "inside": 4}  # as the true ones
_FORMULAS = {
    "wait": "Wait = waiting ÷ rate",
    "service": "Time in service = in service ÷ rate",
    "waiting": "Waiting = rate × wait",
    "serving": "In service = rate × time in service",
    "inside": "In flight = waiting + in service",
}


@template("B01 L11 A19 B08", level=3, decision="limit", form="dashboard", minutes=4, rough=False)
def board_flow(draw: Draw) -> Drill:
    """The lying panel: Little's law, part by part."""
    true = _consistent(draw)
    liar = draw.one_of(list(_FORMULAS))
    factor = draw.one_of((0.4, 0.5, 0.6, 1.6, 1.8, 2.5))
    shown = {**true, liar: float(f"{true[liar] * factor:.{_DIGITS[liar]}g}")}
    unit = _NAMES[liar][1]
    texts = {key: _panel(key, value) for key, value in shown.items()}
    wrong = {texts[key]: _fits(key, liar) for key in _NAMES if key != liar}
    place = draw.one_of(("the reranker", "an embedding service", "a speech service"))
    hint = (
        f"{_FORMULAS[liar]}, with the figures on the board."
        if liar != "inside"
        else "Check the two parts first; then add them up."
    )
    compared = "\n".join(f". Compare {how}." for keys, how in _AGREE if liar in keys)
    return draw.drill(f"""
    The board of {place}, averages over the same steady hour; nobody is turned away and nobody gives
    up. Six panels, and one of them cannot be true beside the other five.
    ? What should that panel read?
    = {true[liar]} {unit} tolerance=0.03
    - as-shown {shown[liar]}: That is what it reads. With which others does it agree?
    {_other_part(liar, true)}
    ? Which panel is it?
    {choice(texts[liar], wrong)}
    > Three panels of numbers, two of times, one of a rate: which belong together?
    > Number = rate × time, for those waiting, for those in service, and for all.
    > {hint}
    {piece(compared)}
    . These comparisons fail, all others hold: “{texts[liar]}” is wrong.
    * reading {true[liar]} {unit}: {_FORMULAS[liar]}: {_sum(liar, true)} =
      {quantity(true[liar], unit)}
    ~ Two ways lead to it from the five other panels, and they agree.

    Little's law holds for each part of a system with a boundary of its own: a board that shows
    rate, times and numbers checks itself. Causes of such a lie: another window, a gauge sampled at
    the scrape, one replica of two.
    """)


def _consistent(draw: Draw) -> dict[str, float]:
    """Rounded figures that agree within half a per cent."""
    rate, wait, service = draw.number(20, 400), draw.number(0.08, 1.5), draw.number(0.05, 0.9)
    draw.require(max(wait / service, service / wait) > 1.25)
    waiting, serving = float(f"{rate * wait:.3g}"), float(f"{rate * service:.3g}")
    draw.require(min(waiting, serving) >= 4)
    inside = float(f"{waiting + serving:.4g}")
    values = (rate, wait, service, waiting, serving, inside)
    return dict(zip(_NAMES, values))


def _panel(key: str, value: float) -> str:
    name, unit = _NAMES[key]
    return f"{name}: {quantity(value, unit if unit != 'req' else '1')}"


def _fits(key: str, liar: str) -> str:
    how = next(words for keys, words in _AGREE if key in keys and liar not in keys)
    name = _NAMES[key][0]
    return f"Compare {how}: they agree, and “{name}” is one of them."


def _other_part(liar: str, true: dict[str, float]) -> str:
    whole = true["inside"] / true["rate"]
    values = {
        "wait": (whole, "That is wait and service together. Which of them does the panel name?"),
        "service": (whole, "That is wait and service together. Which does the panel name?"),
        "waiting": (true["inside"], "Those are all in flight. Are some of them in service?"),
        "serving": (true["inside"], "Those are all in flight. Do some of them still wait?"),
        "inside": (true["serving"], "Those are in service. Who else is in flight?"),
    }
    value, message = values[liar]
    return f"- another-part {value}: {message}"


def _sum(liar: str, true: dict[str, float]) -> str:
    rate = quantity(true["rate"], "req/s")
    return {
        "wait": f"{quantity(true['waiting'], 'req')} ÷ {rate}",
        "service": f"{quantity(true['serving'], 'req')} ÷ {rate}",
        "waiting": f"{rate} × {quantity(true['wait'], 's')}",
        "serving": f"{rate} × {quantity(true['service'], 's')}",
        "inside": f"{quantity(true['waiting'], 'req')} + {quantity(true['serving'], 'req')}",
    }[liar]
