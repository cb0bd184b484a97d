"""The prompts: a function each. A prompt is found by its place in this folder; nothing lists it."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from labutils.drills.whiteboard.prompt import Prompt


@cache
def prompts() -> tuple[Prompt, ...]:
    """Every prompt: designs (d1 to d12), then interview questions (r01 to r09)."""
    modules = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
    items = (item for module in modules for item in vars(module).values())
    return tuple(sorted((item for item in items if isinstance(item, Prompt)), key=_place))


def _place(item: Prompt) -> tuple[str, int]:
    """Designs first, each kind by its number."""
    return item.id[0], int(item.id[1:])
