"""Tell a learner's work in a notebook from what running it leaves behind."""

import hashlib
import json
from collections.abc import Iterable


def fingerprint(raw: bytes) -> str:
    """Hash of exactly these bytes."""
    return hashlib.sha256(raw).hexdigest()


def work_of(raw: bytes) -> str | None:
    """Hash of what a person writes in a notebook: cell kinds, sources, attachments, in order.

    Outputs, execution counts, metadata, empty cells and the kind of line ends do not count, so a
    notebook that was only run, or saved by another editor, has the same work as before. ``None``
    when ``raw`` cannot be read as a notebook.
    """
    try:
        cells = [_written(cell) for cell in json.loads(raw)["cells"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    kept = [cell for cell in cells if cell[1].strip() or cell[2]]
    return fingerprint(json.dumps(kept, sort_keys=True).encode())


def text_of(cell: dict) -> str:
    """A cell's source, which files keep as a text or as lines; line ends as the course's."""
    source = cell["source"]
    text = source if isinstance(source, str) else "".join(source)
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def cell_id(kind: str, source: str) -> str:
    """The id of a cell of the course, derived from its text: rebuilding changes no id."""
    return fingerprint(f"{kind}\0{source}".encode())[:10]


def cell_ids(cells: Iterable[dict]) -> set[str]:
    """The ids that the course gives to cells of these texts, whatever ids they bear."""
    return {cell_id(cell["cell_type"], text_of(cell)) for cell in cells}


def _written(cell: dict) -> tuple[str, str, dict]:
    if not isinstance(cell["cell_type"], str) or not isinstance(cell.get("metadata", {}), dict):
        raise TypeError("no cell of a notebook")
    return cell["cell_type"], text_of(cell), cell.get("attachments") or {}
