r"""What a server shows under ``/metrics``: the text format of Prometheus, read line by line.

Source: "Exposition formats" in the documentation of Prometheus, text format 0.0.4. Lines end with
``\n`` alone, blanks are spaces and tabs, the value of a label escapes ``\``, ``"`` and the line
feed. Names in quotation marks, which newer servers send to whom asks for them, are not read.
"""

import re
from dataclasses import dataclass, field

_BLANKS = " \t"
_PARTS = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("", "_sum", "_count")}
_KINDS = ("counter", "gauge", "untyped", *_PARTS)

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(
    r'[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:[^"\\]|\\[\\"n])*)"[ \t]*(?:,|(?=\}))'
)
_END_OF_LABELS = re.compile(r"[ \t]*\}")
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|Inf|NaN)", re.ASCII)
_MILLISECONDS = re.compile(r"[+-]?\d+", re.ASCII)
_ESCAPED = {r"\\": "\\", r"\n": "\n", r"\"": '"'}


@dataclass(frozen=True)
class Series:
    """What is counted or measured: a metric's name and its labels as sorted (name, value) pairs."""

    name: str
    labels: tuple[tuple[str, str], ...] = ()

    def label(self, name: str) -> str:
        """The value of a label; "" where there is none, as in Prometheus."""
        return dict(self.labels).get(name, "")


@dataclass(frozen=True)
class Sample:
    """A line: a series and its value; ``time_s`` (seconds since 1970) only if the line says it."""

    series: Series
    value: float
    time_s: float | None = None


@dataclass
class Family:
    """The samples under one ``# TYPE`` line: of a histogram its buckets, its sum, its count.

    ``kind`` is None where no such line says it.
    """

    name: str
    kind: str | None = None
    help: str = ""
    samples: list[Sample] = field(default_factory=list)


def read_exposition(text: str) -> dict[str, Family]:
    """The families of a scrape by name.

    Raises ``ValueError`` with the number of the line for one that is malformed, for a series that
    comes twice, and for a type that comes twice or after its samples; also for a last line without
    its line feed, since half of ``1234`` would be a number too.
    """
    *lines, rest = text.split("\n")
    families: dict[str, Family] = {}
    seen: set[Series] = set()
    for number, line in enumerate([*lines, rest], start=1):
        try:
            if number > len(lines) and rest:
                raise ValueError("expected a line feed at its end")
            _read_line(line.lstrip(_BLANKS), families, seen)
        except ValueError as error:
            raise ValueError(f"text, line {number} = {line!r}: {error}") from None
    return families


def read_sample(line: str) -> Sample:
    r"""One line: a series, its value, perhaps whole milliseconds since 1970; else ``ValueError``.

    >>> read_sample(r'asked_total{path="C:\\new",code="200"} 1027 1395066363500').time_s
    1395066363.5
    """
    name = _NAME.match(line)
    if not name:
        raise ValueError("expected a metric's name, a comment or nothing")
    labels, rest = _labels_and_rest(line[name.end() :].lstrip(_BLANKS))
    value, *when = rest.replace("\t", " ").split(" ") if rest else [""]
    when = [word for word in when if word]
    if not _NUMBER.fullmatch(value):
        raise ValueError("expected a number after name and labels, such as 1.5e3, +Inf or NaN")
    if len(when) > 1 or (when and not _MILLISECONDS.fullmatch(when[0])):
        raise ValueError("expected nothing after the value but whole milliseconds")
    time_s = int(when[0]) / 1000 if when else None
    return Sample(Series(name.group(), tuple(sorted(labels.items()))), float(value), time_s)


def _labels_and_rest(text: str) -> tuple[dict[str, str], str]:
    """The labels in braces at the start of ``text``, if there are any, and what follows."""
    labels: dict[str, str] = {}
    if not text.startswith("{"):
        return labels, text
    at = 1
    while found := _LABEL.match(text, at):
        name, value = found.groups()
        if name in labels:
            raise ValueError(f"expected the label {name} once")
        labels[name] = _unescaped(value, r"\\[\\\"n]")
        at = found.end()
    end = _END_OF_LABELS.match(text, at)
    if not end:
        raise ValueError(r'expected labels such as {code="200",path="a\"b"}')
    return labels, text[end.end() :].lstrip(_BLANKS)


def _read_line(line: str, families: dict[str, Family], seen: set[Series]) -> None:
    if line.startswith("#"):
        _read_comment(line, families)
    elif line:
        sample = read_sample(line)
        if sample.series in seen:
            raise ValueError("expected each series once")
        seen.add(sample.series)
        _family_of(sample.series.name, families).samples.append(sample)


def _read_comment(line: str, families: dict[str, Family]) -> None:
    words = re.split(r"[ \t]+", line[1:].lstrip(_BLANKS), maxsplit=2)
    if words[0] not in ("HELP", "TYPE"):
        return
    word, name, said = (*words, "", "")[:3]
    if not _NAME.fullmatch(name):
        raise ValueError(f"expected a metric's name after {word}")
    family = families.setdefault(name, Family(name))
    if word == "HELP":
        family.help = _unescaped(said, r"\\[\\n]")
    elif said.rstrip(_BLANKS) not in _KINDS:
        raise ValueError(f"expected one of {', '.join(_KINDS)}")
    elif family.kind or family.samples:
        raise ValueError(f"expected one TYPE of {name}, before its samples")
    else:
        family.kind = said.rstrip(_BLANKS)


def _family_of(name: str, families: dict[str, Family]) -> Family:
    """The histogram or summary to which a series belongs, or the family of its own name."""
    for kind, endings in _PARTS.items():
        for ending in endings:
            family = families.get(name.removesuffix(ending))
            if family and name.endswith(ending) and family.kind == kind:
                return family
    return families.setdefault(name, Family(name))


def _unescaped(text: str, escapes: str) -> str:
    return re.sub(escapes, lambda found: _ESCAPED[found.group()], text)
