"""Fresh inputs for a learner's function, and the smallest one on which it fails.

Hypothesis generates and shrinks. It is imported on first use, keeps no database, and gets no
folder for its caches, so nothing appears beside the learner's files.
"""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path


def draw(strategy, *, number: int, seed: int) -> list[tuple]:
    """Up to ``number`` inputs; fewer where the strategy has fewer to give."""
    from hypothesis import Phase

    inputs: list[tuple] = []
    _search(strategy, inputs.append, number=number, seed=seed, phases=[Phase.generate])
    return inputs


def smallest(
    strategy, fails: Callable[[tuple], bool], *, number: int, seed: int, seconds: float
) -> tuple | None:
    """The smallest input found within ``seconds`` on which ``fails``, or ``None``."""
    from hypothesis import Phase
    from hypothesis.errors import Flaky

    found: list[tuple] = []
    ends = time.monotonic() + seconds

    def test(args):
        if time.monotonic() > ends:
            raise _Enough
        if fails(args):
            found.append(args)
            raise AssertionError

    phases = [Phase.generate, Phase.shrink]
    with contextlib.suppress(AssertionError, Flaky, _Enough):
        _search(strategy, test, number=number, seed=seed, phases=phases)
    return found[-1] if found else None


class _Enough(BaseException):
    """Ends a search from inside; Hypothesis lets it pass."""


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

    with _no_home():
        wrapped()


@contextlib.contextmanager
def _no_home():
    """Send Hypothesis, while we use it, where nothing can be written; it does without."""
    from hypothesis import configuration

    before = getattr(configuration, "__hypothesis_home_directory", None)
    configuration.set_hypothesis_home_dir(Path(os.devnull) / "hypothesis")
    try:
        yield
    finally:
        configuration.set_hypothesis_home_dir(before)
