"""What is searched: passages of the course's own text, one a line in ``data/corpus.jsonl``.

``python -m labutils.authoring build`` cuts them (``labutils.authoring.pages.passages``); here they
are read, with the line named where a file was cut in the middle.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from labutils import datafile

CORPUS = "corpus.jsonl"


@dataclass(frozen=True)
class Passage:
    """A few sentences that belong together, where they stand, and the heading above them.

    ``id`` is made of source, heading and a number: it survives changes elsewhere in the corpus.
    """

    id: str
    source: str
    heading: str
    text: str

    @property
    def words(self) -> str:
        """Heading and text, which is what the indexes read."""
        return f"{self.heading}\n{self.text}"


def read_corpus(path: str | Path | None = None) -> tuple[Passage, ...]:
    """The passages of a file (default: those that the course ships), in its order.

    Raises ``ValueError`` that names file and line where a line is no passage or the file breaks
    off, and where two passages share an id.
    """
    path = datafile(CORPUS) if path is None else Path(path)
    lines = path.read_bytes().split(b"\n")
    if lines[-1]:
        raise ValueError(f"{path}, line {len(lines)}: cut in the middle, it has no line end")
    if len(lines) == 1:
        raise ValueError(f"{path}: expected passages, one a line; it is empty")
    passages = tuple(_passage(path, at, line) for at, line in enumerate(lines[:-1], start=1))
    seen: dict[str, int] = {}
    for at, passage in enumerate(passages, start=1):
        if seen.setdefault(passage.id, at) != at:
            raise ValueError(
                f"{path}, line {at}: id {passage.id!r} stands in line {seen[passage.id]}"
            )
    return passages


def corpus_text(passages: Iterable[Passage]) -> str:
    """The file's text: a JSON object a line, sorted by id."""
    rows = sorted(passages, key=lambda passage: passage.id)
    return "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows)


def _passage(path: Path, at: int, line: bytes) -> Passage:
    names = [field.name for field in fields(Passage)]
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:  # neither UTF-8 nor JSON, or nested too deep
        raise ValueError(f"{path}, line {at}: expected a passage as JSON ({error})") from None
    if not isinstance(row, dict) or sorted(row) != sorted(names):
        raise ValueError(f"{path}, line {at}: expected an object with {', '.join(names)}")
    if not all(isinstance(row[name], str) and row[name].strip() for name in names):
        raise ValueError(f"{path}, line {at}: expected text in each of {', '.join(names)}")
    return Passage(**row)
