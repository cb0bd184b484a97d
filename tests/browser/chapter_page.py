"""A chapter as its learner meets it, and the explorers in it."""

from contextlib import contextmanager

from labutils.exercises.journal.journal import Journal
from labutils.workspace import Workspace, sync
from tests.notebooks.nbval_run import statuses_in

from .lab_page import LabPage
from .lab_server import CHECKOUT

RUN_S = 600  # of a whole lab at full size, on a busy machine
PICTURE = ".house-explorer img"
_FIRST_CONTROL = ".noUi-handle, select, .widget-toggle-buttons button, input[type=checkbox]"

_SHOWN = """cell => {
  const image = cell.querySelector('.house-explorer img');
  const finding = cell.querySelector('.house-explorer [role=status]');
  return [image && image.src, finding && finding.textContent];
}"""
_BOTH_CHANGED = f"""([cell, [picture, finding]]) => {{
  const [now, said] = ({_SHOWN})(cell);
  return now && said && now !== picture && said !== finding;
}}"""


@contextmanager
def chapter_run(chromium, server, learner_path: str):
    """A ``LabPage`` on the chapter: handed out afresh into my/, opened, run from top to bottom.

    Its ``heard`` are the verdicts that each exercise met in that run.
    """
    before = len(Journal(server.my / "progress").events())
    path = f"my/{learner_path}"
    (server.root / path).unlink(missing_ok=True)
    sync(Workspace(CHECKOUT, server.root / "my"))
    page = chromium.new_page()
    lab = LabPage(page, server)
    lab.open(path, fresh=True)
    lab.run_all(timeout_s=RUN_S)
    lab.heard = statuses_in(server.my, after=before)
    yield lab
    lab.end_kernel(path)
    page.close()


def explorer_cells(lab: LabPage) -> list:
    """The cells that show an explorer, as locators."""
    return lab.page.locator(".jp-Notebook .jp-CodeCell", has=lab.page.locator(PICTURE)).all()


def move_first_control(lab: LabPage, cell, *, patience_ms: float = 5000) -> bool:
    """Set the first control of an explorer to other values until picture and finding change.

    Returns whether both did.
    """
    from playwright.sync_api import TimeoutError as Unchanged

    control = cell.locator(".house-controls").locator(_FIRST_CONTROL).first
    node = cell.element_handle()
    before = node.evaluate(_SHOWN)
    for move in _moves(control):
        move()
        try:
            lab.page.wait_for_function(_BOTH_CHANGED, arg=[node, before], timeout=patience_ms)
            return True
        except Unchanged:
            continue
    return False


def _moves(control) -> list:
    """Ways to give a control another value: one of them does, wherever it stands."""
    tag = control.evaluate("node => node.tagName")
    if tag == "SELECT":
        last = control.locator("option").count() - 1
        return [lambda k=k: control.select_option(index=k) for k in (last, 0)]
    if tag == "BUTTON":
        buttons = control.locator("xpath=..").locator("button")
        return [lambda k=k: buttons.nth(k).click() for k in reversed(range(buttons.count()))]
    if tag == "INPUT":
        return [control.click]
    return [lambda key=key: (control.focus(), control.press(key)) for key in ("End", "Home")]
