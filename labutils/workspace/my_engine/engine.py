"""The learner's engine as a package that runs."""

from types import ModuleType

from .store import BrokenFile, Store
from .texts.course_engine import WRITTEN, course_sources
from .texts.load_pieces import load


def my_engine(store: Store | None = None, *, quiet: bool = False) -> ModuleType:
    """The engine in ``my/engine``, a package like ``labutils.engine`` with the learner's functions.

    What is not written yet is the course's. Prints whose is whose, unless ``quiet``. A file that
    Python cannot read is left out, and said: the course's stands in for it.
    """
    store = store or Store()
    texts, broken = dict(course_sources()), {}
    for name in texts:
        try:
            texts[name] = store.text(name)
        except BrokenFile as error:
            broken[name] = error
    if not quiet:
        print(_summary(store, broken))
    return load(texts)


def _summary(store: Store, broken: dict[str, BrokenFile]) -> str:
    lines = [f"{error.where}. The course's file stands in." for error in broken.values()]
    counts = {}
    for files in WRITTEN.values():
        for name, functions in files.items():
            of, all_of = counts.get(name, (0, 0))
            mine = 0 if name in broken else sum(store.yours(name, one) for one in functions)
            counts[name] = (of + mine, all_of + len(functions))
    shown = ", ".join(f"{name} {mine} of {all_of}" for name, (mine, all_of) in counts.items())
    return "\n".join([*lines, f"Functions of yours in this engine: {shown}."])
