"""Draw the learner's home before it is opened: ``python -m labutils.home.home_page my/home.ipynb``.

What the page shows is put into the file as the output of its one cell, and signed, so that
JupyterLab shows it before any kernel runs. Only a notebook in which the learner wrote nothing is
touched, in one step, and only if nobody saved it in that moment.
"""

import json
import sys
from contextlib import suppress
from pathlib import Path

from labutils.ground.files import swap
from labutils.home.home_card import home
from labutils.workspace import Workspace
from labutils.workspace.folder import HOME
from labutils.workspace.notebook import work_of


def draw(page: Path) -> bool:
    """Draw the home anew; False, and no change, where the notebook is the learner's own."""
    raw, edition = page.read_bytes(), (Workspace.here().root / HOME).read_bytes()
    if page.is_symlink() or work_of(raw) != work_of(edition):
        return False
    card, body = home(), json.loads(edition)
    shown = {"text/html": card.html(), "text/plain": repr(card)}
    if _shows(raw) == shown:
        return True
    (cell,) = body["cells"]
    cell["outputs"] = [{"output_type": "display_data", "data": shown, "metadata": {}}]
    drawn = (json.dumps(body, indent=1, sort_keys=True) + "\n").encode()
    aside = swap(page, drawn, page.with_name(f".{page.name}.before"), judged=raw)
    if aside is None:
        return False
    aside.unlink()
    _sign(drawn)
    return True


def _shows(page: bytes) -> dict[str, str]:
    """The last output in a notebook, which an editor may have saved in lines."""
    outputs = [one for cell in json.loads(page)["cells"] for one in cell.get("outputs", ())]
    data = outputs[-1].get("data", {}) if outputs else {}
    return {kind: "".join(text) for kind, text in data.items()}


def _sign(notebook: bytes) -> None:
    """Tell JupyterLab that the page may show its HTML as it is."""
    with suppress(Exception):  # it shows it without colours then
        from nbformat import from_dict
        from nbformat.sign import NotebookNotary

        NotebookNotary().sign(from_dict(json.loads(notebook)))


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
