"""Claims in lines, and code excerpts that do what their drills say they do: they are run here."""

import ast
import asyncio
import re
from collections import OrderedDict
from types import SimpleNamespace

import pytest

from labutils.drills.catalog import find, templates
from labutils.drills.definition.claim import FLAW, in_order, lines_of, numbered
from labutils.drills.definition.template import Form

CODE = """
    first = 1
    if first:
        second = 2
    """


def excerpt(drill) -> str:
    """The numbered code of a story, as Python."""
    lines = re.findall(r"^ {4}[ \d]\d  ?(.*)$|^ {4}[ \d]\d()$", drill.story, flags=re.M)
    return "\n".join(text for text, _ in lines)


def run_excerpt(template_id: str, seed: int, **names):
    """A drill and the namespace that its code leaves behind."""
    drill = find(template_id).drill(seed)
    exec(compile(excerpt(drill), template_id, "exec"), names)
    return drill, names


def mistake(drill, name: str) -> float:
    return next(item.value for item in drill.mistakes if item.name == name)


def test_lines_keep_their_order_and_the_flaw_is_right():
    options = in_order("Which?", ("one", "one holds"), ("two", FLAW), ("three", "three holds"))
    assert list(options.texts.values()) == ["one", "two", "three"]
    assert options.right == "b" and options.against == {"a": "one holds", "c": "three holds"}


@pytest.mark.parametrize("flaws", [0, 2])
def test_a_claim_has_one_flaw(flaws):
    lines = [(f"line {k}", FLAW if k < flaws else "holds") for k in range(3)]
    with pytest.raises(ValueError, match="expected one"):
        in_order("Which?", *lines)


def test_code_is_numbered_and_its_lines_become_options():
    assert numbered(CODE).splitlines()[2] == "     3      second = 2"
    options = lines_of(CODE, "", {3: FLAW, 1: "holds"})
    assert options.texts == {"a": "line 3: `second = 2`", "b": "line 1: `first = 1`"}


FLAWS = [template for template in templates() if template.form is Form.flaw]


@pytest.mark.parametrize("template", FLAWS, ids=lambda template: template.id)
def test_code_in_a_story_is_python(template):
    for seed in range(5):
        ast.parse(excerpt(template.drill(seed)))


@pytest.mark.parametrize("seed", range(4))
def test_zip_leaves_as_many_waiting_as_the_drill_says(seed):
    def distinct(inputs):
        return list(dict.fromkeys(inputs))

    async def story():
        drill, names = run_excerpt("too_few_results", seed, asyncio=asyncio, model=distinct)
        batch, missing = round(mistake(drill, "all-of-them")), round(drill.answer)
        texts = [*range(batch - missing), *range(missing)]
        field = re.search(r"request\.(\w+) for", drill.story)[1]
        requests = [
            SimpleNamespace(**{field: text}, future=asyncio.get_running_loop().create_future())
            for text in texts
        ]
        await names["run"](requests)
        assert sum(not request.future.done() for request in requests) == missing

    asyncio.run(story())


@pytest.mark.parametrize("seed", range(4))
def test_a_cancelled_client_takes_along_whom_the_drill_says(seed):
    async def story():
        drill, names = run_excerpt("cancelled_in_the_middle", seed, asyncio=asyncio)
        size = round(mistake(drill, "everybody-still-there")) + 1
        place = round(mistake(drill, "those-before")) + 1
        futures = [asyncio.get_running_loop().create_future() for _ in range(size)]
        batch = [SimpleNamespace(future=future) for future in futures]
        futures[place - 1].cancel()

        async def collect():
            return batch

        server = SimpleNamespace(collect=collect, model=lambda requests: requests)
        with pytest.raises(asyncio.InvalidStateError):
            await names["loop"](server)
        assert sum(not future.done() for future in futures) == round(drill.answer)

    asyncio.run(story())


@pytest.mark.parametrize("seed", range(4))
def test_the_cache_without_a_touch_hits_as_often_as_the_drill_says(seed):
    drill, names = run_excerpt("least_recent_in_name", seed, MISSING=None)
    keys = re.search(r"empty cache: ([A-Z ]+)\.", drill.story)[1].split()
    room = int(re.search(r"`room` is (\d)", drill.story)[1])

    def hits(touch: bool) -> int:
        cache, count = SimpleNamespace(items=OrderedDict(), room=room), 0
        for key in keys:
            found = names["get"](cache, key) is not None
            count += found
            if found and touch:
                cache.items.move_to_end(key)
            elif not found:
                names["put"](cache, key, key.lower())
        return count

    assert hits(touch=False) == mistake(drill, "first-in-first-out")
    assert hits(touch=True) == drill.answer


@pytest.mark.parametrize("seed", range(4))
def test_the_first_match_above_the_threshold_is_served(seed):
    drill, names = run_excerpt(
        "first_above_the_threshold", seed, MISSING=None, unit=lambda vector: vector
    )
    known = [float(x) for x in re.search(r"entries are ([\d., ]+\d)\.", drill.story)[1].split(", ")]

    class Query:
        def __matmul__(self, similarity):
            return similarity

    entries = [SimpleNamespace(vector=value, answer=value) for value in known]
    cache = SimpleNamespace(embed=lambda query: Query(), entries=entries)
    assert names["get"](cache, "?") == mistake(drill, "first-match")
    assert max(known) == drill.answer


@pytest.mark.parametrize("seed", range(4))
def test_the_late_request_waits_for_the_machine_and_a_fresh_window(seed):
    """The loop of the drill on a clock that jumps, with a first batch that runs for a second."""
    clock, started = SimpleNamespace(now=0.0), []

    async def next_before(deadline):
        if arrivals and arrivals[0] < deadline:
            clock.now = max(clock.now, arrivals[0])
            return [arrivals.pop(0)]
        clock.now = deadline
        return []

    async def to_thread(run, batch):
        started.append((clock.now, batch))
        clock.now += 1.0
        if not arrivals:
            raise ConnectionAbortedError

    drill, names = run_excerpt(
        "window_of_the_pass",
        seed,
        asyncio=SimpleNamespace(to_thread=to_thread),
        time=SimpleNamespace(monotonic=lambda: clock.now),
    )
    window = float(re.search(r"than ([\d.]+) ms for company", drill.story)[1]) / 1000
    late = window + 1.0 - float(re.search(r"arrives ([\d.]+) ms before", drill.story)[1]) / 1000
    arrivals = [0.0, late]
    with pytest.raises(ConnectionAbortedError):
        asyncio.run(names["loop"](SimpleNamespace(max_batch=9, next_before=next_before, run=None)))
    assert started[1][0] - late == pytest.approx(mistake(drill, "window-on-top"))
