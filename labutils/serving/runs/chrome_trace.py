"""A run as a file for chrome://tracing or ui.perfetto.dev.

The format: Trace Event Format (Google, 2016), complete events "X", counters "C", metadata "M",
times in microseconds.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from .telemetry import Telemetry
from .timeline import Timeline

REQUESTS, SERVER = 1, 2  # process numbers: two groups of rows in the viewer
COUNTERS = ("running", "waiting", "pages_in_use")


def write_chrome_trace(path, ids, timeline: Timeline, telemetry: Telemetry) -> Path:
    """Write one row per request, and counters of the server; returns the path.

    Raises ``OSError`` where the file cannot be written.
    """
    path = Path(path)
    with path.open("w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit": "ms", "traceEvents": [\n')
        for number, event in enumerate(_events(ids, timeline, telemetry)):
            file.write(",\n" * bool(number) + json.dumps(event))
        file.write("\n]}\n")
    return path


def _events(ids, timeline: Timeline, telemetry: Telemetry) -> Iterator[dict]:
    for process, name in ((REQUESTS, "requests"), (SERVER, "server")):
        yield {"ph": "M", "name": "process_name", "pid": process, "args": {"name": name}}
    for row, request_id in enumerate(ids):
        name = {"name": f"request {request_id}"}
        yield {"ph": "M", "name": "thread_name", "pid": REQUESTS, "tid": row, "args": name}
    spans = (timeline.request, timeline.phase, timeline.start_s, timeline.end_s)
    for row, phase, start_s, end_s in zip(*(column.tolist() for column in spans)):
        times = {"ts": start_s * 1e6, "dur": (end_s - start_s) * 1e6}
        yield {"ph": "X", "name": phase, "cat": "request", "pid": REQUESTS, "tid": row, **times}
    for name in COUNTERS:
        for time_s, value in zip(telemetry.time_s.tolist(), getattr(telemetry, name).tolist()):
            args = {name: value}
            yield {"ph": "C", "name": name, "pid": SERVER, "ts": time_s * 1e6, "args": args}
