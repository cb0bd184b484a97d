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
    "from labutils.exercises import hint, outcome, predict, progress, reveal\n"
    "v = check('toy.bill', 3)\nprint('done')",
    "v",
    "for _ in range(3): hint('toy.flaw')",
    "v = check('toy.bill', 3)\nv",
    "reveal('toy.bill')",
    "check('toy.bill', 3);",
    "predict('toy.recovery', 30)\noutcome('toy.recovery', 60)\nprogress()\npass",
    "hint('toy.bil')",
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """The outputs of each cell, run once in a kernel of its own."""
    folder = tmp_path_factory.mktemp("notebook")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    book.cells[-1].metadata["tags"] = ["raises-exception"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LABUTILS_MY", str(folder / "my"))
        client = NotebookClient(book, timeout=120, resources={"metadata": {"path": str(folder)}})
        with client.setup_kernel():
            for at, cell in enumerate(book.cells):  # as nbval does it: the cells get no numbers
                client.execute_cell(cell, at, store_history=False)
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


def test_a_card_shows_wherever_its_call_stands_and_once(outputs):
    verdict, done = outputs[6]
    assert verdict.data["text/plain"].startswith("Not right.") and done.text == "done\n"
    assert "<strong>Not right.</strong>" in verdict.data["text/html"]
    assert [[card.data for card in outputs[at]] for at in (7, 9, 11)] == [[verdict.data]] * 3
    (explained,) = outputs[10]
    assert "$$b = n p$$" in explained.data["text/markdown"]


def test_each_call_in_a_cell_shows_its_card_in_order(outputs):
    hints = [card.data["text/plain"] for card in outputs[8]]
    assert [text.count("Hint") for text in hints] == [1, 2, 3]
    labels = [card.data["text/plain"].partition(".")[0] for card in outputs[12]]
    assert labels == ["Noted", "Outcome", "Progress"]


def test_an_unknown_id_is_one_line_without_a_stack(outputs):
    (error,) = outputs[13]
    assert error.ename == "UnknownIdError"
    (line,) = error.traceback
    assert line.startswith("exercise_id = 'toy.bil': did you mean 'toy.bill'")
