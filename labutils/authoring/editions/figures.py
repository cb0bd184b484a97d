"""Figures that leave a chapter for the README: a code cell tagged ``figure:NAME``."""

import base64
import re
from collections.abc import Iterator

from nbformat import NotebookNode

from labutils.authoring.sources.source import FIGURE_TAG

FOLDER = "data/figures"
INLINE_PNG = re.compile(r'src="data:image/png;base64,([^"]+)"')


def tagged_figures(notebook: NotebookNode) -> Iterator[tuple[str, bytes]]:
    """Path and PNG of each figure that an executed notebook marks for export.

    Raises ``ValueError`` when a marked cell shows no picture.
    """
    for number, cell in enumerate(notebook.cells, start=1):
        for tag in cell.metadata.get("tags", ()):
            if tag.startswith(FIGURE_TAG):
                name = tag.removeprefix(FIGURE_TAG)
                yield f"{FOLDER}/{name}.png", _picture(cell, f"cell {number}, tagged {tag!r}")


def _picture(cell: NotebookNode, where: str) -> bytes:
    """The cell's first PNG: an output of its own, or inside the HTML that carries its text."""
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        inside = INLINE_PNG.search(data.get("text/html", ""))
        if encoded := data.get("image/png") or (inside and inside[1]):
            return base64.b64decode(encoded)
    raise ValueError(f"{where}, shows no picture")
