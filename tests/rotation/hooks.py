"""Leaves out the tests that are not in turn, says so in the last lines, and records a full pass."""

import dataclasses
import functools
import os
import sys
import time
from collections import Counter

import pytest

from tests.rotation.reach import sources
from tests.rotation.record import clean_commit, write_record
from tests.rotation.turn import ROOT, Now, Turn, turn_at

LEFT_OUT = pytest.StashKey[Counter]()
BEGUN = pytest.StashKey[tuple[float, str]]()
OPENED, RUN = "tests/browser/test_chapters.py", "test_learner_edition_runs_untouched"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """The run decides whose turn it is; its workers are told."""
    config.stash[LEFT_OUT] = Counter()
    if hasattr(config, "workerinput"):
        told = config.workerinput["turn"]
        Now.turn = Turn(**told) if told else None
    elif os.environ.get("LABUTILS_FULL") == "1":
        Now.turn = Turn(True, "LABUTILS_FULL=1")
        config.stash[BEGUN] = time.time(), clean_commit(ROOT)
    elif os.environ.get("CI") == "true":
        Now.turn = turn_at(ROOT)
    else:
        Now.turn = None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    node.workerinput["turn"] = dataclasses.asdict(Now.turn) if Now.turn else None


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    told = getattr(node, "workeroutput", {})
    node.config.stash[LEFT_OUT] |= Counter(told.get("left_out"))  # each worker knows of all
    Now.small |= Counter(told.get("small"))


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem):
    """Say at once who took a worker with it: a run that is cut short reaches no summary."""
    print(f"\nThe worker died in {crashitem}", flush=True)


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        told = {"left_out": dict(session.config.stash[LEFT_OUT]), "small": dict(Now.small)}
        session.config.workeroutput |= told


def pytest_collection_modifyitems(config, items):
    chosen = {item: is_in_turn(item) for item in items}
    left_out = [item for item in items if not chosen[item]]
    config.stash[LEFT_OUT] = Counter(item.path.stem for item in left_out)
    items[:] = without_what_the_browser_opens([item for item in items if chosen[item]])
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def is_in_turn(item) -> bool:
    """Whether a test runs: one that rotates in its turn, a full one unless it is quick."""
    if Now.turn and item.get_closest_marker("rotates"):
        return Now.turn.has(*unit_of(item))
    return bool(Now.turn) or not any(map(item.get_closest_marker, ("full", "rotates")))


def unit_of(item) -> tuple[str, set[str]]:
    """The name under which a test is chosen, and the files that it rests on beside its imports.

    Tests of a file with the same ``chapter`` are chosen together: they share its run.
    """
    file = item.path.relative_to(item.config.rootpath).as_posix()
    if chapter := chapter_of(item):
        return f"{file} {chapter.name}", {file, chapter.source_path}
    source = SOURCES().get(given(item, "slug"))
    return item.nodeid, {file, source} if source else {file}


def given(item, name: str):
    """What a test is parametrized with by that name, if it is."""
    return item.callspec.params.get(name) if hasattr(item, "callspec") else None


chapter_of = functools.partial(given, name="chapter")
SOURCES = functools.cache(functools.partial(sources, ROOT))


def without_what_the_browser_opens(items: list) -> list:
    """No run of a learner edition that the browser opens in this run: it is heard there."""
    from tests.conftest import chromium_missing

    if chromium_missing():
        return items
    opened = {chapter_of(item).name for item in items if item.nodeid.startswith(OPENED)}
    runs = [item for item in items if getattr(item, "originalname", "") == RUN]
    gone = {item for item in runs if chapter_of(item).name in opened}
    return [item for item in items if item not in gone]


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    left_out, say = config.stash[LEFT_OUT], terminalreporter.write_line
    if Now.turn is None and left_out:
        say(f"{left_out.total()} tests left out: make test-full runs them")
    elif Now.turn and not Now.turn.everything:
        say(f"{Now.turn.reason}. A sixth of the rest is proved; left to other commits:")
        say(f"tests: {in_words(left_out)}")
        say(f"units at small sizes: {in_words(Now.small)}")
        python = os.path.relpath(sys.executable)
        say(f"make test-full runs all; one again: LABUTILS_FULL=1 {python} -m pytest 'TEST'")
    elif Now.turn:
        say(f"Everything was in turn: {Now.turn.reason}")
    if exitstatus == 0 and BEGUN in config.stash:
        lacks = what_lacks(config)
        told = write_record(ROOT, terminalreporter.stats, *config.stash[BEGUN]) if not lacks else ""
        say(told or f"No record of this pass: {lacks}.")


def in_words(counts: Counter) -> str:
    return (
        ", ".join(f"{count} of {name}" for name, count in counts.most_common() if count) or "none"
    )


def what_lacks(config) -> str:
    """Why a pass is none of everything: something was named, filtered out or missing."""
    from tests.conftest import MISSING, PROGRAMS

    option = config.option
    named = config.args_source is not pytest.Config.ArgsSource.TESTPATHS
    if named or option.keyword or option.markexpr or option.collectonly:
        return "a part of the tests was asked for"
    missing = [MISSING[name]() for name in sorted(PROGRAMS)]
    return ", ".join(filter(None, missing))
