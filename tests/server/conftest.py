import contextlib
import time

import pytest

from labutils.engine import Engine
from labutils.server import Server
from labutils.serving.checkpoints import course_model


@pytest.fixture(scope="session")
def draft():
    """The smaller of the course's models, with its tokenizer."""
    return course_model("draft")


@pytest.fixture
def serving(draft):
    """``serving(**options)``: a server at its url, with a fresh engine; ends with the test."""
    with contextlib.ExitStack() as stack:

        def start(*, pause_s=0.0, engine=None, **options):
            model, tokenizer = draft
            engine = engine or Engine(model, tokenizer=tokenizer, num_pages=128)
            if pause_s:
                engine.on_step = lambda *_: time.sleep(pause_s)
            server = Server(engine, **options)
            stack.enter_context(server.running())
            return server

        yield start


def settled(condition, seconds=10.0):
    """Wait until another thread has come so far; False if it does not."""
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.002)
    return condition()
