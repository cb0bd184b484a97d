"""One notebook in a real JupyterLab, driven like a learner drives it."""

import re
from contextlib import contextmanager
from pathlib import Path

WINDOW = {"width": 1280, "height": 1000}
TALLEST_PX = 16_000  # beyond it Chromium paints nothing
PATIENCE_MS = 60_000

_CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

_HEIGHT = """() => [...document.querySelectorAll('.jp-Notebook .jp-Cell')]
  .reduce((sum, cell) => sum + cell.getBoundingClientRect().height + 4, 0)"""

_TO_TOP = "() => document.querySelector('.jp-WindowedPanel-outer').scrollTo(0, 0)"

# From the key press to the first painted frame in which another picture stands complete.
_WATCH_PICTURE = """selector => {
  const shown = () => {
    const image = document.querySelector(selector);
    return image && image.complete && image.naturalWidth ? image.src : null;
  };
  window.keyToScreen = new Promise((resolve, reject) => {
    const before = shown();
    setTimeout(() => reject(new Error('the picture did not change within 10 s')), 10_000);
    document.addEventListener('keydown', () => {
      const pressed = performance.now();
      const look = () => {
        const now = shown();
        if (now && now !== before) resolve(performance.now() - pressed);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, {capture: true, once: true});
  });
}"""


@contextmanager
def launched(executable: str):
    """A headless Chromium, driven by Playwright, for the length of the block."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, headless=True, args=_CHROMIUM_FLAGS
        )
        try:
            yield browser
        finally:
            browser.close()


class LabPage:
    """A browser tab on a running JupyterLab. Cells are found by index or by text of their source.

    ``open`` comes first. Methods wait until what they did has happened, except ``move_slider``,
    whose effect ``wait_for_output`` awaits. ``page`` is Playwright's, for whatever else.
    """

    def __init__(self, page, server):
        self.page, self.server = page, server
        page.set_viewport_size(WINDOW)
        page.set_default_timeout(PATIENCE_MS)

    # notebooks and kernels

    def open(self, notebook: str, *, fresh: bool = False) -> None:
        """Open a notebook by its path below the served folder and wait for its kernel.

        A kernel that still runs for it is taken up again, as JupyterLab does; ``fresh=True``
        ends it first, as if the learner came back the next day.
        """
        if fresh:
            self.end_kernel(notebook)
        self.page.goto(f"{self.server.url}/lab/tree/{notebook}?token={self.server.token}&reset")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self._wait_for_kernel()

    def close(self) -> None:
        """Leave the notebook, so that nothing of it stays in the page's memory."""
        self.page.goto("about:blank")

    def run_all(self, *, timeout_s: float = 120) -> None:
        """Run all cells and wait until the last has finished, or one has raised."""
        self.page.set_default_timeout(timeout_s * 1e3)
        self._command("notebook:run-all-cells")
        self.page.set_default_timeout(PATIENCE_MS)
        self._wait_for_kernel()

    def restart_kernel(self) -> None:
        """Restart the kernel; outputs stay."""
        self._command("kernelmenu:restart", wait=False)
        self.page.locator(".jp-Dialog button.jp-mod-accept").click()
        self.page.locator(".jp-Dialog").wait_for(state="detached")
        self.page.wait_for_timeout(500)  # the status bar says Idle until the old kernel is gone
        self._wait_for_kernel()

    def end_kernel(self, notebook: str) -> None:
        """End the kernel of a notebook, if it has one, whether or not a page shows it."""
        headers = {"Authorization": f"token {self.server.token}"}
        sessions = self.page.request.get(f"{self.server.url}/api/sessions", headers=headers)
        for session in sessions.json():
            if session["path"] == notebook:
                address = f"{self.server.url}/api/sessions/{session['id']}"
                self.page.request.delete(address, headers=headers)

    def shut_down_kernel(self) -> None:
        """Shut the kernel down and start none: the notebook as a reader without Python has it."""
        self._command("kernelmenu:shutdown")
        self.page.get_by_text("No Kernel").first.wait_for()

    def save(self) -> None:
        """Save the notebook to disk."""
        self._command("docmanager:save")

    # cells

    def cell(self, where):
        """The cell at an index, or the first whose source contains a text: a locator."""
        cells = self.page.locator(".jp-Notebook .jp-Cell")
        if isinstance(where, int):
            return cells.nth(where)
        source = self.page.locator(".jp-InputArea-editor, .jp-MarkdownOutput", has_text=where)
        return cells.filter(has=source).first

    def cell_output(self, where) -> str:
        """The text that a cell's output area shows; empty if the cell shows nothing."""
        area = self.cell(where).locator(".jp-OutputArea-output")
        return "\n".join(area.all_inner_texts())

    def wait_for_output(self, where, text: str | re.Pattern) -> None:
        """Wait until a cell's output shows a text or matches a pattern."""
        self.cell(where).locator(".jp-OutputArea").filter(has_text=text).first.wait_for()

    def errors(self) -> list[str]:
        """The text of every error output in the notebook."""
        kind = "application/vnd.jupyter.error"
        return self.page.locator(f'[data-mime-type="{kind}"]').all_inner_texts()

    def type_into_cell(self, where, source: str) -> None:
        """Replace a code cell's source as if it were pasted in."""
        self.cell(where).locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(source)

    def run_cell(self, where) -> None:
        """Run one cell with Ctrl+Enter and wait until it has finished."""
        cell = self.cell(where).element_handle()  # the cell itself, whatever its text becomes
        cell.query_selector(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function(
            "e => /\\[\\d+\\]/.test(e.querySelector('.jp-InputPrompt').textContent)", arg=cell
        )
        self._wait_for_kernel()

    # controls

    def control(self, label: str, *, cell=None):
        """The part of the first control so labelled that takes the keyboard: a locator."""
        within = self.page if cell is None else self.cell(cell)
        starts_so = re.compile(r"^\s*" + re.sub(r"(\W)", r"[\1]", label))
        rows = within.locator(".jupyter-widgets.widget-inline-hbox, .widget-checkbox")
        row = rows.filter(has_text=starts_so).first
        return row.locator(".noUi-handle, select, input, button").first

    def move_slider(self, label: str, key: str = "ArrowRight", times: int = 1) -> None:
        """Focus the slider so labelled and press a key."""
        self.control(label).focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def key_to_screen(
        self,
        label: str,
        *,
        key: str = "ArrowRight",
        times: int = 20,
        cell=None,
        picture: str = ".house-explorer img",
    ) -> list[float]:
        """Milliseconds from each key press to the frame that shows another picture.

        ``picture`` is the CSS selector of the image to watch; ``cell`` says in which cell the
        control stands, where several are labelled so.
        """
        self.control(label, cell=cell).focus()
        taken = []
        for _ in range(times):
            self.page.evaluate(_WATCH_PICTURE, picture)
            self.page.keyboard.press(key)
            taken.append(self.page.evaluate("window.keyToScreen"))
            self.page.wait_for_timeout(60)
        return taken

    # looks

    def set_theme(self, theme: str) -> None:
        """Switch JupyterLab to its ``"light"`` or ``"dark"`` theme."""
        self._command("apputils:change-theme", theme=f"JupyterLab {theme.capitalize()}")
        light = "true" if theme == "light" else "false"
        self.page.wait_for_function(
            "want => document.body.dataset.jpThemeLight === want", arg=light
        )

    def screenshot(self, path: Path, *, full: bool = True, width: int = 1280) -> None:
        """Save what the browser shows; with ``full`` the whole notebook in one tall picture."""
        height = self.page.evaluate(_HEIGHT) + 320 if full else WINDOW["height"]
        self.page.set_viewport_size({"width": width, "height": min(TALLEST_PX, int(height))})
        if full:
            self.page.evaluate(_TO_TOP)
        self.page.wait_for_timeout(400)  # for the page to settle in its new size
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(path))
        self.page.set_viewport_size(WINDOW)

    # inside

    def _command(self, name: str, *, wait: bool = True, **arguments) -> None:
        call = "window.jupyterapp.commands.execute(given[0], given[1])"
        body = f"{call}.then(() => true)" if wait else f"{{ {call}; }}"
        self.page.evaluate(f"given => {body}", [name, arguments])

    def _wait_for_kernel(self) -> None:
        # Running cells before the status bar says so leaves all but the first unrun.
        self.page.get_by_text(re.compile(r"[|] Idle")).first.wait_for()
