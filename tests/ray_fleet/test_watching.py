"""What is seen of a fleet from outside, and plain data of it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from labutils.metrics import RequestRecord, RequestStatus
from labutils.ray_fleet import Watch, ended, rows_of

COUNTER = "vllm:generation_tokens_total"
METRICS = """\
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{model_name="course"} 30.0
vllm:generation_tokens_total{model_name="other"} 5.0
vllm:generation_tokens_total_created{model_name="course"} 1700000000.0
"""


class Fleet(BaseHTTPRequestHandler):
    """0 is gone, 1 answers, 2 is up and says nothing of itself; at first nobody is there."""

    looks = 0

    def do_GET(self):
        Fleet.looks += 1
        if Fleet.looks == 1:
            return  # the connection ends without a word
        up = [{"replica": number, "is_up": number > 0} for number in range(3)]
        body = json.dumps(up) if self.path == "/replicas" else METRICS
        self.send_response(500 if self.path == "/replicas/2/metrics" else 200)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def url():
    with ThreadingHTTPServer(("127.0.0.1", 0), Fleet) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        serving.join()


def test_a_watch_notes_who_is_up_and_what_each_has_counted(url):
    with Watch(url, COUNTER, every_s=0.02) as seen:
        while len(seen.counts) < 3:
            threading.Event().wait(0.02)
    told = json.loads(json.dumps(seen.told()))
    assert told["up"][2] == [1, 2] and told["counts"][2] == {"1": 35.0}
    assert told["times_s"] == sorted(told["times_s"]) and not seen._looking.is_alive()


def record(status, tokens=(), reason="", replica="2"):
    tags = {"reason": reason, "replica": replica}
    return RequestRecord(
        1, 0.0, 0.25, token_times_s=tokens, finish_s=1.5, status=status, tags=tags
    )  # fmt: skip


def test_requests_become_plain_rows_that_say_how_they_ended():
    some = [
        record(RequestStatus.OK, [0.75, 1.5]),
        record(RequestStatus.FAILED, [0.75], "error event: the replica was lost"),
        record(RequestStatus.FAILED, [0.75], "cut: the stream ended without [DONE]"),
        record(RequestStatus.REJECTED, reason="HTTP 503: full", replica=None),
    ]
    rows = json.loads(json.dumps(rows_of(some)))
    assert rows[0] == {
        "sent_s": 0.25, "finish_s": 1.5, "ttft_s": 0.75, "replica": "2", "ended": "done",
    }  # fmt: skip
    assert [row["ended"] for row in rows[1:]] == ["an error event", "lost unsaid", "refused"]
    assert rows[3]["ttft_s"] is rows[3]["replica"] is None
    assert ended(some) == {"done": 1, "an error event": 1, "lost unsaid": 1, "refused": 1}
