"""Which files a changed file reaches: the imports of package, tests and chapters, read backwards.

Imports inside functions count, and those under ``TYPE_CHECKING``, which say what a lazy door loads;
so does a module with whose name a string or an ``INCLUDE`` begins. Whoever imports a module runs
the doors above it. Whoever names a file of ``data/``, or its folder there, rests on it: the build
writes some of them anew whenever a chapter's text changes; and on ``scripts/`` whoever names that.
A file that imports by a name which it computes rests on all of its folder, or of the package with
which the name begins, but for the catalogues: there a chapter has what bears its slug, and a drill
the file that defines it. ``tests/notebooks/test_editions.py`` compares this with what each chapter
has loaded when it has run.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.setup.floors import House, reach

BY_SLUG = {
    "labutils/exercises/catalog/__init__.py",
    "labutils/drills/catalog/__init__.py",
    "tests/test_exercise_proofs.py",
    "tests/notebooks/test_editions.py",
    "tests/browser/test_chapters.py",
    "tests/drills/test_templates.py",
}
BY_NAME = {"labutils/ground/lazy.py", "labutils/moved.py"}  # import by a name that others give
GATHERED = {
    "progress(": "labutils/exercises/catalog",
    "read_definitions(": "labutils/exercises/catalog",
    "labutils.drills": "labutils/drills/catalog",
}
"""What a chapter or a test holds where it meets a whole catalogue."""

_ID = re.compile(r"\"([a-z]\w*\.[a-z]\w*)\"")
_COMPUTED = re.compile(r"\b(import_module|iter_modules)\(")
_DATUM = re.compile(r"(?:[\"'](?:data/)?|\bdata/)([\w.-]+)")
_NAMED = re.compile(r"(?:[\"']|INCLUDE )((?:labutils|tests|benchmarks)(?:\.\w+)*)(\.\{)?")


def sources(root: Path) -> dict[str, str]:
    """Slug -> the path of the chapter's source."""
    texts = {path: path.read_text(encoding="utf-8") for path in (root / "solutions").glob("*.py")}
    found = {path: re.search(r"^# +slug: (\w+)$", text, re.M) for path, text in texts.items()}
    return {slug[1]: f"solutions/{path.name}" for path, slug in found.items() if slug}


@dataclass(frozen=True)
class Graph:
    """The files of a checkout; paths are from ``root``, as git writes them."""

    root: Path

    @cached_property
    def modules(self) -> dict[str, Path]:
        """Package, tests and sources of chapters, by dotted name; these files stay out of it."""
        folders = ("labutils", "tests", "solutions", "benchmarks")
        houses = [House.at(self.root / name) for name in folders]
        found = [pair for house in houses for pair in house.modules.items()]
        return {name: path for name, path in found if not name.startswith("tests.rotation")}

    @cached_property
    def files(self) -> list[str]:
        """The paths of all modules."""
        return [self._path(path) for path in self.modules.values()]

    @cached_property
    def _exercises(self) -> dict[str, str]:
        found = self._below("labutils/exercises/catalog")
        return {file: (self.root / file).read_text(encoding="utf-8") for file in found}

    @cached_property
    def needs(self) -> dict[str, set[str]]:
        """File -> the files that it rests on, one step down."""
        house = House("labutils", self.modules)
        needs = {file: set() for file in self.files}
        for arrow in house.arrows:
            needs[self._path(self.modules[arrow.source])] |= {*self._with_doors(arrow.target)}
        for name, path in self.modules.items():
            text, file = path.read_text(encoding="utf-8"), self._path(path)
            needs[file] |= {*self._with_doors(name)}
            for word, goes_on in _NAMED.findall(text):
                needs[file] |= {*self._with_doors(house.resolve(word))} if "." in word else set()
                if goes_on and file not in BY_SLUG:
                    needs[file] |= self._below(word.replace(".", "/"))
            needs[file] |= self._computed(file, text) | self._read(text)
        for slug, source in sources(self.root).items():
            needs[source] |= set(self._of_chapter(slug, source))
        return needs | {file: set() for found in needs.values() for file in found - {*needs}}

    def _computed(self, file: str, text: str) -> set[str]:
        """What a file may load by names that it computes, and the catalogues that it gathers."""
        if file in BY_SLUG or file in BY_NAME:
            return set()
        found = self._below(file.rpartition("/")[0]) if _COMPUTED.search(text) else set()
        gathers = file.startswith(("solutions/", "tests/"))
        folders = [folder for call, folder in GATHERED.items() if gathers and call in text]
        return found.union(*map(self._below, folders))

    @cached_property
    def _data(self) -> dict[str, set[str]]:
        """The files of ``data/`` and of ``scripts/`` by the words that name them.

        These are their own names, those of the folders in ``data/``, and "scripts".
        """
        found: dict[str, set[str]] = {}
        for path in (self._path(p) for at in ("data", "scripts") for p in self._files_in(at)):
            at, *folders, name = path.split("/")
            for word in {name, *(folders[:1] if at == "data" else [at])}:
                found.setdefault(word, set()).add(path)
        return found

    def _files_in(self, folder: str) -> Iterator[Path]:
        at = self.root / folder
        return (p for p in at.rglob("*.*") if "__pycache__" not in p.parts)

    def _read(self, text: str) -> set[str]:
        """The data that a text names, in quotes or behind ``data/``."""
        words = _DATUM.findall(text)
        return set().union(*(self._data.get(word, ()) for word in words))

    def reached(self, changed: Collection[str]) -> set[str]:
        """The files that rest on one of ``changed``, themselves included."""
        above: dict[str, set[str]] = {}
        for file, needed in self.needs.items():
            for other in needed:
                above.setdefault(other, set()).add(file)
        return {*changed}.union(*(reach(file, above) for file in changed))

    def _path(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _below(self, folder: str) -> set[str]:
        return {
            file for file in map(self._path, self.modules.values()) if file.startswith(f"{folder}/")
        }

    def _with_doors(self, module: str | None) -> Iterator[str]:
        """The module's file and those of the packages above it, with their ``conftest``."""
        while module:
            for name in (module, f"{module}.conftest"):
                if name in self.modules and name != "tests.conftest":
                    yield self._path(self.modules[name])
            module = module.rpartition(".")[0]

    def _of_chapter(self, slug: str, source: str) -> Iterator[str]:
        """Both editions, what catalogues and tests hold under its slug, exercises by their ids."""
        yield source.replace(".py", ".ipynb")
        for folder in ("notebooks", "labs"):
            yield f"{folder}/{Path(source).stem}.ipynb"
        of_slug = (file for file in self.files if slug in re.split(r"[/.]", file))
        others = ("labutils/drills/", "benchmarks/")  # a chapter runs none of these by its slug
        yield from (file for file in of_slug if not file.startswith(others))
        for sheets in (f"*/{slug}.txt", f"*/{slug}/*.txt"):
            yield from map(self._path, (self.root / "tests").glob(sheets))
        ids = _ID.findall((self.root / source).read_text(encoding="utf-8"))
        for file, text in self._exercises.items():  # another chapter's piece is used as well
            if any(one in text for one in ids):
                yield file
