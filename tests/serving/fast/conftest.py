"""As for the plain engine: one thread, and no test that never ends."""

from tests.engine.conftest import no_endless_engine, one_thread

__all__ = ["no_endless_engine", "one_thread"]
