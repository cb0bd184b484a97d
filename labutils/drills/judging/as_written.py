"""Answers as people write them: letter and number in any order, nouns of the question, formulas.

``labutils.ground.units`` reads a number with a unit, strictly. Here the question is known: "220
open connections" counts what it asks for, "262 kB/token" answers it for one token, "$1.50" is meant
for a million tokens where dollars per million are asked, "3:51" and "3m 51s" for minutes and
seconds where a time is, "31 cents" for money. What ``labutils.ground.units`` reads as it stands is
never touched.
"""

import re
from collections.abc import Iterator

from labutils.drills.judging.formulas_typed import worked_out
from labutils.ground.units import UnreadableQuantity, WrongDimension, parse

LONGEST = 80  # characters
COUNTS = ("1", "req", "tok")
_MEASURED = ("token", "tok", "byte", "second", "dollar")  # units, whatever the question counts
TIMES = ("s", "ms")
_ABOUT = r"(?:(?:≈|~|about|around|roughly) ?)?"
_ON_A_CLOCK = re.compile(
    rf"{_ABOUT}(?:(?P<h>[0-9]{{1,3}}):(?=[0-5][0-9]:))?"
    r"(?P<min>[0-9]{1,3}):(?P<s>[0-5][0-9](?:\.[0-9]+)?)"
    r"(?: ?(?:min|minutes|min:s|m:s|mm:ss|h:mm:ss|hh:mm:ss))?"
)
_HOURS_ON_A_CLOCK = re.compile(r"(?P<h>[0-9]{1,3}):(?P<min>[0-5][0-9]) ?(?:h|hours|h:min|hh:mm)")
_M_IS_MINUTES = re.compile(
    _ABOUT + r"(?:(?P<h>[0-9]{1,3}) ?h ?(?P<hm>[0-9]{1,2}) ?m|(?P<min>[0-9]{1,4}) ?m)"
    r"(?: ?(?P<s>[0-9]{1,2}(?:\.[0-9]+)?) ?s)?"
)
_COUNTED = re.compile(r"(?P<amount>.*?[0-9.](?: ?[kKMB%])?) (?P<nouns>[A-Za-z -]+)")
_A_SECOND = re.compile(
    r"(?P<amount>.*?[0-9.](?: ?[kKM])?) (?P<nouns>[A-Za-z -]+?)"
    r"(?: ?/ ?| per | an? | each )(?:s|sec|second)"
)
_CENTS = re.compile(r"(?P<amount>[0-9][0-9,]*(?:\.[0-9]+)?) ?(?:cents?|¢)(?![A-Za-z])")
_PERCENTILE = re.compile(r"[pP] ?(?=[0-9])")
_NAMED = re.compile(r"[A-Za-z]\w{0,20} ?(?:=|:|≈|is) ?(?=[-+$0-9.(~≈])")
_RESTATED = re.compile(r"(.*[^\s(])\s*\(([^()]*[0-9][^()]*)\)")
_REMARKED = re.compile(r"(.*[^\s(])\s*\(([^()]*[^\W\d_][^()]*)\)")
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
_BEHIND_IT = r"(?:\s*[,;:=]\s*|\s+[-–—]\s+|\s+)(?:and |with )?"
_LETTER_FIRST = re.compile(rf"\s*{_LETTER}{_BEHIND_IT}(\S.*)")
_LETTER_LAST = re.compile(rf"(.*[^\s,;])(\s*[,;]\s*|\s+)(?:and )?{_LETTER}\s*")


def letter(text: str) -> str | None:
    """The letter where ``text`` is one and nothing else: ``b``, ``(b)``, ``option b``, ``"b"``."""
    found = _LETTER_ALONE.fullmatch(text[: LONGEST + 1])
    return found and found[1].lower()


def letter_and_rest(text: str, unit: str) -> tuple[str, str] | None:
    """A letter and the number beside it, in either order; None where there are not both.

    A "d" or "h" behind a bare number, without a comma, is a unit where a time is asked.
    """
    if len(text) > LONGEST:
        return None
    if (found := _LETTER_FIRST.fullmatch(text)) and re.search("[0-9]", found[2]):
        return found[1].lower(), found[2]
    if (found := _LETTER_LAST.fullmatch(text)) and re.search("[0-9]", found[1]):
        is_bare = not found[2].strip() and found[1][-1].isdigit()
        is_unit = unit in TIMES and found[3] in "dh" and is_bare
        return None if is_unit else (found[3].lower(), found[1])
    return None


def on_a_clock(text: str) -> str | None:
    """ "3:51" as "3 min 51 s", "3:51:02" as "3 h 51 min 2 s", "3:51 h" as "3 h 51 min"."""
    found = _ON_A_CLOCK.fullmatch(text) or _HOURS_ON_A_CLOCK.fullmatch(text)
    if not found:
        return None
    told = {name: float(part or 0) for name, part in found.groupdict().items()}
    return " ".join(f"{value:g} {name}" for name, value in told.items() if value) or "0 s"


def minutes_in_letters(text: str) -> str | None:
    """ "5m 53s" as "5 min 53 s", "2h 3m" as "2 h 3 min": beside an h or an s, m is minutes."""
    found = _M_IS_MINUTES.fullmatch(text)
    if not found or not (found["h"] or found["s"]):
        return None
    told = {"h": found["h"], "min": found["hm"] or found["min"], "s": found["s"]}
    return " ".join(f"{float(part):g} {name}" for name, part in told.items() if part)


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
    forms = (one for form in _forms(text) for one in (form, _without_remark(form, unit)))
    found = (one for form in forms for one in (form, *_for_the_question(form, unit, *asked)))
    return next((one for one in found if _fits(one, unit)), text)


def _forms(text: str) -> Iterator[str]:
    """The text without its wrapping, then with formulas worked out and other spellings.

    Behind "72.71*2 GB = 145 GB" stands what it comes to.
    """
    bare = text.strip().strip("\"'").strip()
    if bare.startswith("(") and bare.endswith(")") and bare.count("(") == 1:
        bare = bare[1:-1].strip()
    bare = re.sub(r"(?<=[A-Za-z%)])\.$", "", bare)
    bare = _CENTS.sub(lambda cents: f"${_in_dollars(cents['amount'])}", bare)
    bare = _NAMED.sub("", bare, count=1) if _NAMED.match(bare) else bare
    for form in (bare, _without_restating(bare), bare.rpartition("=")[2].strip()):
        for one in filter(None, (form, worked_out(form))):
            yield one
            respelled = one
            for pattern, spelling in _RESPELLED:
                respelled = re.sub(pattern, spelling, respelled, flags=re.I)
            yield respelled


def _in_dollars(cents: str) -> str:
    return f"{float(cents.replace(',', '')) / 100:.10g}"


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


def _without_remark(text: str, unit: str) -> str:
    """The text without a remark in brackets behind its unit, as in "4 s (M/G/1)".

    What may say how much, or of what, is no remark: "0.71 (72 %)", "40 (m)".
    """
    found = _REMARKED.fullmatch(text)
    if not found or _fits(found[2], unit) or _fits(f"1 {found[2]}", unit):
        return text
    return found[1] if unit in COUNTS or not found[1][-1].isdigit() else text


def _for_the_question(text: str, unit: str, question: str, words: set[str]) -> Iterator[str]:
    """What the text means as an answer to this question."""
    if unit in TIMES and (said := on_a_clock(text) or minutes_in_letters(text)):
        yield said
    if unit == "$" and text.endswith(" more"):
        yield text.removesuffix(" more")
    if unit == "req/s" and (rate := _A_SECOND.fullmatch(text)):
        nouns, asked = rate["nouns"].lower(), set(re.findall("[a-z]+", question))
        is_measured = {noun.rstrip("s") for noun in nouns.split()} & set(_MEASURED)
        if not is_measured and _are_asked(nouns, asked):
            yield f"{rate['amount']}/s"
    if unit in COUNTS:
        yield re.sub(r"(?<=[0-9]) ?B\b", " billion", text)
    if unit == "B":
        yield re.sub(r"(?<=[0-9]) ?([kKMGT])$", r" \1B", text)
    if unit == "%" and _PERCENTILE.match(text):
        yield _PERCENTILE.sub("", text, count=1)
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
    forms = {noun, noun + "s", noun + "es"}
    forms |= {noun.removesuffix(ending) for ending in ("s", "es", "ing")}
    return noun == "as" or (len(noun) > 2 and bool(forms & words))


def _fits(text: str, unit: str) -> bool:
    try:
        parse(text, unit)
    except (UnreadableQuantity, WrongDimension):
        return False
    return True
