"""New files and insertions, collected first and written only if all of them can be."""

import ast
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

    def insert(self, path: str, variable: str, item: str, *, imports: str = "", block: str = ""):
        """Add ``item`` to the tuple or dict called ``variable``, and what it needs before it."""
        text = self._text(path)
        lines = text.splitlines(keepends=True)
        tree = ast.parse(text)
        home = _assigned(tree, variable, path)
        end = home.value.end_lineno - 1
        head, tail = lines[end][:-2], lines[end][-2:]  # the closing bracket stands at a line's end
        comma = "" if _is_open(home.value, "".join(lines[home.lineno - 1 : end]) + head) else ", "
        lines[end] = f"{head}{comma}{item},{tail}"
        lines[home.lineno - 1] = block + lines[home.lineno - 1]
        if imports:
            known = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
            after = (known or tree.body)[-1 if known else 0].end_lineno
            lines[after - 1] += f"{imports}\n"
        self.texts[path] = "".join(lines)

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


def _assigned(tree: ast.Module, variable: str, path: str) -> ast.Assign | ast.AnnAssign:
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(getattr(target, "id", "") == variable for target in targets):
            return node
    raise ValueError(f"{path}: expected it to define {variable}")


def _is_open(value: ast.expr, text: str) -> bool:
    """Whether an item may follow at once: the bracket is empty, or ends on a comma."""
    items = value.keys if isinstance(value, ast.Dict) else value.elts
    return not items or text.rstrip().endswith(",")
