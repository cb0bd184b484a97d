"""A new drill: a template, and the solver that works from its printed words alone."""

from labutils.authoring.new.draft import Draft, identifier
from labutils.authoring.sources.course import Course


def drill(course: Course, name: str) -> Draft:
    """The drill with the id ``name``."""
    from labutils.drills.catalog import templates

    if identifier(name) in {item.id for item in templates()}:
        raise ValueError(f"id = {name!r}: there is such a drill already")
    steps = (f"pytest tests/drills -k {name}", "python -m labutils.authoring build: the index")
    draft = Draft(course.root, {"name": name, "topic": "A01"}, steps)
    draft.create(f"labutils/drills/catalog/{name}.py", "drill")
    draft.create(f"tests/drills/by_hand/{name}.py", "drill_solver")
    return draft
