"""A real Prometheus scrapes the server: it takes every metric, and its answers are ours.

Compared on the very scrapes that it stored. ``rate`` follows ``stretch`` of
``labutils.telemetry.watching`` (to the edges of the window, not below zero); ``histogram_quantile``
draws a straight line through the bucket, over rates of which each was stretched by itself.
"""

import itertools
import math
import socket
import subprocess
import time

import httpx
import numpy as np
import pytest

from labutils.telemetry.watching import (
    Scrape,
    Scrapes,
    Series,
    estimate_quantile,
    histogram_of,
    read_exposition,
)

HTTP = httpx.Client(verify=False, timeout=30)
TTFT = "vllm:time_to_first_token_seconds"
FILE = """
global: {{scrape_interval: 500ms, scrape_timeout: 500ms}}
scrape_configs:
  - {{job_name: course, static_configs: [{{targets: ["{target}"]}}]}}
"""
pytestmark = pytest.mark.prometheus


@pytest.fixture
def prometheus(tmp_path):
    """``prometheus(server)``: the address of one that scrapes it; it ends with the test."""
    started = []

    def start(server) -> str:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = f"127.0.0.1:{listener.getsockname()[1]}"
        (tmp_path / "p.yml").write_text(FILE.format(target=server.url.removeprefix("http://")))
        command = [
            "prometheus", f"--config.file={tmp_path / 'p.yml'}", "--log.level=error",
            f"--storage.tsdb.path={tmp_path / 'data'}", f"--web.listen-address={address}",
        ]  # fmt: skip
        started.append(subprocess.Popen(command))
        return f"http://{address}/api/v1/query"

    yield start
    for process in started:
        process.terminate()
        process.wait()


def answer(url, query, **options) -> list[dict]:
    """What Prometheus says to a query; nothing while it is not ready yet."""
    try:
        told = HTTP.get(url, params={"query": query, **options})
    except httpx.ConnectError:
        return []
    return [] if told.status_code == 503 else told.json()["data"]["result"]


def stored(url, until_s, window_s) -> Scrapes:
    """The scrapes in a window, as Prometheus stored them."""
    at: dict[float, dict] = {}
    for one in answer(url, f'{{job="course"}}[{window_s}s]', time=until_s):
        labels = dict(one["metric"])
        series = Series(labels.pop("__name__"), tuple(sorted(labels.items())))
        for time_s, value in one["values"]:
            at.setdefault(time_s, {})[series] = float(value)
    return Scrapes(Scrape(time_s, values) for time_s, values in sorted(at.items()))


def value(url, query, until_s) -> float:
    (one,) = answer(url, query, time=until_s)
    return float(one["value"][1])


def asks(server, tokens):
    body = {"prompt": "A queue", "max_tokens": tokens, "ignore_eos": True}
    assert HTTP.post(f"{server.url}/v1/completions", json=body).status_code == 200


def scraped(server, url, scrapes) -> list[float]:
    """The moments of so many scrapes, while the server works."""
    times_s, tokens, until = [], itertools.cycle(range(2, 9)), time.monotonic() + 200
    while len(times_s) < scrapes and time.monotonic() < until:
        asks(server, next(tokens))
        found = answer(url, f"{TTFT}_count[1h]")
        times_s = [time_s for time_s, _ in found[0]["values"]] if found else []
    return times_s


@pytest.mark.full
def test_its_rates_and_quantiles_are_ours(serving, prometheus):
    server, pauses = serving(), itertools.cycle([0.0, 0.02, 0.001, 0.06])
    server.engine.on_step = lambda *_: time.sleep(next(pauses))
    asks(server, 3)  # a counter with labels is born with its first event, and grows from the next
    url = prometheus(server)
    times_s = scraped(server, url, 10)
    until_s, window_s = round(times_s[-1] + 0.1, 3), math.ceil(times_s[-1] - times_s[1])
    scrapes, window = stored(url, until_s, window_s), (until_s - window_s, until_s)

    for name in (f"{TTFT}_count", "vllm:generation_tokens_total", f"{TTFT}_sum"):
        ours = scrapes.stretched_increase(name, *window)
        assert ours > 0
        assert value(url, f"increase({name}[{window_s}s])", until_s) == pytest.approx(ours)
        assert value(url, f"rate({name}[{window_s}s])", until_s) == pytest.approx(ours / window_s)

    histogram = scrapes.histogram(TTFT, *window)
    edges = sorted((one.label("le") for one in scrapes.matching(f"{TTFT}_bucket")), key=float)
    grown = [scrapes.stretched_increase(f"{TTFT}_bucket", *window, {"le": le}) for le in edges]
    stretched = histogram_of([*map(float, edges)], np.rint(1e6 * np.maximum.accumulate(grown)))
    assert np.array_equal(stretched.edges_s, histogram.edges_s)
    assert np.count_nonzero(histogram.counts) > 1
    for q in (0.5, 0.9, 0.99):
        query = f"histogram_quantile({q}, sum by (le) (rate({TTFT}_bucket[{window_s}s])))"
        ours = estimate_quantile(stretched, q).value_s
        assert value(url, query, until_s) == pytest.approx(ours, rel=1e-5)


def test_it_takes_every_metric(serving, prometheus):
    server = serving()
    asks(server, 5)
    assert HTTP.post(f"{server.url}/v1/completions", json={"prompt": 5}).status_code == 400
    url = prometheus(server)
    until_s = scraped(server, url, 1)[-1] + 0.1
    text = HTTP.get(f"{server.url}/metrics").text
    ours = {sample.series.name for one in read_exposition(text).values() for sample in one.samples}
    theirs = {one["metric"]["__name__"] for one in answer(url, '{job="course"}', time=until_s)}
    assert {"vllm:request_refused_total", f"{TTFT}_bucket"} < ours <= theirs
    assert {*theirs} - ours == {name for name in theirs if name.startswith(("up", "scrape_"))}
    command = ["promtool", "check", "metrics"]
    judged = subprocess.run(command, input=text, capture_output=True, text=True)
    assert judged.returncode in (0, 3)  # 3: it reads all of it, and complains
    assert all("should not contain ':'" in one for one in judged.stderr.splitlines())  # as vLLM's
