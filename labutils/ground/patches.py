"""Patches: wrong answers as what they change in right code, each with what the learner hears.

A sheet of patches holds, for each, its name and message, which goes on in indented lines, and then
lines of code as in a diff: ``-`` goes out, ``+`` comes in, ``=`` stays and says where. Whole lines
match in any indentation that they share; one that is no whole line is a passage within a line.
``- ...`` takes out what follows in the same block. A line that begins with ``#`` is a comment.

>>> (patch,) = patches('''
... to-the-back: A preempted request goes to the end of the queue,
...     and is overtaken.
... = self.running.remove(newest)
... - self.wait(newest, first=True)
... + self.wait(newest)
... ''')
>>> patch.name, patch.message
('to-the-back', 'A preempted request goes to the end of the queue, and is overtaken.')
"""

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from textwrap import dedent

from labutils.ground.sheets import SheetError

_HEAD = re.compile(r"(?P<name>[^:]+): (?P<message>\S.*)")
_ORDER = "=-+"
_REST = "..."


@dataclass(frozen=True)
class Change:
    """Neighbouring lines ``old`` that become ``new``; ``line`` counts those of the sheet."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    line: int

    def made_in(self, texts: Mapping[str, str]) -> dict[str, str]:
        """``texts`` with the change. ``SheetError`` unless ``old`` stands once in all of them."""
        split = {key: text.split("\n") for key, text in texts.items()}
        found = [(key, *at) for key, lines in split.items() for at in self._whole(lines)]
        if not found and len(self.old) == 1:
            found = [(key, *at) for key, lines in split.items() for at in self._within(lines)]
        if len(found) != 1:
            old = "\n".join(self.old)
            raise SheetError(
                f"line {self.line} of the sheet, {old!r}: expected once in {', '.join(texts)}, "
                f"not {len(found)} times"
            )
        ((key, first, end, new),) = found
        split[key][first:end] = new
        return {**texts, key: "\n".join(split[key])}

    def _whole(self, lines: list[str]) -> Iterator[tuple[int, int, list[str]]]:
        """Where ``old`` begins and ends as whole lines, and what comes into their place."""
        old = self.old[: -1 if self.old[-1].strip() == _REST else None]
        for first, line in enumerate(lines):
            indent = line[: -len(old[0])]
            wanted = _indented(old, indent)
            if not indent.strip() and lines[first : first + len(wanted)] == wanted:
                end = first + len(wanted)
                if old != self.old:
                    end = _end_of_block(lines, end)
                yield first, end, _indented(self.new, indent)

    def _within(self, lines: list[str]) -> Iterator[tuple[int, int, list[str]]]:
        """The same where ``old`` is a part of a line."""
        (old,) = self.old
        for number, line in enumerate(lines):
            indent = _indent(line)
            for found in re.finditer(re.escape(old), line):
                new = "\n".join(_indented(self.new, indent))[len(indent) :]
                text = line[: found.start()] + new + line[found.end() :]
                yield number, number + 1, text.split("\n")


@dataclass(frozen=True)
class Patch:
    """A mistake by its name, its message and what it changes; ``line`` is that of its name."""

    name: str
    message: str
    changes: tuple[Change, ...]
    line: int

    def made_in(self, texts: Mapping[str, str]) -> dict[str, str]:
        """``texts``, by what they are the code of, with all changes. ``SheetError`` says which
        of them finds no place, or more than one."""
        made = dict(texts)
        for change in self.changes:
            try:
                made = change.made_in(made)
            except SheetError as error:
                raise SheetError(f"patch {self.name!r}, {error}") from None
        return made

    def of(self, right: type | Callable) -> type | Callable:
        """What becomes of a class or a function, executed among the names of its module."""
        name, source = right.__name__, dedent(inspect.getsource(right))
        names = dict(vars(sys.modules[right.__module__]))
        code = compile(self.made_in({name: source})[name], f"<{name}, {self.name}>", "exec")
        exec(code, names)
        return names[name]

    def wrong(self, right: type | Callable) -> Callable:
        """The same, but executed at the first call: most mistakes are never met."""

        @cache
        def made():
            return self.of(right)

        def answer(*args, **options):
            return made()(*args, **options)

        async def awaited(*args, **options):
            return await made()(*args, **options)

        answer = awaited if inspect.iscoroutinefunction(right) else answer
        vars(answer).update(made=made)  # a test makes them all
        return answer


def patches(sheet: str) -> list[Patch]:
    """The patches of a sheet in order. ``SheetError`` names the line that cannot be read."""
    found: list[Patch] = []
    for line, head, code in _blocks(sheet):
        named = _HEAD.fullmatch(" ".join(head.split()))
        if not named:
            raise SheetError(f"line {line} of the sheet, {head!r}: expected «name: message»")
        if not code:
            raise SheetError(f"line {line} of the sheet: expected a change below {named['name']!r}")
        if named["name"] in {patch.name for patch in found}:
            raise SheetError(f"line {line} of the sheet: {named['name']!r} is there already")
        found.append(Patch(named["name"], named["message"], tuple(_changes(code)), line))
    return found


_Code = list[tuple[int, str, str]]
"""Line, mark and code of each line with a mark."""


def _blocks(sheet: str) -> Iterator[tuple[int, str, _Code]]:
    """Line and text of each patch's head, and the code below it."""
    line, head = 0, ""
    code: _Code = []
    for number, text in enumerate(inspect.cleandoc(sheet).split("\n"), 1):
        if text.startswith("#"):
            continue
        if text[:1] and text[:1] in _ORDER and text[1:2] in ("", " ") and head:
            code.append((number, text[0], text[2:]))
        elif text.startswith("  ") and head and not code:
            head += " " + text
        elif text.strip():
            if head:
                yield line, head, code
            line, head, code = number, text, []
    if head:
        yield line, head, code


def _changes(code: _Code) -> Iterator[Change]:
    """A change ends where the order ``=``, ``-``, ``+`` begins anew."""
    begins = [0]
    for at in range(1, len(code)):
        if _ORDER.index(code[at][1]) < _ORDER.index(code[at - 1][1]):
            begins.append(at)
    for first, end in zip(begins, [*begins[1:], len(code)]):
        yield _change(code[first:end])


def _change(code: _Code) -> Change:
    texts = dedent("\n".join(text for _, _, text in code)).split("\n")
    old = tuple(text for text, (_, mark, _) in zip(texts, code) if mark != "+")
    new = tuple(text for text, (_, mark, _) in zip(texts, code) if mark != "-")
    if not old or not old[0].strip() or old == new:
        raise SheetError(f"line {code[0][0]} of the sheet: expected a line to change, with «- »")
    return Change(old, new, code[0][0])


def _end_of_block(lines: list[str], end: int) -> int:
    """Where the block of the line before ``end`` is over; empty lines behind it are not in it."""
    indent = _indent(lines[end - 1])
    inside = [end]
    for number, line in enumerate(lines[end:], end + 1):
        if line.strip() and len(_indent(line)) < len(indent):
            break
        if line.strip():
            inside.append(number)
    return inside[-1]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _indented(lines: tuple[str, ...], indent: str) -> list[str]:
    return [(indent + line).rstrip() for line in lines]
