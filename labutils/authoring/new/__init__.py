"""``python -m labutils.authoring new NOUN NAME``: what a new piece of the course begins with.

Each noun has a file here that says what is written: ``exercise``, ``chapter`` (and lab), ``drill``,
``policy``. The texts stand in ``templates/``. What they leave open is marked, and
``python -m labutils.authoring check`` lists it line by line (``lint.unfinished``).
"""

from collections.abc import Callable

from labutils.authoring.new.chapter import chapter, lab
from labutils.authoring.new.draft import Draft
from labutils.authoring.new.drill import drill
from labutils.authoring.new.exercise import exercise
from labutils.authoring.new.policy import policy
from labutils.authoring.sources.course import Course

NOUNS: dict[str, Callable[[Course, str], Draft]] = {
    "exercise": exercise,
    "chapter": chapter,
    "lab": lab,
    "drill": drill,
    "policy": policy,
}


def new(course: Course, noun: str, name: str) -> None:
    """Write the stubs of a new ``noun`` and print what to do next.

    Nothing is overwritten: ``ValueError`` for a name that is taken or cannot be one, and then
    nothing is written at all.
    """
    draft = NOUNS[noun](course, name)
    for line in draft.write():
        print(line)
    print("\nNext:")
    for number, step in enumerate((*draft.steps, FILL), start=1):
        print(f"{number}. {step}")


FILL = "python -m labutils.authoring check: it lists what is still to be filled in"
