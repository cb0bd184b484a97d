"""A new scheduling policy: its class, and its entries where plans, engines and the arena try it."""

from labutils.authoring.new.draft import Draft, identifier
from labutils.authoring.sources.course import Course

PLANNED = '"{words}": Policy(lambda pool: {cls}(3, PagePool(pool, PAGE), promises=UNPROMISED))'
NAMED = '"{words}": {cls}'
ENTRIES = (
    ("tests/serving/workloads.py", "POLICIES", PLANNED),
    ("tests/serving/promises/test_policies.py", "POLICIES", NAMED),
    ("tests/serving/arena/newcomers.py", "NEWCOMERS", NAMED),
)


def policy(course: Course, name: str) -> Draft:
    """The policy in ``name``.py: ``longest_wait_first`` becomes ``LongestWaitFirst``."""
    words = identifier(name).replace("_", " ")
    cls = words.title().replace(" ", "")
    draft = Draft(course.root, {"cls": cls}, STEPS)
    draft.create(f"labutils/serving/promises/policies/{name}.py", "policy")
    known = f"from labutils.serving.promises.policies.{name} import {cls}"
    for file, variable, entry in ENTRIES:
        draft.insert(file, variable, entry.format(words=words, cls=cls), imports=known)
    return draft


STEPS = (
    "where later requests may overtake, add in_order=False to its entry in tests/serving/workloads",
    "name it in labutils/serving/promises/policies/__init__.py",
    "pytest tests/serving -k 'policies or newcomers': plans, memory, the engine, the arena's rules",
    'let it play: contest({"mine": policy_of(YourClass), **RIVALS}, workloads(150, seed=7))',
)
