"""Explorers on the pages of the site: which display of a chapter is which recorded explorer."""

import json
import re
from functools import cache
from html import escape, unescape
from itertools import product
from pathlib import Path

from labutils.authoring.site.recording.recordings import FOLDER

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SCRIPT, STYLE = "explorers.js", "explorers.css"
ALT = re.compile(r'<img alt="([^"]*)"')
SETTING = re.compile(r"\. (\w+ = .+?)\. ")  # stands between a still's title and its finding
MOVES = (
    '<p class="facts">A still{} of what moves in the notebook: <a href="index.html#run">run it</a> '
    "for its controls.</p>"
)


def explorer_html(chapter_name: str, cell_index: int, still_html: str) -> str:
    """The still of an explorer, in a box that the page's script makes move where it was recorded.

    A still belongs to a table of its chapter whose picture says the same, setting and finding. Any
    other one comes back below a line that says where it moves, for the text tells the reader to
    move it. ``cell_index`` counts in the executed edition.
    """
    found = ALT.search(still_html)
    said = unescape(found[1]) if found else ""
    for table in tables_of(chapter_name):
        places = _places(table, said)
        if places is not None:
            name = table["name"]
            scripts = " ".join([*_kernel(table), f"explorer_{name}.js"])
            start = " ".join(map(str, places))
            return (
                f'<div class="explorer" id="explorer-{cell_index}" data-explorer="{name}" '
                f'data-scripts="{scripts}" data-start="{escape(start)}">\n'
                f'<div class="still">{still_html}</div>\n</div>'
            )
    shows = SETTING.search(said)
    at = f" at <code>{escape(shows[1])}</code>" if shows else ""
    return f"{MOVES.format(at)}\n{still_html}"


def scripts_of(chapter_name: str) -> list[str]:
    """The scripts that a chapter's page names, once each: none where nothing moves."""
    return [SCRIPT] if tables_of(chapter_name) else []


def write_scripts(folder: Path) -> list[Path]:
    """Write scripts, style and tables, side by side, to a folder of the site."""
    folder.mkdir(parents=True, exist_ok=True)
    own = {name: (HERE / name).read_text(encoding="utf-8") for name in (SCRIPT, STYLE)}
    for table in _tables():
        own |= {name: (HERE / name).read_text(encoding="utf-8") for name in _kernel(table)}
        own[f"explorer_{table['name']}.js"] = f"explorers.table({_text(table)});\n"
    for name, text in own.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in own]


def tables_of(chapter_name: str) -> list[dict]:
    """The recorded explorers of a chapter."""
    return [table for table in _tables() if table["chapter"] == chapter_name]


def _kernel(table: dict) -> list[str]:
    return [f"{table['name']}_kernel.js"] if table.get("kernel") else []


def _places(table: dict, said: str) -> list[int] | None:
    """At which option each control stands in a picture with this alternative text."""
    controls = table["controls"]
    if not said.startswith(table["title"]):
        return None
    choices = [enumerate(one["shown"]) for one in controls]
    for at, chosen in enumerate(product(*choices)):
        values = ", ".join(f"{one['name']} = {words}" for one, (_, words) in zip(controls, chosen))
        if f". {values}. " in said and said.endswith(_finding(table, at)):
            return [place for place, _ in chosen]
    return None


def _finding(table: dict, at: int) -> str:
    return "" if table.get("kernel") else table["findings"][table["said"][at]]


@cache
def _tables() -> list[dict]:
    return [json.loads(path.read_text("utf-8")) for path in sorted((ROOT / FOLDER).glob("*.json"))]


def _text(table: dict) -> str:
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    return text.replace("</script", r"<\/script")
