"""Answers as people write them: letter and number in any order, nouns of the question, formulas.

``labutils.units`` reads a number with a unit, strictly. Here the question is known: "220 open
connections" counts what it asks for, "262 kB/token" answers it for one token, "$1.50" is meant
for a million tokens where dollars per million are asked, and "3:51" for minutes and seconds where
a time is. What ``labutils.units`` reads as it stands
is never touched.
"""

import re
from collections.abc import Iterator

from labutils.drills.judging.formulas_typed import worked_out
from labutils.units import UnreadableQuantity, WrongDimension, parse

LONGEST = 80  # characters
COUNTS = ("1", "req", "tok")
TIMES = ("s", "ms")
_ON_A_CLOCK = re.compile(
    r"(?:(?:≈|~|about|around|roughly) ?)?(?:(?P<h>[0-9]{1,3}):(?=[0-5][0-9]:))?"
    r"(?P<min>[0-9]{1,3}):(?P<s>[0-5][0-9](?:\.[0-9]+)?)"
    r"(?: ?(?:min|minutes|min:s|m:s|mm:ss|h:mm:ss|hh:mm:ss))?"
)
_HOURS_ON_A_CLOCK = re.compile(r"(?P<h>[0-9]{1,3}):(?P<min>[0-5][0-9]) ?(?:h|hours|h:min|hh:mm)")
_COUNTED = re.compile(r"(?P<amount>.*?[0-9.](?: ?[kKMB])?) (?P<nouns>[A-Za-z -]+)")
_COUNTED_A_SECOND = re.compile(
    r"(?P<amount>.*?[0-9.](?: ?[kM])?) (?P<nouns>[A-Za-z -]+?)(?: ?/ ?| per | an? )(?:s|sec|second)"
)
_PERCENTILE = re.compile(r"[pP] ?(?=[0-9])")
_NAMED = re.compile(r"[A-Za-z]\w{0,20} ?(?:=|:|≈|is) ?(?=[-+$0-9.(~≈])")
_RESTATED = re.compile(r"(.*[^\s(])\s*\(([^()]*[0-9][^()]*)\)")
_PER = re.compile(r"(?P<amount>.*[0-9].*?)(?: ?/ ?| per | an? | each )(?P<noun>[A-Za-z]+)")
_SHORT = {"tok": "token", "req": "request", "s": "second", "h": "hour", "d": "day"}
_RESPELLED = (
    (r"\bpct\b\.?", "%"),
    (r"^usd ?(?=[0-9.])", "$"),
    (r"\b(?:tps|t/s)$", "tok/s"),
    (r"\b(?:ops?|operations?|flops?) ?(?:/|per) ?(?:b|bytes?)$", "FLOP/B"),
    (r" ?(?:/|per) ?(?:1 ?)?(?:m|million)(?: (?:output )?tok(?:en)?s?)?$", "/Mtok"),
)
_LETTER = r"(?:option |choice |answer )?[\"'(]?([a-hA-H])[\"').]?"
_LETTER_ALONE = re.compile(rf"\s*{_LETTER}\s*")
_LETTER_FIRST = re.compile(rf"\s*{_LETTER}(?:\s*[,;:=]\s*|\s+)(?:and |with )?(\S.*)")
_LETTER_LAST = re.compile(rf"(.*[^\s,;])(\s*[,;]\s*|\s+)(?:and )?{_LETTER}\s*")


def letter(text: str) -> str | None:
    """The letter where ``text`` is one and nothing else: ``b``, ``(b)``, ``option b``, ``"b"``."""
    found = _LETTER_ALONE.fullmatch(text[: LONGEST + 1])
    return found and found[1].lower()


def letter_and_rest(text: str, unit: str) -> tuple[str, str] | None:
    """A letter and the number beside it, in either order; None where there are not both.

    A "d" or "h" behind a time, without a comma, is a unit.
    """
    if len(text) > LONGEST:
        return None
    if (found := _LETTER_FIRST.fullmatch(text)) and re.search("[0-9]", found[2]):
        return found[1].lower(), found[2]
    if (found := _LETTER_LAST.fullmatch(text)) and re.search("[0-9]", found[1]):
        is_unit = unit in ("s", "ms") and found[3] in "dh" and not found[2].strip()
        return None if is_unit else (found[3].lower(), found[1])
    return None


def on_a_clock(text: str) -> str | None:
    """ "3:51" as "3 min 51 s", "3:51:02" as "3 h 51 min 2 s", "3:51 h" as "3 h 51 min"."""
    found = _ON_A_CLOCK.fullmatch(text) or _HOURS_ON_A_CLOCK.fullmatch(text)
    if not found:
        return None
    told = {name: float(part or 0) for name, part in found.groupdict().items()}
    return " ".join(f"{value:g} {name}" for name, value in told.items() if value) or "0 s"


def clock_note(typed, read) -> str:
    """What to say where a clock's figures were ``typed`` and ``read`` as a time; else nothing."""
    is_clock = isinstance(typed, str) and re.search(r"[0-9]:[0-5][0-9]", typed) and typed != read
    return f"Your {typed.strip()} is read as {read}." if is_clock else ""


def readable(text: str, unit: str, question: str, story: str = "") -> str:
    """``text`` so that ``parse`` reads it in ``unit``, or as it is where that cannot be done.

    What is counted may be any noun of ``question`` or ``story``; "per token" may be said where
    ``question`` asks for one token, each, or so many per token.
    """
    if len(text) > LONGEST or _fits(text, unit):
        return text
    asked = question.lower(), set(re.findall(r"[a-z]+", f"{story} {question}".lower()))
    found = (one for form in _forms(text) for one in (form, *_for_the_question(form, unit, *asked)))
    return next((one for one in found if _fits(one, unit)), text)


def _forms(text: str) -> Iterator[str]:
    """The text without its wrapping, then with formulas worked out and other spellings.

    Behind "72.71*2 GB = 145 GB" stands what it comes to.
    """
    bare = text.strip().strip("\"'").strip()
    if bare.startswith("(") and bare.endswith(")") and bare.count("(") == 1:
        bare = bare[1:-1].strip()
    bare = re.sub(r"(?<=[A-Za-z%)])\.$", "", bare)
    bare = _NAMED.sub("", bare, count=1) if _NAMED.match(bare) else bare
    for form in (bare, _without_restating(bare), bare.rpartition("=")[2].strip()):
        for one in filter(None, (form, worked_out(form))):
            yield one
            respelled = one
            for pattern, spelling in _RESPELLED:
                respelled = re.sub(pattern, spelling, respelled, flags=re.I)
            yield respelled


def _without_restating(text: str) -> str:
    """Of what is said twice, as in "0.71 (71 %)", the first, if the two agree."""
    found = _RESTATED.fullmatch(text)
    if not found:
        return text
    for unit in ("1", "s", "B", "tok"):
        if _fits(found[1], unit) and _fits(found[2], unit):
            one, other = parse(found[1], unit), parse(found[2], unit)
            return found[1] if abs(one - other) <= 0.01 * abs(one) else text
    return text


def _for_the_question(text: str, unit: str, question: str, words: set[str]) -> Iterator[str]:
    """What the text means as an answer to this question."""
    if unit in TIMES and (said := on_a_clock(text)):
        yield said
    if unit in COUNTS:
        yield re.sub(r"(?<=[0-9]) ?B\b", " billion", text)
    if unit == "B":
        yield re.sub(r"(?<=[0-9]) ?([kKMGT])$", r" \1B", text)
    if unit == "%" and _PERCENTILE.match(text):
        yield _PERCENTILE.sub("", text, count=1)
    rate = _COUNTED_A_SECOND.fullmatch(text) if unit == "req/s" else None
    if rate and _are_asked(rate["nouns"], words):
        yield f"{rate['amount']}/s"
    if unit.startswith("$/") and _fits(text, "$"):
        yield f"{parse(text, '$')!r} {unit}"
    amount = text
    while found := _PER.fullmatch(amount):
        noun = _SHORT.get(found["noun"], found["noun"]).lower().removesuffix("s")
        if not re.search(rf"\b(?:an?|per|each|every|one|single) {noun}s?\b", question):
            break
        amount = found["amount"]
        yield amount
        if unit in COUNTS:
            yield re.sub(r"(?<=[0-9]) ?B\b", " billion", amount)
    found = _COUNTED.fullmatch(amount) if unit in COUNTS else None
    if found and _are_asked(found["nouns"], words):
        yield found["amount"]


def _are_asked(nouns: str, words: set[str]) -> bool:
    """Whether the question has all of these words."""
    return all(_is_asked(noun, words) for noun in re.findall("[A-Za-z]+", nouns))


def _is_asked(noun: str, words: set[str]) -> bool:
    """Whether the question has this word, as one or as many."""
    noun = noun.lower()
    forms = {noun, noun + "s", noun + "es", noun.removesuffix("s"), noun.removesuffix("es")}
    return len(noun) > 2 and bool(forms & words)


def _fits(text: str, unit: str) -> bool:
    try:
        parse(text, unit)
    except (UnreadableQuantity, WrongDimension):
        return False
    return True
