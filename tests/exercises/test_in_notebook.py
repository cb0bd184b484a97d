"""The engine in a real kernel: the learner's cell is named, the loop is running, HTML arrives."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

TOYS = Path(__file__).parent / "toys"
CELLS = [
    f"from labutils.exercises import catalog, check\ncatalog.__path__.append({str(TOYS)!r})",
    "def sums(values, start):\n    rest = len(values) - 1\n    return [start / rest]\n"
    "check('toy.sums', sums)",
    "async def later(values, start):\n    return values\ncheck('toy.sums', later)",
    "def waits(values, start):\n    while True:\n        pass\ncheck('toy.sums', waits)",
    "check('toy.bill', '173.6 s')",
    "import os; print(sorted(os.listdir('.')))",
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """The outputs of each cell, run once in a kernel of its own."""
    folder = tmp_path_factory.mktemp("notebook")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LABUTILS_MY", str(folder / "my"))
        client = NotebookClient(book, timeout=120, resources={"metadata": {"path": str(folder)}})
        client.execute()
    return [cell.outputs for cell in book.cells]


def test_an_error_is_shown_on_the_learners_line_of_the_cell(outputs):
    (output,) = outputs[1]
    text = output.data["text/plain"]
    assert text.startswith("Your code raises an error.")
    assert "in sums, line 3:\n        return [start / rest]" in text
    assert "labutils" not in text and "ipykernel" not in text
    assert "return [start / rest]" in output.data["text/html"]


def test_coroutines_and_hangs_are_answered_inside_a_running_loop(outputs):
    assert "without async" in outputs[2][0].data["text/plain"]
    assert outputs[3][0].data["text/plain"].startswith("Time is up.")


def test_a_right_answer_shows_in_text_and_html(outputs):
    data = outputs[4][0].data
    assert data["text/plain"] == "Right. Your answer agrees with the workbook's."
    assert "<strong>Right.</strong>" in data["text/html"]


def test_nothing_but_progress_appears_beside_the_notebook(outputs):
    assert outputs[5][0].text == "['my']\n"
