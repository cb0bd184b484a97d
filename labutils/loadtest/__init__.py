"""Load on an OpenAI-compatible server of this machine, and an honest account of what came back.

1. ``plans``: what is asked and when, as data (a room of its own)
2. ``target``: where the load goes, and where it must not go
3. ``event_stream``, ``stream_client``: one streamed answer, however it ends
4. ``load_run``: a plan in one process; ``processes``, ``worker``, ``record_lines``: in several
5. ``report``: the figures (a room of its own)
6. ``proxy``, ``nginx``: what those on the way do to a stream; ``vanished``: who is not there

>>> from labutils.loadtest import Arrivals, Limits, LoadPlan, RequestKind, open_plan
>>> plan = open_plan(Arrivals.poisson(5), 20, [RequestKind(limits=Limits(ttft_s=0.2))], seed=3)
>>> print(plan.name, len(plan), LoadPlan.from_json(plan.to_json()) == plan)
5 per second, Poisson 99 True

Then ``carried = run_load(plan, Target("http://127.0.0.1:8000"))`` and
``print(LoadReport.of(carried.records, plan, warm_up_s=5))``, or the same from a terminal:
``python -m labutils.loadtest run --url http://127.0.0.1:8000 --rate 5 --seconds 20``.
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

if TYPE_CHECKING:
    from .event_stream import EventStream, ServerEvent
    from .load_run import LoadRun, Unreachable
    from .plans.load_arrivals import Arrivals
    from .plans.load_plan import LoadPlan
    from .plans.planned_request import Limits, PlannedRequest
    from .plans.request_kind import RequestKind, closed_plan, open_plan, replay_plan
    from .processes import Carried, run_load
    from .report.load_report import LoadReport
    from .target import Target

_HOME = {
    "Arrivals": "plans.load_arrivals", "Carried": "processes", "EventStream": "event_stream",
    "Limits": "plans.planned_request", "LoadPlan": "plans.load_plan",
    "LoadReport": "report.load_report", "LoadRun": "load_run",
    "PlannedRequest": "plans.planned_request", "RequestKind": "plans.request_kind",
    "ServerEvent": "event_stream", "Target": "target", "Unreachable": "load_run",
    "closed_plan": "plans.request_kind", "open_plan": "plans.request_kind",
    "replay_plan": "plans.request_kind", "run_load": "processes",
}  # fmt: skip

__all__ = [
    "Arrivals", "Carried", "EventStream", "Limits", "LoadPlan", "LoadReport", "LoadRun",
    "PlannedRequest", "RequestKind", "ServerEvent", "Target", "Unreachable", "closed_plan",
    "open_plan", "replay_plan", "run_load",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, _HOME)
