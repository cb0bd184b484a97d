"""Which units are understood, how people spell them, and which measure the same quantity.

pint does the dimensional analysis with a registry of its own: the usual one reads "2k" as
Boltzmann's constant and "5m" as metres. pint sees only names from the table below, never a
learner's text, and is imported on first use.
"""

import re
from fractions import Fraction
from functools import cache, lru_cache

_SI = {"k": "kilo", "K": "kilo", "M": "mega", "G": "giga", "T": "tera", "P": "peta"}
_BINARY = {"Ki": "kibi", "Mi": "mebi", "Gi": "gibi", "Ti": "tebi"}
_SMALL = {"": "", "m": "milli", "u": "micro", "n": "nano"}
_DEFINITIONS = (
    "nano- = 1e-9", "micro- = 1e-6", "milli- = 1e-3", "kilo- = 1e3", "mega- = 1e6", "giga- = 1e9",
    "tera- = 1e12", "peta- = 1e15",
    "kibi- = 2**10", "mebi- = 2**20", "gibi- = 2**30", "tebi- = 2**40",
    "second = [time]", "minute = 60 * second", "hour = 3600 * second", "day = 86400 * second",
    "byte = [data]", "bit = 0.125 * byte", "request = [request]", "token = [token]",
    "flop = [work]", "dollar = [money]", "percent = 0.01",
)  # fmt: skip
COUNTS = ("[request]", "[token]")
# Things that people count and that have no dimension of their own here: "8 servers" is 8.
# A list, not a rule: "metres" and "megs" would pass for things as well.
_THINGS = (
    "server worker replica GPU customer job user sequence block page step batch item vector sample "
    "document image picture photo frame copy row record word character answer response prompt call "
    "message event task operation client session machine node core file layer parameter weight"
)

AMBIGUOUS = {
    **{f"{p}b": f"{p}b may be bytes or bits: write {p}B or {p}bit." for p in ("K", "M", "G", "T")},
    "b": "b may be bytes or bits: write B or bit.",
    "m": "m may be minutes or milliseconds: write min or ms.",
    "per": "Divide first, and give one number with its unit.",
    "flops": "flops may be work or a rate: write FLOP or FLOP/s.",
}


@lru_cache(maxsize=512)
def named(units: str) -> str:
    """Translate "req/s", "per second", "s^-1", "1/s" … to pint's names, "" to "".

    Raises ``KeyError`` with the part that is not understood.
    """
    units = re.sub(r"(?:^| )(?:per|an?) ", "/", units)
    if not units:
        return ""
    first, *rest = re.split(r"([/*])", "1" + units if units.startswith("/") else units)
    tail = (op + _term(term) for op, term in zip(rest[::2], rest[1::2]))
    return _term(first) + "".join(tail)


@lru_cache(maxsize=512)
def size(names: str) -> tuple[Fraction, dict[str, int]]:
    """Return a unit's exact size in root units (second, byte, request …) and its dimensions."""
    quantity = _registry().Quantity(1, names or "dimensionless").to_root_units()
    dimensions = {key: int(power) for key, power in quantity.dimensionality.items()}
    return Fraction(quantity.magnitude), dimensions


def agree(have: dict[str, int], wanted: dict[str, int]) -> bool:
    """Say whether two dimensions agree, where a bare count may stand for requests or tokens.

    So "550 req/s" and "550/s" both answer a question in 1/s, and "550/s" one in req/s; requests
    never stand for tokens, and what lies below the fraction line must be given in full.
    """
    if {k: v for k, v in have.items() if k not in COUNTS} != {
        k: v for k, v in wanted.items() if k not in COUNTS
    }:
        return False
    mine = {k: v for k, v in have.items() if k in COUNTS}
    theirs = {k: v for k, v in wanted.items() if k in COUNTS}
    bare = ({}, {"[request]": 1}, {"[token]": 1})
    return mine == theirs or ({} in (mine, theirs) and mine in bare and theirs in bare)


def takes_suffix(dimensions: dict[str, int]) -> bool:
    """Say whether "2k" alone can be meant: of a count, a rate, money, not of time or bytes."""
    return "[data]" not in dimensions and dimensions.get("[time]", 0) <= 0


def _term(term: str) -> str:
    """Translate one name with its power, if any: "s^-1" to "second**-1"."""
    match = re.fullmatch(r"([^^]+)(?:\^(-?[12]))?", term.strip())
    if not match:
        raise KeyError(term.strip())
    name, power = match.groups()
    return _name(name.strip()) + (f"**{power}" if power else "")


def _name(name: str) -> str:
    names = _names()
    if name in names:
        return names[name]
    if len(name) > 2 and name.lower() in names:
        return names[name.lower()]
    raise KeyError(name)


@cache
def _registry():
    from pint import UnitRegistry

    registry = UnitRegistry(None, non_int_type=Fraction)
    for definition in _DEFINITIONS:
        registry.define(definition)
    return registry


@cache
def _names() -> dict[str, str]:
    """Every spelling that is understood, with pint's name for it, in brackets where compound."""
    names = {"1": "dimensionless", "%": "percent", "percent": "percent", "Hz": "(1/second)"}
    names |= dict.fromkeys(("x", "×", "times"), "dimensionless")
    for thing in _THINGS.split():
        plural = _plural(thing)
        names |= dict.fromkeys((thing, plural, thing.lower(), plural.lower()), "dimensionless")
    for short, prefix in _SMALL.items():
        words = (f"{short}s", f"{short}sec", f"{short}secs", f"{prefix}second", f"{prefix}seconds")
        names |= dict.fromkeys(words, f"{prefix}second")
    for name, short in {"minute": "min mins", "hour": "h hr hrs", "day": "d"}.items():
        names |= dict.fromkeys((name, name + "s", *short.split()), name)
    for short, prefix in {"": "", **_SI, **_BINARY}.items():
        names |= _data_and_counts(short, prefix)
    names |= dict.fromkeys(("rps", "qps"), "(request/second)")
    names |= dict.fromkeys(("query", "queries"), "request")
    return names | dict.fromkeys(("$", "dollar", "dollars", "usd"), "dollar")


def _plural(thing: str) -> str:
    if thing.endswith("y"):
        return thing[:-1] + "ies"
    return thing + ("es" if thing.endswith("ch") else "s")


def _data_and_counts(short: str, prefix: str) -> dict[str, str]:
    byte, bit, flop = f"{prefix}byte", f"{prefix}bit", f"{prefix}flop"
    names = dict.fromkeys((f"{short}B", byte, byte + "s"), byte)
    names |= dict.fromkeys((f"{short}bit", f"{short}bits", bit, bit + "s"), bit)
    names |= {f"{short}bps": f"({bit}/second)", f"{short}FLOPS": f"({flop}/second)"}
    names |= dict.fromkeys((f"{short}FLOP", f"{short}FLOPs"), flop)
    for name, word in (("request", "req"), ("token", "tok")):
        names |= dict.fromkeys((short + word, short + name, short + name + "s"), prefix + name)
    return names | ({f"{short}b".lower(): byte} if short else {})  # "gb" means GB to everybody
