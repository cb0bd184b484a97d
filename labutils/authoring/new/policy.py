"""A new scheduling policy: its class, and its entry among those that every test of plans tries."""

from labutils.authoring.new.draft import Draft, identifier
from labutils.authoring.sources.course import Course

ENTRY = '"{words}": Policy(lambda pool: {cls}(3, PagePool(pool, PAGE)))'


def policy(course: Course, name: str) -> Draft:
    """The policy in ``name``.py: ``longest_wait_first`` becomes ``LongestWaitFirst``."""
    words = identifier(name).replace("_", " ")
    cls = words.title().replace(" ", "")
    draft = Draft(course.root, {"cls": cls}, STEPS)
    draft.create(f"labutils/serving/scheduling/{name}.py", "policy")
    draft.insert(
        "tests/serving/workloads.py",
        "POLICIES",
        ENTRY.format(words=words, cls=cls),
        imports=f"from labutils.serving.scheduling.{name} import {cls}",
    )
    return draft


STEPS = (
    "where later requests may overtake, add in_order=False to its entry in the tests",
    "name it in labutils/serving/scheduling/__init__.py",
    "pytest tests/serving/scheduling: plans, memory and the order that is promised",
)
