"""Run an engine from its text: a package of its own, beside the course's, apart from notebooks."""

import builtins
import dis
import hashlib
import importlib
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.util import spec_from_loader
from itertools import count
from types import CodeType, ModuleType

import labutils.engine

_numbers = count()


class _Texts(MetaPathFinder, InspectLoader):
    """Imports the modules of one package from texts."""

    def __init__(self, package: str, texts: Mapping[str, str]):
        self.package = package
        self.texts = {f"{package}.{name}": text for name, text in texts.items()}
        self.texts[package] = self.texts.pop(f"{package}.__init__", "")

    def find_spec(self, name, path=None, target=None):
        if name not in self.texts:
            return None
        return spec_from_loader(name, self, is_package=name == self.package)

    def get_source(self, name: str) -> str:
        return self.texts[name]

    def get_code(self, name: str) -> CodeType:
        return _compiled(self.texts[name], name.partition(".")[2] or "__init__")

    def is_package(self, name: str) -> bool:
        return name == self.package

    def exec_module(self, module: ModuleType) -> None:
        """Errors are the course's own: whoever has imported ``OutOfPages`` can catch it."""
        super().exec_module(module)
        for name, one in [*vars(module).items()]:
            is_error = isinstance(one, type) and issubclass(one, Exception)
            if is_error and one.__module__ == module.__name__:
                setattr(module, name, vars(labutils.engine).get(name, one))


@cache
def _compiled(text: str, file: str) -> CodeType:
    return compile(text, f"<engine/{file}.py>", "exec")


def load(texts: Mapping[str, str], *, fresh: bool = False) -> ModuleType:
    """The package whose files hold ``texts`` (name -> source); the same texts load once.

    All its modules are imported and are attributes of the package. A ``fresh`` one is forgotten by
    the import system, so that it may be changed and thrown away.
    """
    digest = hashlib.sha256(repr(sorted(texts.items())).encode()).hexdigest()[:12]
    package = f"own_engine_{next(_numbers) if fresh else digest}"
    if package not in sys.modules:
        sys.meta_path.append(_Texts(package, texts))
    for name in texts:
        if name != "__init__":
            importlib.import_module(f"{package}.{name}")
    room = sys.modules[package]
    if fresh:
        vars(room).update({name: getattr(room, name) for name in room.__all__})
        _forget(package)
    return room


def _forget(package: str) -> None:
    sys.meta_path[:] = [one for one in sys.meta_path if getattr(one, "package", "") != package]
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


def strangers(source: str, module: ModuleType) -> list[str]:
    """Names that a function's ``source`` uses and that ``module`` does not have, in order."""
    known = {*vars(module), *vars(builtins)}
    tree = compile(source, "<source>", "exec")
    names = dict.fromkeys(_globals(tree))
    defined = {const.co_name for const in tree.co_consts if isinstance(const, CodeType)}
    return [name for name in names if name not in known and name not in defined]


def _globals(code: CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _globals(const)
