"""The command ``run``: options become a plan, the plan a report."""

import json
import sys
from pathlib import Path

from labutils.ground.units import parse
from labutils.workload import mix

from .load_run import Unreachable
from .options import parser
from .plans.load_arrivals import Arrivals
from .plans.load_plan import LoadPlan
from .plans.planned_request import Limits
from .plans.request_kind import RequestKind, closed_plan, open_plan
from .processes import Carried, run_load
from .record_lines import as_line
from .report.load_report import LoadReport
from .report.report_page import place
from .stream_client import UNREACHABLE
from .target import Target

MOST_KINDS_BYTES = 1 << 20
LOST, WRONG, INTERRUPTED = 1, 2, 130


def run(arguments: list[str]) -> int:
    """Carry out what the arguments say; an exit code."""
    options = parser().parse_args(arguments)
    try:
        target = Target(
            options.url, options.model, _json("--extra", options.extra),
            headers={"Authorization": f"Bearer {options.token}"} if options.token else {},
            allow_remote=options.allow_remote,
        )  # fmt: skip
        plan = _plan(options)
        _check_warm_up(options.warm_up, plan)
        if options.save_plan:
            place(Path(options.save_plan), plan.to_json().encode())
        carried = run_load(
            plan, target, processes=options.processes, timeout_s=options.timeout,
            progress=sys.stderr.isatty(),
        )  # fmt: skip
        return _tell(carried, plan, options)
    except (ValueError, Unreachable, OSError) as error:
        print(error, file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print("Interrupted before the first request.", file=sys.stderr)
        return INTERRUPTED


def _plan(options) -> LoadPlan:
    if options.plan:
        return LoadPlan.from_json(Path(options.plan).read_text(encoding="utf-8"))
    kinds = _kinds(options)
    if options.users is not None:
        return closed_plan(
            options.users, options.seconds, kinds, think_s=options.think, seed=options.seed
        )
    return open_plan(_arrivals(options), options.seconds, kinds, seed=options.seed)


def _arrivals(options) -> Arrivals:
    if options.arrivals == "evenly":
        return Arrivals.evenly(options.rate)
    if options.arrivals == "gamma":
        return Arrivals.gamma(options.rate, gap_cv=options.cv)
    if options.arrivals == "on-off":
        return Arrivals.on_off(options.rate, mean_on_s=options.on, mean_off_s=options.off)
    return Arrivals.poisson(options.rate)


def _kinds(options) -> list[RequestKind]:
    if options.kinds:
        content = Path(options.kinds).read_bytes()
        if len(content) > MOST_KINDS_BYTES:
            raise ValueError(f"--kinds: expected at most {MOST_KINDS_BYTES:,} bytes")
        rows = _json("--kinds", content.decode("utf-8", "replace"), list)
        return [_kind(i, row) for i, row in enumerate(rows)]
    said = {
        f"{name}_s": parse(getattr(options, name), "s")
        for name in ("ttft", "tpot", "e2e")
        if getattr(options, name)
    }
    return [
        RequestKind(
            limits=Limits(**said),
            lengths=mix(options.lengths) if options.lengths else None,
            slow_pause_s=options.slow_pause,
            **{
                name: getattr(options, name)
                for name in (
                    "prompt_words", "max_tokens", "prefix_words", "prefix_groups",
                    "leave_share", "leave_after", "slow_share",
                )
            },
        )
    ]  # fmt: skip


def _kind(i: int, row) -> RequestKind:
    """A kind from its JSON object: ``limits`` is an object, ``lengths`` the name of a mix."""
    try:
        said = dict(row)
        said["limits"] = Limits(**said.get("limits", {}))
        if said.get("lengths") is not None:
            said["lengths"] = mix(said["lengths"])
        return RequestKind(**said)
    except (TypeError, ValueError) as error:
        raise ValueError(f"--kinds[{i}]: {error}") from None


def _json(name: str, text: str, kind: type = dict):
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name}: expected JSON ({error})") from None
    if not isinstance(content, kind):
        raise ValueError(f"{name} = {text[:80]!r}: expected a JSON {kind.__name__}")
    return content


def _check_warm_up(warm_up_s: float, plan: LoadPlan) -> None:
    """Refuse a warm-up that is longer than the run, before the run starts."""
    if not 0 <= warm_up_s < plan.seconds:
        raise ValueError(
            f"--warm-up {warm_up_s}: expected 0 to less than the {plan.seconds:g} s of the run"
        )


def _tell(carried: Carried, plan: LoadPlan, options) -> int:
    """Print and write the report of whatever there is, then say what went wrong."""
    if options.records:
        lines = "".join(f"{as_line(record)}\n" for record in carried.records)
        place(Path(options.records), lines.encode())
    warm_up_s = options.warm_up
    if carried.ended_s is not None and carried.ended_s <= warm_up_s:
        print("The run was interrupted in its warm-up; nothing is cut.", file=sys.stderr)
        warm_up_s = 0.0
    report = LoadReport.of(carried.records, plan, warm_up_s=warm_up_s, ended_s=carried.ended_s)
    if options.json and options.json != "-":
        place(Path(options.json), report.to_json().encode())
    if options.html:
        report.write_html(options.html)
    print(report.to_json() if options.json == "-" else report)
    return _problems(carried, options.url)


def _problems(carried: Carried, url: str) -> int:
    if carried.lost:
        print(carried.lost, file=sys.stderr)
        return LOST
    unreached = sum(
        str(record.tags.get("reason", "")).startswith(UNREACHABLE) for record in carried.records
    )
    if unreached:
        of_all = f"{unreached} of {len(carried.records)} requests"
        print(f"{url} could not be reached by {of_all}.", file=sys.stderr)
        return WRONG
    return 0 if carried.ended_s is None else INTERRUPTED
