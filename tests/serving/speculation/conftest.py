"""As for the plain engine: one thread, and no test that never ends."""

from weakref import WeakKeyDictionary

import pytest

from labutils.serving.speculation import Speculative
from tests.engine.conftest import MOST_STEPS, no_endless_engine, one_thread

__all__ = ["no_endless_engine", "one_thread"]


@pytest.fixture(autouse=True)
def no_endless_speculation(monkeypatch):
    step, steps = Speculative.step, WeakKeyDictionary()

    def counted(engine):
        steps[engine] = steps.get(engine, 0) + 1
        assert steps[engine] <= MOST_STEPS, f"no end after {MOST_STEPS} steps"
        return step(engine)

    monkeypatch.setattr(Speculative, "step", counted)
