"""Fresh inputs for a learner's function, and the smallest one on which it fails.

Hypothesis generates and shrinks. It is imported on first use, keeps no database, and gets no
folder for its caches, so nothing appears beside the learner's files. It is kept from reading the
sources of all loaded modules for numbers to draw: that takes seconds in every kernel, and what a
seed decides would depend on what else is loaded.
"""

import contextlib
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

_BEFORE_VARIATION = 10  # examples that Hypothesis draws afresh before it varies them


def draw(strategy, *, number: int, seed: int) -> list[tuple]:
    """Up to ``number`` different inputs; fewer where the strategy has fewer to give.

    They come from many short searches, for in a long one Hypothesis varies what it has: most of
    the inputs would be akin, and some kinds of input missing.
    """
    inputs: dict[str, tuple] = {}
    seeds = random.Random(seed)
    is_new = True
    while is_new and len(inputs) < number:
        is_new = _add(inputs, strategy, number=_BEFORE_VARIATION, seed=seeds.getrandbits(64))
    if len(inputs) < number:  # few are left: a long search finds them all
        _add(inputs, strategy, number=number, seed=seeds.getrandbits(64))
    return [*inputs.values()][:number]


def _add(inputs: dict[str, tuple], strategy, *, number: int, seed: int) -> bool:
    """Add the inputs that one search finds; returns whether any of them is new."""
    from hypothesis import Phase

    before, found = len(inputs), []
    _search(strategy, found.append, number=number, seed=seed, phases=[Phase.generate])
    for args in found:
        inputs.setdefault(repr(args), args)
    return len(inputs) > before


def smallest(
    strategy, fails: Callable[[tuple], bool], *, number: int, seed: int, seconds: float
) -> tuple | None:
    """The smallest input found within ``seconds`` on which ``fails``, or ``None``."""
    from hypothesis import Phase, strategies
    from hypothesis.errors import Flaky

    found: list[tuple] = []
    ends = time.monotonic() + seconds

    @strategies.composite
    def in_time(one):
        if time.monotonic() > ends:  # before it is drawn: many drawn to shrink come to nothing
            raise _Enough
        return one(strategy)

    def test(args):
        if fails(args):
            found.append(args)
            raise AssertionError

    phases = [Phase.generate, Phase.shrink]
    with contextlib.suppress(AssertionError, Flaky, _Enough):
        _search(in_time(), test, number=number, seed=seed, phases=phases)
    return found[-1] if found else None


class _Enough(BaseException):
    """Raised inside a search to end it; Hypothesis does not catch it."""


def _search(strategy, test: Callable[[tuple], None], *, number: int, seed: int, phases) -> None:
    """Run ``test`` on generated inputs; the seed decides which, for a given strategy."""
    import hypothesis

    @hypothesis.settings(
        max_examples=number,
        phases=phases,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
    )
    @hypothesis.seed(seed)
    @hypothesis.given(strategy)
    def wrapped(args):
        test(args)

    with _no_home(), _no_sources():
        wrapped()


@contextlib.contextmanager
def _no_home():
    """While it is used, give Hypothesis a folder that cannot be written, so it stores nothing."""
    from hypothesis import configuration

    before = getattr(configuration, "__hypothesis_home_directory", None)
    configuration.set_hypothesis_home_dir(Path(os.devnull) / "hypothesis")
    try:
        yield
    finally:
        configuration.set_hypothesis_home_dir(before)


@contextlib.contextmanager
def _no_sources():
    """Call no module local: from local ones, newer versions of Hypothesis collect constants."""
    providers = sys.modules.get("hypothesis.internal.conjecture.providers")
    before = getattr(providers, "is_local_module_file", None)
    if before:
        providers.is_local_module_file = lambda path: False
    try:
        yield
    finally:
        if before:
            providers.is_local_module_file = before
