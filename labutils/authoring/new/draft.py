"""New files and additions, collected first and written only if all of them can be."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

TEMPLATES = Path(__file__).parent / "templates"


@dataclass
class Draft:
    """What a new piece writes under ``root``; ``words`` fill the templates' ``$names``."""

    root: Path
    words: dict[str, str]
    steps: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)

    def filled(self, template: str) -> str:
        """The text of ``templates/TEMPLATE.txt`` with the words in their places."""
        text = (TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
        return Template(text).substitute(self.words)

    def create(self, path: str, template: str) -> None:
        """A new file. Raises ``ValueError`` where there is one already."""
        if (self.root / path).exists():
            raise ValueError(f"{path} exists; choose another name")
        self.texts[path] = self.filled(template)

    def append(self, path: str, template: str) -> None:
        """Lines at the end of a file."""
        self.texts[path] = self._text(path) + self.filled(template)

    def write(self) -> Iterator[str]:
        """Write everything, format the Python, and say of each file if it is new or changed."""
        for path, text in self.texts.items():
            yield f"{'changed' if (self.root / path).exists() else 'new'} {path}"
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")
        python = [path for path in self.texts if path.endswith(".py")]
        for command in (["check", "--select", "I", "--fix", "-q"], ["format", "-q"]):
            subprocess.run([sys.executable, "-m", "ruff", *command, *python], cwd=self.root)

    def _text(self, path: str) -> str:
        if path in self.texts:
            return self.texts[path]
        if not (self.root / path).exists():
            raise ValueError(f"{path}: expected this file, to which something is added")
        return (self.root / path).read_text(encoding="utf-8")


def identifier(name: str) -> str:
    """``name``, if small letters, digits and underscores make it a name. Else ``ValueError``."""
    if not name.isidentifier() or name != name.lower():
        raise ValueError(
            f"name = {name!r}: expected small letters, digits and underscores, and a letter first"
        )
    return name
