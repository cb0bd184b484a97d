"""Class files, brought together: damaged, doubled and older ones included.

Every line carries its learner, its place and the length of its export, so a line needs no other
to be understood: neither the order of files nor that of lines matters, a file read twice counts
once, and many files in one are as good as many files. Progress only grows, so of two exports of
one learner the longer is the later, and it alone counts.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from labutils.classroom.handed_in import read_files
from labutils.classroom.line import Line, read


@dataclass(frozen=True)
class Gathered:
    """The learners of a class: for each token the lines of the latest export, in order.

    ``num_damaged`` counts texts that are no lines (each once), ``num_lost`` the lines that the
    exports announce and that did not arrive, ``num_superseded`` the lines of earlier exports.
    ``num_files`` were read; ``remarks`` name those that were left out, hold several learners, or
    hold a learner whom another one holds too.
    """

    learners: tuple[tuple[Line, ...], ...]
    num_damaged: int = 0
    num_lost: int = 0
    num_superseded: int = 0
    num_files: int = 0
    remarks: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of all learners."""
        return tuple(line for learner in self.learners for line in learner)

    def text(self) -> str:
        """The lines that count, as one file that can be gathered again."""
        return "".join(f"{line.text()}\n" for line in self.lines)


def gather(paths: Iterable[Path]) -> Gathered:
    """The class in these files; a folder stands for the files in it.

    Raises ``OSError`` for a file that is missing or may not be read.
    """
    handed_in = read_files(paths)
    return replace(
        _gathered(handed_in.lines), num_files=handed_in.num_files, remarks=handed_in.remarks
    )


def gather_texts(texts: Iterable[str]) -> Gathered:
    """The class in these lines of text, in whatever order and however often they come."""
    return _gathered({text: read(text) for text in texts})


def _gathered(found: Mapping[str, Line | None]) -> Gathered:
    whole = {line for line in found.values() if line is not None}
    by_learner: dict[str, list[Line]] = defaultdict(list)
    for line in whole:
        by_learner[line.learner].append(line)
    learners = tuple(_latest(by_learner[token]) for token in sorted(by_learner))
    kept = sum(map(len, learners))
    return Gathered(
        learners=learners,
        num_damaged=sum(line is None for line in found.values()),
        num_lost=sum(lines[0].of - len(lines) for lines in learners),
        num_superseded=len(whole) - kept,
    )


def _latest(lines: list[Line]) -> tuple[Line, ...]:
    """The lines of the longest export; of two that claim one place, the first by its text."""
    length = max(line.of for line in lines)
    places: dict[int, Line] = {}
    for line in sorted((line for line in lines if line.of == length), key=Line.text):
        places.setdefault(line.n, line)
    return tuple(places[n] for n in sorted(places))
