"""A page of the site, read: its links and pictures, and behind which folds each id lies."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "link", "img", "input", "br", "hr", "path", "mspace"}


@dataclass
class ReadPage(HTMLParser):
    """``folds`` maps each id to the classes of the folds around it; ``told`` what stands there."""

    name: str
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    contents: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    pictures: list[dict] = field(default_factory=list)
    forms: list[dict] = field(default_factory=list)
    outcomes: list[tuple[dict, tuple[str, ...]]] = field(default_factory=list)
    folds: dict[str, tuple[str, ...]] = field(default_factory=dict)
    formulas: int = 0
    text: str = ""

    def __post_init__(self):
        super().__init__()
        self._inside: list[tuple[str, str]] = []  # tags and classes

    def handle_starttag(self, tag, attrs):
        about = dict(attrs)
        kinds = tuple(kind for name, kind in self._inside if name == "details")
        if name := about.get("id"):
            self.ids.append(name)
            self.folds[name] = kinds
        if tag == "a":
            self.links.append(about["href"])
            if ("nav", "contents") in self._inside:
                self.contents.append(about["href"])
        if tag in ("script", "img", "iframe", "source") or (tag == "link"):
            self.loaded.append(about.get("src") or about.get("href") or "")
        if tag == "img":
            self.pictures.append(about)
        if tag == "form" and about.get("class") == "predict":
            self.forms.append(about)
        if about.get("class") == "told":
            self.outcomes.append((about, kinds))
        self.formulas += tag == "math"
        if tag not in VOID:
            self._inside.append((tag, about.get("class", "")))

    def handle_endtag(self, tag):
        while self._inside and self._inside.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if not {"code", "pre", "script", "style"}.intersection(tag for tag, _ in self._inside):
            self.text += data


def read_page(path: Path) -> ReadPage:
    """Read one file of the site."""
    page = ReadPage(path.name)
    page.feed(path.read_text(encoding="utf-8"))
    return page
