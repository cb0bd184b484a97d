"""What executed cells printed and drew, as HTML of a page."""

import base64
import hashlib
import re
from html import escape

from nbformat import NotebookNode

from labutils.authoring.site import markup
from labutils.authoring.slides.room import USED

MAP = (
    '<p class="facts">The notebook counts here what you have solved; the '
    '<a href="index.html#chapters">map of the chapters</a> stands on the first page.</p>'
)
_IMAGE = re.compile(
    r'<img alt="([^"]*)" width="(\d+)" height="(\d+)"[^>]*? '
    r'src="data:image/(png|webp|jpeg);base64,([^"]+)"[^>]*>',
    flags=re.S,
)
_PAUSED = re.compile(
    r'<style>.*?</style>|<em class="house-paused">.*?</em>|You have not drawn yet.*?measured\.',
    flags=re.S,
)
_CARD = "border-left: 4px solid"
_SOLVED = re.compile(r"\d+ of \d+ exercises solved\.")
_OF_THE_RUN = re.compile(  # whose code the author's run used, what is solved in it, how it is set
    rf"^(.*({'|'.join(map(re.escape, USED))})|Functions of yours in .*|'PASSIVE')$\n?", flags=re.M
)
_FOR_A_KERNEL = re.compile(r"<p><em>(Controls:|Buttons:|Run this cell).*?</em></p>", flags=re.S)


class Pictures:
    """The pictures of the site by the address under which they are written."""

    def __init__(self):
        self.files: dict[str, bytes] = {}

    def moved(self, html: str) -> str:
        """``html`` with its pictures in files of their own, named by their content."""
        return _IMAGE.sub(self._file, html)

    def _file(self, found: re.Match) -> str:
        alt, width, height, kind, data = found.groups()
        raw = base64.b64decode(data)
        name = f"img/{hashlib.sha256(raw).hexdigest()[:12]}.{kind}"
        self.files[name] = raw
        size = f'width="{width}" height="{height}"'
        return f'<img alt="{alt}" {size} loading="lazy" decoding="async" src="{name}">'


def is_explorer(output: NotebookNode) -> bool:
    """Whether this is an explorer's still."""
    return "house-explorer" in output.get("data", {}).get("text/html", "")


def output_html(output: NotebookNode, pictures: Pictures, *, cards: bool) -> str:
    """One output; empty for what only a kernel can use and, without ``cards``, for verdicts."""
    if output.output_type == "stream":
        return _printed(output.text)
    data = output.get("data", {})
    if "application/vnd.jupyter.widget-view+json" in data:
        return ""
    if html := data.get("text/html", ""):
        if _FOR_A_KERNEL.search(html) or (_CARD in html and not cards):
            return ""
        if _SOLVED.search(html):
            return MAP
        html = pictures.moved(_PAUSED.sub("", html))
        return html if "<figure" in html else f'<div class="wide">{html}</div>'
    if text := data.get("text/markdown", ""):
        return markup.block(text)
    return _printed(data.get("text/plain", ""))


def _printed(text: str) -> str:
    rows = _OF_THE_RUN.sub("", text).strip("\n").splitlines()
    if not rows:
        return ""
    width = max(map(len, rows))
    shown = escape("\n".join(rows))
    return f'<pre class="out" tabindex="0" style="--columns:{width}">{shown}</pre>'
