"""The fast engine passes the plain one's own tests, in step and ahead of it."""

import pytest

from labutils.serving.fast import FastEngine
from tests.engine import (
    test_callbacks,
    test_clocks,
    test_device,
    test_requests,
    test_sampling,
    test_stops,
    test_troubles,
)
from tests.engine.test_callbacks import *  # noqa: F403
from tests.engine.test_clocks import *  # noqa: F403
from tests.engine.test_device import *  # noqa: F403
from tests.engine.test_requests import *  # noqa: F403
from tests.engine.test_sampling import *  # noqa: F403
from tests.engine.test_stops import *  # noqa: F403
from tests.engine.test_troubles import *  # noqa: F403

MODULES = (
    test_callbacks, test_clocks, test_device, test_requests, test_sampling, test_stops,
    test_troubles,
)  # fmt: skip
IN_STEP = {  # they count steps, and with overlap tokens are known a step later: ``test_clocks``
    "test_a_hook_sees_each_step_before_its_tokens_are_handed_out_and_may_cancel",
    "test_a_scheduler_is_told_the_time_of_the_engines_clock",
    "test_times_of_two_requests_by_hand",
}


@pytest.fixture(autouse=True, params=(False, True), ids=("in step", "overlap"))
def fast(request, monkeypatch):
    ahead = request.param and request.node.originalname not in IN_STEP

    class Engine(FastEngine):
        def __init__(self, *args, **options):
            super().__init__(*args, **{"overlap": ahead, **options})

    for module in MODULES:
        monkeypatch.setattr(module, "Engine", Engine, raising=False)
    monkeypatch.setattr(test_troubles.engine_of, "__defaults__", (Engine,))
