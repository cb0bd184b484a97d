"""The live wall in a real JupyterLab: its buttons, a picture that follows, and its end."""

import re

import nbformat
import pytest

from labutils.live import FAULTS

pytestmark = pytest.mark.full
CELLS = ("from labutils.live import LiveWall\nlive = LiveWall(7)\nlive", "live.service.url")
WALL, URL = 0, 1
PICTURE = ".house-explorer img"


@pytest.fixture
def page(lab, lab_server):
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, lab_server.root / "live.ipynb")
    lab.open("live.ipynb")
    lab.run_all()
    yield lab
    lab.end_kernel("live.ipynb")


def button(page, name):
    return page.page.get_by_role("button", name=name, exact=True)


def test_a_fault_is_injected_looked_for_and_named(page):
    picture = page.page.locator(PICTURE)
    assert picture.count() == 0
    button(page, "Start").click()
    page.wait_for_output(WALL, "All is well. Inject a fault.")
    assert picture.count() == 1
    button(page, "the wall now").click()
    button(page, "Inject a fault").click()
    page.wait_for_output(WALL, "Something is wrong, and the clock says")
    for fault in FAULTS.values():
        button(page, fault.said).click()
        page.wait_for_output(WALL, re.compile(f"(Not that|Right): {fault.said}"))
        if "Right:" in page.cell_output(WALL):
            break
    button(page, "End").click()
    page.wait_for_output(WALL, "The server has ended.")
    page.run_cell(URL)
    assert page.cell_output(URL).strip().endswith("''")
    assert page.errors() == []
