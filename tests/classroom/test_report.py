"""The report: an executed notebook and a page that needs no network."""

import nbformat
import pytest

from labutils.classroom.counts import tally
from labutils.classroom.gathered import gather
from labutils.classroom.handover import exported
from labutils.classroom.page import loads_from_elsewhere, page
from labutils.classroom.report import NothingToReport, merge
from tests.classroom.pupils import diary


@pytest.fixture(scope="module")
def merged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    files = [folder / f"{n}.jsonl" for n in range(3)]
    for n, file in enumerate(files):
        file.write_text(exported(diary(n), f"{n:016x}") + "damage\n")
    (folder / "report").mkdir()
    (folder / "report" / "class.html").write_text("an earlier report")
    return files, folder / "report", merge(files, folder / "report")


@pytest.mark.full
def test_the_notebook_is_executed_and_computes_what_the_merge_found(merged):
    files, _, report = merged
    notebook = nbformat.read(report.notebook, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs and cell.execution_count for cell in code)
    assert not any(output.output_type in ("error", "stream") for c in code for output in c.outputs)
    found = tally(gather(files))
    worst = found.exercises[0]
    shown = "\n".join(output.data["text/plain"] for cell in code for output in cell.outputs)
    assert "3 learners" in shown and f"{worst.missed} of {worst.tried} learners missed" in shown
    assert report.found == found and found.num_damaged == 1


@pytest.mark.full  # the merge executes a notebook
def test_the_page_loads_nothing_and_says_the_same(merged):
    _, _, report = merged
    text = report.page.read_text()
    assert loads_from_elsewhere(text) == []
    assert "<script" not in text
    assert report.found.exercises[0].title.partition("'")[0] in text
    assert 'alt="Bars of learners' in text


@pytest.mark.full  # the merge executes a notebook
def test_an_earlier_report_is_kept(merged):
    _, folder, _ = merged
    (kept,) = (folder / "backups").iterdir()
    assert kept.read_text() == "an earlier report" and kept.name.startswith("class.")


def test_a_page_that_loads_something_is_found_out():
    for text in (
        '<script src="https://cdn.example/x.js"></script>',
        '<script type="module">import x from "https://cdn.example/x.mjs"</script>',
        "<link rel='stylesheet' href='//fonts.example/a.css'>",
        "<style>a { background: url(http://example/a.png) }</style>",
        '<img alt="" src="http://example/a.png">',
    ):
        assert loads_from_elsewhere(text), text
    assert loads_from_elsewhere('<a href="https://example.org">source</a>') == []


def test_text_and_outputs_of_a_page_begin_at_the_same_edge():
    table = nbformat.v4.new_output("execute_result", {"text/plain": "1 2"}, execution_count=1)
    code = nbformat.v4.new_code_cell("print()", outputs=[table], execution_count=1)
    whole = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Head"), code])
    html = page(whole, title="A class")
    assert ">Head" in html and "1 2" in html
    assert 'class="jp-InputPrompt' not in html


def test_files_without_a_line_make_no_report(tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(NothingToReport):
        merge([tmp_path / "empty.jsonl"], tmp_path / "report")
    assert not (tmp_path / "report").exists()
