"""Small matrices gain nothing from a second thread; an engine that never ends fails its test."""

from weakref import WeakKeyDictionary

import pytest
import torch

from labutils.engine import Engine

MOST_STEPS = 15_000
MOST_SILENT_STEPS = 400  # in a row, without a token: the longest prompt takes 120


@pytest.fixture(autouse=True, scope="package")
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(autouse=True)
def no_endless_engine(monkeypatch):
    """An engine that computes without end is an error instead of a hang."""
    step, steps, silent = Engine.step, WeakKeyDictionary(), WeakKeyDictionary()

    def counted(engine):
        told = step(engine)
        steps[engine] = steps.get(engine, 0) + 1
        silent[engine] = silent.get(engine, 0) + 1 if engine.open and not told else 0
        assert silent[engine] <= MOST_SILENT_STEPS, f"no token in {MOST_SILENT_STEPS} steps"
        assert steps[engine] <= MOST_STEPS, f"no end after {MOST_STEPS} steps"
        return told

    monkeypatch.setattr(Engine, "step", counted)
