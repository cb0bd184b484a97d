"""Functions in a text: found, counted, replaced; and what a text needs that a module lacks."""

import ast

import pytest

from labutils.workspace.my_engine.texts.course_engine import FILES, course_sources, lab_of, targets
from labutils.workspace.my_engine.texts.functions import (
    code_lines_of,
    functions_of,
    put_in,
    source_of,
)
from labutils.workspace.my_engine.texts.load_pieces import load, strangers

TEXT = '''"""A file."""

import math


class Box:
    """A box."""

    def size(self):
        """Its size."""
        return 3

    # yours (lab 9)
    @property
    def inside(self):
        # a comment

        if math.pi > 3:
            return 1
        else:
            return 2


def outside(a, b=2):
    return [
        a,
        b,
    ]
'''


def test_functions_are_found_with_their_marks_and_lines_of_code():
    found = functions_of(TEXT)
    assert list(found) == ["Box.size", "Box.inside", "outside"]
    assert [one.body_lines for one in found.values()] == [1, 4, 4]
    assert [one.mark for one in found.values()] == [None, "yours (lab 9)", None]
    lines = TEXT.splitlines()
    assert lines[found["Box.inside"].first].strip() == "# yours (lab 9)"
    assert lines[found["Box.inside"].end - 1].strip() == "return 2"
    assert code_lines_of(TEXT) == 15


def test_a_function_is_replaced_where_it_stands_and_nothing_else_moves():
    mine = "def inside(self):\n    return (\n        5\n    )\n"
    changed = put_in(TEXT, "Box.inside", mine, "yours (lab 5)")
    assert source_of(changed, "Box.inside") == mine
    assert functions_of(changed)["Box.inside"].mark == "yours (lab 5)"
    for name in ("Box.size", "outside"):
        assert source_of(changed, name) == source_of(TEXT, name)
    again = put_in(changed, "Box.inside", source_of(TEXT, "Box.inside"), "yours (lab 9)")
    assert again == TEXT


def test_meaning_ignores_comments_and_docstrings_and_sees_code():
    one = functions_of("def f(a):\n    '''x'''\n    return a + 1  # why\n")["f"].meaning
    same = functions_of("def f(a):\n    return (a + 1)\n")["f"].meaning
    other = functions_of("def f(a):\n    return a + 2\n")["f"].meaning
    assert one == same != other


def test_every_function_that_a_lab_writes_is_in_the_course_and_has_a_docstring():
    for target in targets():
        file, name = target.split(":")
        node = functions_of(course_sources()[file])[name].node
        assert ast.get_docstring(node), target
        assert lab_of(file, name).startswith("lab")
    assert len(targets()) == len(set(targets()))


def test_learners_write_most_of_what_decides():
    sources = course_sources()
    functions = {file: functions_of(text) for file, text in sources.items()}
    written = sum(
        functions[file][name].body_lines
        for file, name in (target.split(":") for target in targets())
    )
    whole = sum(code_lines_of(sources[file]) for file in FILES if not file.startswith("model"))
    assert written >= 200 and written >= 0.35 * whole


@pytest.mark.parametrize(
    "source, unknown",
    (
        ("def f(self):\n    return len(self.pages)", []),
        ("def f(self, page):\n    return width * page", ["width"]),
        ("def f(self):\n    return [np.sum(one) for one in rows]", ["rows", "np"]),
        ("def f(self):\n    import math\n    return math.pi", []),
        (
            "def f(self, pages: Torch = 3):\n    def g(x):\n        return x + f\n    return g",
            ["Torch"],
        ),
        ("def f(self):\n    try:\n        pass\n    except OutOfPages:\n        raise", []),
    ),
)
def test_names_that_a_file_lacks_are_named(source, unknown):
    assert strangers(source, load(course_sources()).pages) == unknown
