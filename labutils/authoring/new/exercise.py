"""A new exercise: its definition, the cells that ask it, its proof."""

from labutils.authoring.new.draft import Draft, identifier
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.definitions import read_definitions


def exercise(course: Course, name: str) -> Draft:
    """The exercise with the id ``name``: ``mm1.restart`` goes to the chapter of the mm1 ids."""
    prefix, _, own = name.partition(".")
    slug, own = _chapter_of(identifier(prefix)), identifier(own)
    definitions = read_definitions()
    if name in definitions.exercise_ids | definitions.prediction_ids:
        raise ValueError(f"id = {name!r}: the catalog has it already")
    home = f"labutils/exercises/catalog/{slug}"
    if not (course.root / home).is_dir():
        raise ValueError(f"{home}.py is one file; make it a folder with an __init__.py first")
    source = next(c.source_path for c in course.chapters if c.header.slug == slug)
    proofs = f"tests/proofs/{slug}.txt"
    words = {"id": name, "name": own, "constant": own.upper()}
    steps = (f"move the last cells of {source} to their place", f"pytest {PROVE} -k {name}")
    draft = Draft(course.root, words, steps)
    draft.create(f"{home}/{own}.py", "exercise")
    draft.append(source, "exercise_cell")
    if (course.root / proofs).exists():
        draft.append(proofs, "exercise_proof")
    else:
        draft.create(f"tests/proofs/{slug}/{own}.txt", "exercise_proof")
    return draft


PROVE = "tests/test_exercise_proofs.py"


def _chapter_of(prefix: str) -> str:
    """Slug of the chapter whose ids begin so, or whose slug it is."""
    known: dict[str, str] = {}
    definitions = read_definitions()
    for group in (definitions.predictions, definitions.exercises):
        for slug, items in group.items():
            known[slug] = slug
            known |= {item.id.partition(".")[0]: slug for item in items}
    if prefix not in known:
        raise ValueError(f"id {prefix}.…: no chapter's ids begin so; known: {', '.join(known)}")
    return known[prefix]
