"""A function of the package as an exercise: shown in one edition, blanked in the other."""

import ast
import inspect
import textwrap

import pytest

from labutils.authoring.editions.editions import edition_cells
from labutils.authoring.sources import solutions
from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.include import expanded
from labutils.authoring.sources.source import SourceError
from labutils.engine import Scheduler
from labutils.engine.packing import slots_of
from tests.authoring.fake_course import one_chapter

METHOD = "### INCLUDE labutils.engine.scheduler:Scheduler.finish"
FUNCTION = "### INCLUDE labutils.engine.packing:slots_of"


def same_code(one, other):
    return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))


@pytest.mark.parametrize(
    ("directive", "function"), [(METHOD, Scheduler.finish), (FUNCTION, slots_of)]
)
def test_the_answer_is_the_package_s_own_code(directive, function):
    shown = solutions.answered(expanded(directive))
    assert shown == textwrap.dedent(inspect.getsource(function)).rstrip()


def test_the_learner_gets_signature_and_docstring_alone():
    blanked = solutions.blanked(expanded(METHOD))
    wanted = '''def finish(self, request: Request) -> None:
    """The answer has ended, or its request was cancelled: it gives back what it holds."""
    raise NotImplementedError("replace this line by your code")'''
    assert blanked == wanted


def test_what_stands_around_a_directive_stays():
    cell = f"before = 1\n{FUNCTION}\nafter = 2"
    shown = solutions.answered(expanded(cell))
    assert shown.startswith("before = 1\ndef slots_of") and shown.endswith("\nafter = 2")


@pytest.mark.parametrize(
    ("directive", "expected"),
    [
        ("### INCLUDE", "module:function"),
        ("### INCLUDE labutils.engine.scheduler", "module:function"),
        ("### INCLUDE labutils.nowhere:f", "a module of the package"),
        ("### INCLUDE labutils.engine.scheduler:Scheduler", "a function or a method"),
        ("### INCLUDE labutils.engine.scheduler:Scheduler.missing", "a function or a method"),
        ("### INCLUDE labutils.engine.scheduler:Scheduler.__init__", "a docstring and a body"),
        ("### INCLUDE labutils.engine.request:Request.to_compute", "without decorators"),
        ("### INCLUDE labutils.serving.memory.unlimited:Unlimited.grow", "a docstring and a body"),
    ],
)
def test_a_directive_that_cannot_be_carried_out_is_refused(directive, expected):
    with pytest.raises(ValueError, match=expected):
        expanded(directive)


def test_a_source_with_a_directive_builds_both_editions(tmp_path):
    course = one_chapter(tmp_path, f"# %%\n{METHOD}\n")
    chapter = course.chapters[0]
    texts = ["\n".join(c.source for c in edition_cells(chapter, solution=s)) for s in (True, False)]
    assert "self.running.remove" in texts[0] and "self.running.remove" not in texts[1]
    assert all("INCLUDE" not in text and "###" not in text for text in texts)


def test_a_bad_directive_names_the_source(tmp_path):
    with pytest.raises(SourceError, match=r"solutions/.*\.py: ### INCLUDE labutils.nowhere"):
        read_course(one_chapter(tmp_path, "# %%\n### INCLUDE labutils.nowhere:f\n").root)
