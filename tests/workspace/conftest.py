"""A small course in a folder of its own, and a learner who works in it."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from labutils.workspace import Workspace

KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def notebook(*sources: str, metadata: dict | None = None) -> bytes:
    """A learner edition as the build writes it: code cells, no outputs."""
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{at}",
            "metadata": {},
            "source": source.splitlines(keepends=True),
            "outputs": [],
            "execution_count": None,
        }
        for at, source in enumerate(sources)
    ]
    body = {"cells": cells, "metadata": metadata or KERNEL, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(body, indent=1) + "\n").encode()


@dataclass(frozen=True)
class Learner:
    """What a learner does to notebooks in JupyterLab: writes them whole, in its own formatting."""

    my: Path

    def path(self, key: str) -> Path:
        return self.my / key

    def save(self, key: str, change) -> bytes:
        body = json.loads(self.path(key).read_bytes())
        change(body)
        raw = json.dumps(body, indent=2, ensure_ascii=False).encode()
        self.path(key).write_bytes(raw)
        return raw

    def write(self, key: str, text: str) -> bytes:
        """Answer in the last cell."""

        def change(body):
            body["cells"][-1]["source"] = text

        return self.save(key, change)

    def run(self, key: str, result: str = "42") -> bytes:
        """Run all cells: outputs, counts, widget state, and Shift-Enter's empty last cell."""

        def change(body):
            for count, cell in enumerate(body["cells"], start=1):
                cell["execution_count"] = count
                cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": result}]
                cell["source"] = "".join(cell["source"])
            body["metadata"]["widgets"] = {"state": {"a": 1}}
            body["cells"].append(
                {"cell_type": "code", "id": "new", "metadata": {}, "source": "", "outputs": []}
            )

        return self.save(key, change)


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    """A checkout with two chapters and a lab, not yet handed out."""
    root = tmp_path / "course"
    for folder in ("labutils", "notebooks", "labs"):
        (root / folder).mkdir(parents=True)
    (root / "pyproject.toml").write_text('[project]\nname = "labutils"\n')
    (root / CH00).write_bytes(notebook("print('hello')"))
    (root / CH03).write_bytes(notebook("import labutils", "rho = ..."))
    (root / LAB1).write_bytes(notebook("measure = ..."))
    return Workspace(root, root / "my")


CH00 = "notebooks/00_start_here.ipynb"
CH03 = "notebooks/03_mm1_explosion.ipynb"
LAB1 = "labs/lab1_measure_your_machine.ipynb"


@pytest.fixture
def learner(workspace) -> Learner:
    return Learner(workspace.my)
