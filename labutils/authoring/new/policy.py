"""A new scheduling policy: one file, whose class is found by all that tries policies."""

from labutils.authoring.new.draft import Draft, identifier
from labutils.authoring.sources.course import Course

TRIED = "pytest tests/serving -k 'policies or newcomers or test_run'"


def policy(course: Course, name: str) -> Draft:
    """The policy in ``name``.py: ``longest_wait_first`` becomes ``LongestWaitFirst``."""
    cls = identifier(name).replace("_", " ").title().replace(" ", "")
    steps = (
        "where later requests may overtake, its class says in_order = False",
        f"{TRIED}: plans, memory, the engine, the arena's rules",
        f"let it play (docs/arena.md): policy_of(policies.{cls}) against RIVALS",
    )
    draft = Draft(course.root, {"cls": cls}, steps)
    draft.create(f"labutils/serving/promises/policies/{name}.py", "policy")
    return draft
