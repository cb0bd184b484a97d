"""What a run showed: counted, measured, held against its promises and against its own clock."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

import numpy as np

from labutils.ground import arguments
from labutils.loadtest.plans.load_plan import LoadPlan
from labutils.metrics import RequestLog, RequestRecord, RequestStatus

from .figures import KeptRow, LatencyRow, Lateness, Quantile
from .remarks import remarks

FORMAT = "labutils load report 1"
MOST_JSON = 1 << 22
MOST_REASONS = 12


@dataclass(frozen=True, kw_only=True)
class LoadReport:
    """The figures of a run, over the requests that were due from ``from_s`` on.

    Make one with ``LoadReport.of``. Latencies are of answered requests, from the intended moment;
    clients who left on purpose, slow readers and interrupted requests (``left_out``) stand in none
    of them and were promised nothing. Rates count what happened from ``from_s`` to ``to_s``: a
    request that ended later is in the latencies, not in the rates. Intervals take requests as
    independent; those that queue behind each other are not, and their true intervals are wider.

    ``num_cut`` requests were due in the warm-up before ``from_s``. ``goodput_per_s`` counts answers
    that kept all limits of their kind; a kind without limits is good when it is answered.
    ``remarks`` says in words what a reader has to know before the figures.
    """

    name: str
    is_open: bool
    planned: int
    recorded: int
    num_cut: int
    from_s: float
    to_s: float
    statuses: Mapping[str, int]
    reasons: Mapping[str, int]
    left_out: Mapping[str, int]
    latencies: tuple[LatencyRow, ...]
    promises: tuple[KeptRow, ...]
    offered_per_s: float
    requests_per_s: float
    goodput_per_s: float
    tokens_per_s: float
    mean_in_flight: float
    output_tokens: int
    server_output_tokens: int | None
    lateness: Lateness | None
    confidence: float
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, records: Iterable[RequestRecord], plan: LoadPlan, *, warm_up_s: float = 0.0,
        ended_s: float | None = None, confidence: float = 0.95,
    ) -> "LoadReport":  # fmt: skip
        """The report of ``records`` of ``plan``, without those due before ``warm_up_s``.

        ``ended_s`` is when the run was interrupted, if it was. ``ValueError`` for a warm-up that
        leaves nothing of the run.
        """
        records = sorted(records, key=lambda record: record.intended_arrival_s)
        to_s = plan.seconds if ended_s is None else min(plan.seconds, ended_s)
        from_s = arguments.non_negative("warm_up_s", warm_up_s)
        arguments.fraction("confidence", confidence)
        if from_s >= to_s:
            raise ValueError(
                f"warm_up_s = {warm_up_s!r}: expected less than the {to_s:.4g} s of the run"
            )
        measured = [record for record in records if record.intended_arrival_s >= from_s]
        figures = _figures(measured, plan, confidence) | _rates(records, plan, (from_s, to_s))
        report = cls(
            name=plan.name, is_open=plan.is_open, planned=len(plan), recorded=len(records),
            num_cut=len(records) - len(measured), from_s=from_s, to_s=to_s,
            confidence=confidence, **figures,
        )  # fmt: skip
        told = remarks(report, interrupted=ended_s is not None)
        object.__setattr__(report, "remarks", told)
        return report

    def latency(self, name: str) -> LatencyRow:
        """The row called ``name``: TTFT, TPOT, ITL or E2E; ``KeyError`` for another."""
        return {row.name: row for row in self.latencies}[name]

    @property
    def is_generator_late(self) -> bool:
        """Whether the generator was so late that its latencies are not the server's."""
        return self.lateness is not None and self.lateness.spoils(self.latency("TTFT").at(0.5))

    def to_json(self) -> str:
        """The report as text, which ``from_json`` reads."""
        content = {"format": FORMAT, **asdict(self)}
        return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "LoadReport":
        """Read a report; ``ValueError`` for what is none."""
        if not isinstance(text, str) or len(text) > MOST_JSON:
            raise ValueError(f"report: expected JSON of at most {MOST_JSON:,} characters")
        try:
            content = json.loads(text)
            if content.pop("format") != FORMAT:
                raise ValueError("another format")
            for name, read in _READ.items():
                content[name] = read(content[name])
            report = cls(**content)
            str(report)  # what cannot be told is no report
            return report
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(
                f"report: expected a JSON object whose format is {FORMAT!r} ({error})"
            ) from None

    def write_html(self, path) -> None:
        """Write the report to ``path`` as one page that loads nothing from anywhere.

        What stood there is kept in ``backups`` beside it.
        """
        from .report_page import write_page

        write_page(self, path)

    def __str__(self) -> str:
        from .report_table import table

        return table(self)


def _latency_row(content: dict) -> LatencyRow:
    quantiles = tuple(Quantile(**one) for one in content.pop("quantiles"))
    return LatencyRow(**content, quantiles=quantiles)


_READ = {
    "latencies": lambda rows: tuple(_latency_row(row) for row in rows),
    "promises": lambda rows: tuple(KeptRow(**row) for row in rows),
    "lateness": lambda content: None if content is None else Lateness(**content),
    "remarks": tuple,
}


def _figures(measured, plan: LoadPlan, confidence: float) -> dict:
    """The fields that are about the requests due after the warm-up, whenever they ended."""
    log, clean = RequestLog.of(measured), _judged(measured)
    answered = [record for record in clean if record.ok]
    by_server = [record.tags.get("server_output_tokens") for record in answered]
    known = bool(by_server) and all(isinstance(count, int) for count in by_server)
    reasons = Counter(map(_left_out, measured))
    del reasons[""]
    return {
        "statuses": dict(Counter(str(record.status) for record in measured).most_common()),
        "reasons": _reasons(measured),
        "left_out": dict(reasons.most_common()),
        "latencies": _latencies(RequestLog.of(answered), confidence),
        "promises": _promises(clean, plan),
        "output_tokens": sum(record.output_tokens for record in answered),
        "server_output_tokens": sum(by_server) if known else None,
        "lateness": Lateness.of(log.sent_s - log.intended_arrival_s),
    }


def _rates(records, plan: LoadPlan, window: tuple[float, float]) -> dict:
    """The fields that are about a stretch of time, whenever the requests were due."""
    log, judged = RequestLog.of(records), _judged(records)
    from_s, to_s = window
    ends = RequestLog.of(judged).finish_s[_good(judged, plan)]
    return {
        "offered_per_s": log.arrival_rate_per_s(from_s, to_s),
        "requests_per_s": log.throughput_per_s(from_s, to_s),
        "goodput_per_s": float(((from_s <= ends) & (ends < to_s)).sum() / (to_s - from_s)),
        "tokens_per_s": log.token_throughput_per_s(from_s, to_s),
        "mean_in_flight": log.mean_in_flight(from_s, to_s),
    }


def _judged(records) -> list[RequestRecord]:
    """The requests by which the server may be judged."""
    return [record for record in records if not _left_out(record)]


def _left_out(record: RequestRecord) -> str:
    """Why a request says nothing about the server's latency; empty if it does."""
    if record.status is RequestStatus.CANCELLED:
        return str(record.tags.get("reason", "cancelled"))
    return "slow_reader" if record.tags.get("slow_reader") else ""


def _reasons(records) -> dict[str, int]:
    told = Counter(
        f"{record.status}: {record.tags.get('reason', 'no reason told')}"
        for record in records
        if not record.ok
    )
    return dict(told.most_common(MOST_REASONS))


def _latencies(answered: RequestLog, confidence: float) -> tuple[LatencyRow, ...]:
    columns = {
        "TTFT": answered.ttft_s,
        "TPOT": answered.tpot_s,
        "ITL": answered.itl_s,
        "E2E": answered.e2e_s,
    }
    return tuple(
        LatencyRow.of(name, np.asarray(column), confidence=confidence)
        for name, column in columns.items()
    )


def _good(judged, plan: LoadPlan) -> np.ndarray:
    """Whether each request was answered within all limits of its kind."""
    limits = [plan.promised(record.tags.get("kind")) for record in judged]
    columns = {
        name: np.array([getattr(one, name) for one in limits], dtype=float)
        for name in ("ttft_s", "tpot_s", "e2e_s")
    }
    return np.asarray(RequestLog.of(judged).meets(**columns))


def _promises(judged, plan: LoadPlan) -> tuple[KeptRow, ...]:
    rows = []
    for kind, limits in plan.promises.items():
        mine = [record for record in judged if record.tags.get("kind") == kind]
        log, promised = RequestLog.of(mine), limits.finite()
        each = {name: int(log.meets(**{name: limit}).sum()) for name, limit in promised.items()}
        rows.append(KeptRow(kind, len(mine), int(_good(mine, plan).sum()), promised, each))
    return tuple(rows)
