"""Patches: how a sheet is read, where a change finds its place, and what is wrong with one."""

import asyncio
import inspect

import pytest

from labutils.ground.patches import patches
from labutils.ground.sheets import SheetError
from labutils.workspace.my_engine.texts.slips import with_patch

RIGHT = """\
def served(queue, limit):
    done = []
    for request in queue:
        if request > limit:
            continue
        done.append(request)
    for request in done:
        queue.remove(request)
    return done
"""


def changed(code: str) -> str:
    """``RIGHT`` after the lines of a patch."""
    (patch,) = patches(f"a-mistake: What is it?\n{code}")
    return patch.made_in({"served": RIGHT})["served"]


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        ("- done = []\n+ done = [0]", "    done = []\n", "    done = [0]\n"),
        ("- return done", "    return done\n", ""),
        ("- > limit\n+ >= limit", "> limit", ">= limit"),
        ("= continue\n+ done.clear()", "continue\n", "continue\n            done.clear()\n"),
        ("= for request in done:\n-     queue.remove(request)\n+     pass",
         "queue.remove(request)", "pass"),
        ("- done.append(request)\n+ if request:\n+     done.append(request)",
         "        done.append(request)\n",
         "        if request:\n            done.append(request)\n"),
        ("- in queue\n+ in queue[1:]", "in queue:", "in queue[1:]:"),
    ],
)  # fmt: skip
def test_a_change_is_made_where_its_lines_stand(code, before, after):
    assert RIGHT.count(before) == 1
    assert changed(code) == RIGHT.replace(before, after)


def test_two_changes_of_one_patch_are_made_in_turn():
    text = changed("- done = []\n+ done, gone = [], []\n- continue\n+ gone.append(request)")
    assert "done, gone = [], []" in text and "gone.append(request)" in text


def test_whole_lines_come_before_passages():
    assert changed("- continue\n+ break").count("break") == 1
    with pytest.raises(SheetError, match="not 2 times"):
        changed("- request in\n+ one in")


@pytest.mark.parametrize(
    ("sheet", "complaint"),
    [
        ("lost: It is lost.", "line 1 .*expected a change below 'lost'"),
        ("It is lost.\n- x", "line 1 .*expected «name: message»"),
        ("- x\n+ y", "line 1 .*expected «name: message»"),
        ("lost: It is.\n+ y", "line 2 .*expected a line to change"),
        ("lost: It is.\n- x\n+ x", "line 2 .*expected a line to change"),
        ("lost: It is.\n- x\nlost: Again.\n- y", "line 3 .*'lost' is there already"),
    ],
)
def test_a_sheet_that_cannot_be_read_names_its_line(sheet, complaint):
    with pytest.raises(SheetError, match=complaint):
        patches(sheet)


@pytest.mark.parametrize(
    ("times", "code"), [(0, "- nowhere"), (2, "- for request in\n+ for one in")]
)
def test_a_change_without_one_place_names_patch_line_and_text(times, code):
    with pytest.raises(SheetError, match=rf"'a-mistake', line 2 .*once in served, not {times} "):
        changed(code)


def test_a_class_is_patched_among_the_names_of_its_module():
    (patch,) = patches("unbounded: It never refuses.\n- at_most\n+ at_least")
    assert patch.of(Bound)(3).allows(4) and not Bound(3).allows(4)
    assert patch.wrong(Bound)(3).allows(4)


def test_functions_of_the_engine_are_patched_in_it():
    (patch,) = patches("lost: It is lost.\n- self.wait(newest, first=True)")
    target = "scheduler:Scheduler._preempt"
    assert "wait" not in with_patch(patch, [target])[target].__code__.co_names


def at_most(value, limit):
    return value <= limit


def at_least(value, limit):
    return value >= limit


class Bound:
    def __init__(self, limit):
        self.limit = limit

    def allows(self, value):
        return at_most(value, self.limit)


async def awaits_twice(step):
    return await step() + await step()


def test_a_patch_of_async_code_is_async_code():
    async def step():
        return 3

    (patch,) = patches("once: You await one step.\n- + await step()\n+ + 1")
    wrong = patch.wrong(awaits_twice)
    assert inspect.iscoroutinefunction(wrong) and asyncio.run(wrong(step)) == 4
