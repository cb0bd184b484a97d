"""Tell a learner's work in a notebook from what running it leaves behind."""

import hashlib
import json


def fingerprint(raw: bytes) -> str:
    """Hash of exactly these bytes."""
    return hashlib.sha256(raw).hexdigest()


def work_of(raw: bytes) -> str | None:
    """Hash of what a person writes in a notebook: cell kinds, sources, attachments, in order.

    Outputs, execution counts, metadata and empty cells do not count, so a notebook that was only
    run has the same work as before. ``None`` when ``raw`` cannot be read as a notebook.
    """
    try:
        cells = [_written(cell) for cell in json.loads(raw)["cells"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    kept = [cell for cell in cells if cell[1].strip() or cell[2]]
    return fingerprint(json.dumps(kept, sort_keys=True).encode())


def _written(cell: dict) -> tuple[str, str, dict]:
    source = cell["source"]
    text = source if isinstance(source, str) else "".join(source)
    return cell["cell_type"], text, cell.get("attachments") or {}
