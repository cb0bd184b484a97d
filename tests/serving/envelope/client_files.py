"""Small files in the forms of five clients, written from one made-up load test."""

import json
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Load:
    """What happened: when requests were sent, and how long first token and answer took."""

    sent_s: np.ndarray
    ttft_s: np.ndarray
    e2e_s: np.ndarray
    tokens: int = 21
    prompt: int = 300
    rate: float | None = 8.0
    clients: int | None = None
    arrivals: str = "poisson"
    events: int = 1  # of a token
    failed: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))

    @property
    def ok(self) -> np.ndarray:
        mask = np.ones(len(self.sent_s), dtype=bool)
        mask[self.failed] = False
        return mask

    def figures(self, seconds, scale=1.0, mean="mean", median="median", tails="{}"):
        values = scale * np.asarray(seconds)
        return {mean: float(values.mean()), median: float(np.median(values))} | {
            tails.format(f"p{q}"): float(np.percentile(values, q)) for q in (10, 90, 99)
        }

    def gaps_s(self, row: int) -> list[float]:
        """Between the events of an answer: those of one token come together."""
        step_s = (self.e2e_s[row] - self.ttft_s[row]) / (self.tokens - 1)
        one_token = [0.0] * (self.events - 1)
        return one_token + (self.tokens - 1) * [float(step_s), *one_token]


def a_load(n=400, *, rate=8.0, seed=3, e2e_s=1.1, even=False, **more) -> Load:
    """An open loop of equal requests that take 0.1 s and then ``e2e_s`` in all, with some noise."""
    draw = np.random.default_rng(seed)
    gaps = np.full(n, 1 / rate) if even else draw.exponential(1 / rate, n)
    gaps *= n / rate / gaps.sum()
    noise = draw.uniform(0.97, 1.03, n)
    return Load(np.cumsum(gaps), 0.1 * noise, e2e_s * noise, rate=rate, **more)


def guidellm(folder, load: Load):
    """A report of GuideLLM, in milliseconds and seconds."""

    def row(i):
        sent = 1e9 + load.sent_s[i]
        first, end = sent + load.ttft_s[i], sent + load.e2e_s[i]
        times = {
            "targeted_start": sent - 1e-4,
            "first_token_iteration": first,
            "last_token_iteration": end,
            "token_iterations": load.events * load.tokens,
        }
        if not load.ok[i]:
            times = {"targeted_start": sent - 1e-4}
        return {
            "request_start_time": sent,
            "request_end_time": end,
            "output_tokens": load.tokens if load.ok[i] else None,
            "info": {"timings": times, "error": None if load.ok[i] else "ReadTimeout('')"},
        }

    ok, n = load.ok, len(load.sent_s)
    gaps = (load.e2e_s - load.ttft_s)[ok] / (load.tokens - 1)

    def both(values, scale=1.0):
        found = load.figures(values, scale)
        tails = {name: found.pop(name) for name in ("p10", "p90", "p99")}
        return {"successful": found | {"percentiles": tails}}

    strategy = {"type_": load.arrivals, "rate": load.rate, "streams": load.clients}
    benchmark = {
        "config": {"strategy": strategy},
        "scheduler_state": {"created_requests": n}, "duration": float(load.sent_s[-1] + 1.1),
        "metrics": {
            "request_totals": {"successful": int(ok.sum()), "errored": int((~ok).sum())},
            "request_latency": both(load.e2e_s[ok]),
            "time_to_first_token_ms": both(load.ttft_s[ok], 1e3),
            "inter_token_latency_ms": both(gaps, 1e3),
            "prompt_token_count": both([load.prompt]), "output_token_count": both([load.tokens]),
        },
        "requests": {"successful": [row(i) for i in np.flatnonzero(ok)],
                     "errored": [row(i) for i in np.flatnonzero(~ok)], "incomplete": []},
    }  # fmt: skip
    return written(folder / "guide.json", {
        "metadata": {"guidellm_version": "0.8.1"}, "benchmarks": [benchmark],
        "config": {"spec": {"data": [{"output_tokens": load.tokens}]}},
    })  # fmt: skip


def aiperf(folder, load: Load, unit="ms"):
    """AIPerf's report, and its requests beside it."""
    ok, by = load.ok, {"ms": 1e3, "s": 1.0}.get(unit, 1.0)

    def figures(values, unit):
        scale = by if unit != "tokens" else 1.0
        return load.figures(values, scale, "avg", "p50") | {"unit": unit}

    lines = []
    for i in range(len(load.sent_s)):
        sent, end = (int(1e9 * (1000 + load.sent_s[i] + t)) for t in (0, load.e2e_s[i]))
        metrics = {
            "time_to_first_token": {"value": 1e3 * load.ttft_s[i], "unit": "ms"},
            "output_sequence_length": {"value": load.tokens},
            "inter_chunk_latency": {"value": [1e3 * gap for gap in load.gaps_s(i)]},
        }
        lines.append(
            {
                "metadata": {"request_start_ns": sent, "request_end_ns": end},
                "metrics": metrics if ok[i] else {},
                "error": None if ok[i] else {"type": "TimeoutError"},
            }
        )
    (folder / "profile_export.jsonl").write_text("\n".join(map(json.dumps, lines)))
    phase = {
        "requests": len(ok),
        "rate": load.rate,
        "type": load.arrivals,
        "concurrency": load.clients,
    }
    span = (load.e2e_s - load.ttft_s)[ok] / (load.tokens - 1)
    gaps = np.concatenate([load.gaps_s(i) for i in np.flatnonzero(ok)])
    return written(folder / "profile_export_aiperf.json", {
        "aiperf_version": "0.13.0", "request_count": {"avg": float(ok.sum())},
        "error_request_count": {"avg": float((~ok).sum())},
        "benchmark_duration": {"avg": float(load.sent_s[-1] + 1.1), "unit": "sec"},
        "time_to_first_token": figures(load.ttft_s[ok], unit),
        "request_latency": figures(load.e2e_s[ok], unit),
        "inter_token_latency": figures(span, unit), "inter_chunk_latency": figures(gaps, unit),
        "input_sequence_length": figures([load.prompt], "tokens"),
        "output_sequence_length": figures([load.tokens], "tokens"),
        "input_config": {"phases": [{"rate": 99.0}, phase],
                         "datasets": [{"prompts": {"osl": {"mean": float(load.tokens)}}}]},
    })  # fmt: skip


def inference_perf(folder, load: Load, stage=0, words=None):
    """A stage of inference-perf, whose client divides by events and counts tokens by itself."""
    ok = load.ok
    per_event = (load.e2e_s - load.ttft_s)[ok] / (load.tokens - 1) / load.events
    gaps = np.concatenate([load.gaps_s(i) for i in np.flatnonzero(ok)])
    latency = {
        "request_latency": load.figures(load.e2e_s[ok]),
        "time_to_first_token": load.figures(load.ttft_s[ok]),
        "time_per_output_token": load.figures(per_event),
        "inter_token_latency": load.figures(gaps),
    }
    lost = None if ok.all() else load.figures(load.e2e_s[~ok])
    return written(folder / f"stage_{stage}_lifecycle_metrics.json", {
        "load_summary": {"count": len(ok), "send_duration": float(load.sent_s[-1]),
                         "requested_rate": load.rate},
        "successes": {"count": int(ok.sum()), "latency": latency,
                      "prompt_len": load.figures([load.prompt]),
                      "output_len": load.figures([words or load.tokens])},
        "failures": {"count": int((~ok).sum()), "request_latency": lost},
    })  # fmt: skip


def vllm(folder, load: Load, detailed=True, more=("e2el",), **changed):
    """A result of vllm bench serve."""
    span = (load.e2e_s - load.ttft_s)[load.ok] / (load.tokens - 1)
    values = {"ttft": load.ttft_s[load.ok], "tpot": span, "e2el": load.e2e_s[load.ok]}
    result = {
        "request_rate": load.rate or "inf",
        "max_concurrency": load.clients,
        "num_prompts": len(load.ok),
        "completed": int(load.ok.sum()),
        "failed": int((~load.ok).sum()),
        "duration": float(load.sent_s[-1] + 1.1),
        "request_throughput": 1.0,
    }
    for name in ("ttft", "tpot", *more):
        found = load.figures(values[name], 1e3)
        result |= {f"{key}_{name}_ms": found[key] for key in ("mean", "median", "p99")}
    if detailed:
        result |= {
            "start_times": (5000 + load.sent_s).tolist(),
            "ttfts": load.ttft_s.tolist(),
            "itls": [load.gaps_s(i) for i in range(len(load.ok))],
            "input_lens": [load.prompt] * len(load.ok),
            "output_lens": [load.tokens] * len(load.ok),
            "errors": ["" if fine else "lost" for fine in load.ok],
        }
    return written(folder / "vllm.json", result | changed)


def course(folder, load: Load):
    """Records of ``labutils.loadtest``."""
    lines = []
    for i, sent in enumerate(load.sent_s):
        events = np.cumsum([load.ttft_s[i], *load.gaps_s(i)]) + sent
        lines.append(
            {
                "id": i,
                "intended_arrival_s": sent,
                "sent_s": sent,
                "admitted_s": None,
                "token_times_s": events.tolist() if load.ok[i] else [],
                "finish_s": sent + load.e2e_s[i] + 1e-6,
                "prompt_tokens": load.prompt,
                "status": "ok" if load.ok[i] else "timed_out",
                "tags": {"server_output_tokens": load.tokens},
            }
        )
    path = folder / "records.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def written(path, content):
    path.write_text(json.dumps(content))
    return path


FORMS = {
    "guidellm": guidellm,
    "aiperf": aiperf,
    "inference_perf": inference_perf,
    "vllm": vllm,
    "course": course,
}
