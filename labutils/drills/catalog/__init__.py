"""All templates: a module per subject. A template is found by its place here; nothing lists it."""

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from labutils.drills.definition.template import Template
from labutils.ground.edition import require_one_edition


class UnknownDrillError(ValueError):
    """An id that no template has. A notebook shows the message alone."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@cache
def templates() -> tuple[Template, ...]:
    """Every template, by level, then id. Raises ``ValueError`` where two share an id."""
    require_one_edition()
    found: dict[str, Template] = {}
    for module in iter_modules(__path__):
        for item in vars(import_module(f"{__name__}.{module.name}")).values():
            if isinstance(item, Template) and found.setdefault(item.id, item) is not item:
                raise ValueError(f"id = {item.id!r}: two templates have it")
    return tuple(sorted(found.values(), key=lambda item: (item.level, item.id)))


def find(template_id: str) -> Template:
    """The template of that id; ``UnknownDrillError`` names close ones."""
    known = {item.id: item for item in templates()}
    wanted = str(template_id).removeprefix("drill.")
    if wanted in known:
        return known[wanted]
    near = get_close_matches(wanted, known, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "no id resembles it"
    raise UnknownDrillError(f"drill {template_id!r}: {hint}")
