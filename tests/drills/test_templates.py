"""Every template, 20 seeds (in turn 200): the reference passes, each mistake meets its own message,
no number is degenerate, nothing gives the answer away. ``DRILL_SEEDS`` sets their number, and
``-k ID`` narrows it while writing.
"""

import math
import os
import re
import sys
from collections.abc import Iterator

import pytest

from labutils.drills import catalog
from labutils.drills.catalog import templates
from labutils.drills.definition.drill import Drill, judge_step
from labutils.drills.definition.template import Form, Template
from labutils.exercises.definition.verdict import Status
from labutils.ground.units import format_quantity
from labutils.topics import all_topics
from tests.rotation import in_turn

TOPICS = {topic.id for topic in all_topics()}


def home_of(template: Template) -> str:
    """The file that defines it."""
    rooms = [room for name, room in sys.modules.items() if name.startswith(catalog.__name__)]
    return next(room.__file__ for room in rooms if template in vars(room).values())


def links(drill: Drill) -> Iterator[Drill]:
    """The drill and its follow-ups."""
    while drill is not None:
        yield drill
        drill = drill.follow_up


@pytest.fixture(scope="module", params=templates(), ids=lambda item: item.id)
def template(request) -> Template:
    """One template after the other: all tests of one run before the next is drawn."""
    return request.param


@pytest.fixture(scope="module")
def firsts(template) -> dict[int, Drill]:
    """The drill of each seed, without its follow-ups."""
    wide = in_turn(__file__, home_of(template), unit=template.id)
    count = int(os.environ.get("DRILL_SEEDS", 200 if wide else 20))
    return {seed: template.drill(seed) for seed in range(count)}


@pytest.fixture(scope="module")
def drills(firsts) -> list[Drill]:
    """Every drill of the template, follow-ups included."""
    return [link for drill in firsts.values() for link in links(drill)]


def test_reference_passes_and_each_mistake_meets_its_own_message(template, drills):
    for drill in drills:
        if drill.answer is None:
            continue
        assert math.isfinite(drill.answer)
        assert drill.number.check(drill.answer).passed
        allowed = max(drill.tolerance * abs(drill.answer), drill.absolute)
        for mistake in drill.mistakes:
            verdict = drill.number.check(mistake.value)
            assert (verdict.status, verdict.diagnosis) == (Status.misconception, mistake.name)
            assert abs(mistake.value - drill.answer) >= 2 * allowed or past(drill, mistake.value)


def past(drill: Drill, value: float) -> bool:
    """Whether that whole number lies on the side on which there is no tolerance."""
    beyond = {"above": value - drill.answer, "below": drill.answer - value, "": 0}[drill.unsafe]
    return beyond >= 1 and value == int(value)


def test_a_count_has_no_tolerance_on_its_unsafe_side(template, drills):
    for drill in drills:
        if drill.unsafe:
            assert drill.answer == int(drill.answer) and drill.absolute >= 1
            step = 1 if drill.unsafe == "above" else -1
            verdict = drill.number.check(drill.answer + step)
            assert verdict.status is Status.misconception, (drill.question, verdict)
            assert drill.number.check(drill.answer - step).passed


def test_the_answer_as_printed_is_right(template, drills):
    for drill in drills:
        if drill.answer is not None and max(drill.tolerance, drill.absolute) > 0:
            assert drill.number.check(format_quantity(drill.answer, drill.unit)).passed


def test_each_wrong_option_has_a_message_of_its_own(template, drills):
    for drill in drills:
        if drill.options is None:
            continue
        assert drill.options.judge(drill.options.right).passed
        for key, message in drill.options.against.items():
            assert drill.options.judge(key).diagnosis == key
            assert len(message) > 20
        assert len(set(drill.options.texts.values())) == len(drill.options.texts)
        assert len(set(drill.options.against.values())) == len(drill.options.against)


def test_a_thousandfold_answer_meets_the_scale_message(template, drills):
    if template.form is Form.verdict:
        return
    for drill in drills:
        if drill.answer and drill.scale and drill.unit not in ("1", "%") and drill.tolerance < 0.2:
            names = {drill.number.check(drill.answer * 1000).status}
            assert names <= {Status.scale, Status.misconception}


def test_the_steps_lead_to_the_answer(template, drills):
    for drill in drills:
        for step in drill.named_steps.values():
            assert judge_step(step, step.value, tolerance=drill.tolerance).passed
            assert not judge_step(step, 3 * step.value + 1, tolerance=drill.tolerance).passed
        if drill.answer is not None and drill.named_steps:
            last = [*drill.named_steps.values()][-1]
            assert judge_step(last, last.value, tolerance=0.01).passed
        assert drill.steps


def test_same_seed_same_drill_and_other_seeds_differ(template, firsts):
    shown = {}
    for seed, one in firsts.items():
        same = template.drill(seed)
        assert (one.story, one.question, one.answer) == (same.story, same.question, same.answer)
        shown[one.story + one.question + str(one.options)] = seed
    assert len(shown) > len(firsts) / (20 if template.answer_is_choice(0) else 4)


def test_texts_are_complete_and_give_nothing_away(template, drills):
    assert set(template.topics) <= TOPICS and template.topics
    for drill in drills:
        texts = [drill.story, drill.question, drill.moral, *drill.hints]
        texts += [step.text for step in drill.steps] + [m.message for m in drill.mistakes]
        assert all(text.strip() for text in texts if text is not drill.story)
        assert not re.search(r"\b(nan|inf|None)\b|∞", " ".join(texts))
        if drill.answer is not None and len(format_quantity(drill.answer, drill.unit)) > 3:
            shown = re.escape(format_quantity(drill.answer, drill.unit))
            for text in [*drill.hints, drill.sanity, *(m.message for m in drill.mistakes)]:
                assert not re.search(rf"(?<![\d.,]){shown}(?![\d])", text), (shown, text)


def test_the_prompt_does_not_name_its_law(template, firsts):
    named = re.compile(
        r"little's law|M/M/|M/D/|M/G/|erlang|amdahl|kingman|pollaczek|roofline|ridge point|"
        r"scalability law|processor sharing|shortest (job|remaining)",
        re.I,
    )
    for drill in firsts.values():
        assert not named.search(f"{drill.story} {drill.question}") or template.form in (
            Form.flaw,
            Form.defend,
        )
