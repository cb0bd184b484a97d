"""Recording through OpenTelemetry: nothing lost, and nobody waits for a collector."""

import socket
import subprocess
import sys
import threading
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry import trace as api

from labutils.telemetry import in_order_of_end, record_traces, root_of, text_tree


@pytest.fixture
def recorder():
    made = record_traces("toy")
    yield made
    made.close()


def request(tracer, name="request"):
    with tracer.start_as_current_span(name):
        for stage in ("embed", "search"):
            with tracer.start_as_current_span(stage):
                pass


def test_each_request_is_a_trace_of_its_own(recorder):
    for name in ("one", "two"):
        request(recorder.tracer(), name)
    first, second = recorder.traces()
    assert [span.name for span in first] == ["one", "embed", "search"]
    assert root_of(second).name == "two"
    assert {span.parent_id for span in first[1:]} == {first[0].id}
    assert len({span.trace_id for span in first + second}) == 2
    assert 0 <= first[0].start_s <= first[1].start_s <= first[1].end_s <= first[0].end_s < 60


def test_the_resource_names_the_service(recorder):
    assert recorder.provider.resource.attributes["service.name"] == "toy"


def test_a_span_never_ended_is_kept_and_named(recorder):
    tracer = recorder.tracer()
    with tracer.start_as_current_span("request"):
        forgotten = tracer.start_span("search")
    (spans,) = recorder.traces()
    assert [span.name for span in recorder.open_spans()] == ["search"]
    assert "   search  still open" in text_tree(spans)
    with pytest.raises(ValueError, match="still open: search"):
        root_of(spans)
    forgotten.end()
    assert recorder.open_spans() == [] and root_of(recorder.traces()[0]).name == "request"


def test_exporters_see_children_before_their_parent(recorder):
    request(recorder.tracer())
    (spans,) = recorder.traces()
    assert [span.name for span in in_order_of_end(spans)] == ["embed", "search", "request"]


def test_recorders_do_not_hear_each_other(recorder):
    other = record_traces("other")
    request(other.tracer())
    assert recorder.traces() == [] and len(other.traces()) == 1
    other.clear()
    assert other.traces() == []
    other.close()
    request(other.tracer())
    assert other.traces() == []


def test_threads_record_at_once(recorder):
    threads = [
        threading.Thread(target=lambda: [request(recorder.tracer()) for _ in range(50)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(spans) for spans in recorder.traces()] == [3] * 200


def test_the_global_provider_serves_the_bare_api_and_a_cell_run_twice():
    script = """
from opentelemetry import trace
from labutils.telemetry import record_traces
first, second = record_traces(globally=True), record_traces(globally=True)
with trace.get_tracer("x").start_as_current_span("a"): pass
first.close()
with trace.get_tracer("x").start_as_current_span("b"): pass
print([[s.name for t in r.traces() for s in t] for r in (first, second)])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("[['a'], ['a', 'b']]", "")


def test_tracing_leaves_the_global_provider_alone(recorder):
    assert api.get_tracer_provider() is not recorder.provider


def test_a_disabled_library_is_said(monkeypatch):
    monkeypatch.setenv("OTEL_SDK_DISABLED", " True")
    with pytest.raises(RuntimeError, match="OTEL_SDK_DISABLED is true"):
        record_traces()
    monkeypatch.setenv("OTEL_SDK_DISABLED", "false")
    with closing(record_traces()) as recorder:
        request(recorder.tracer())
        assert len(recorder.traces()) == 1


@pytest.mark.parametrize("address", ["127.0.0.1:4318", "ftp://x", "http://", ""])
def test_a_collector_is_an_address(address):
    with pytest.raises(ValueError, match="collector = "):
        record_traces(collector=address)


class Collector(BaseHTTPRequestHandler):
    """Takes its time and counts."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.paths.append(self.path)
        self.server.delay.wait(1.0)
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture
def slow_collector():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    server.paths, server.delay, server.status = [], threading.Event(), 200
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_no_request_waits_for_a_slow_collector(slow_collector):
    """Each answer of the collector takes 1 s; the 600 requests are through meanwhile."""
    recorder = record_traces(collector=f"http://127.0.0.1:{slow_collector.server_port}")
    for _ in range(600):
        request(recorder.tracer())
    while not slow_collector.paths:
        time.sleep(0.01)
    assert len(recorder.traces()) == 600
    assert len(slow_collector.paths) < 60  # 1,800 if each span had waited for its own answer
    slow_collector.delay.set()
    assert recorder.flush()
    assert set(slow_collector.paths) == {"/v1/traces"}
    recorder.close()


def test_a_flush_says_whether_the_spans_arrived_and_keeps_to_its_time(slow_collector):
    with closing(record_traces(collector=f"http://127.0.0.1:{slow_collector.server_port}")) as one:
        request(one.tracer())
        begun_s = time.monotonic()
        assert not one.flush(0.1) and time.monotonic() - begun_s < 0.8  # the answer takes 1 s
        slow_collector.delay.set()
        assert one.flush()
        slow_collector.status = 400
        request(one.tracer())
        assert not one.flush()
        slow_collector.status = 200
        request(one.tracer())
        assert not one.flush()  # three of the nine are lost
    with closing(record_traces()) as alone:
        request(alone.tracer())
        assert alone.flush()


def test_a_dead_collector_costs_no_span_in_memory(caplog):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    recorder = record_traces(collector=f"http://127.0.0.1:{port}")
    sender = threading.current_thread().name
    for _ in range(300):
        request(recorder.tracer())
    assert [len(spans) for spans in recorder.traces()] == [3] * 300
    assert not recorder.flush(1.0)
    recorder.close()
    failed = [record.threadName for record in caplog.records if "xport" in record.getMessage()]
    assert failed and sender not in failed
