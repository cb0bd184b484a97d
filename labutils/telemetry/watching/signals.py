"""Twelve signals of a serving system, and which of them may wake somebody.

A page is for what users feel now; the other signals say why, and are looked at. vLLM's names are
those of its ``/metrics`` (vLLM, "Production Metrics", 2026); None where the server cannot see it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Signal:
    """A figure to watch: its unit, vLLM's metric for it, whether it pages, and why or why not."""

    name: str
    unit: str
    vllm: str | None
    page: bool
    reason: str


SIGNALS = (
    Signal("time to first token", "s", "vllm:time_to_first_token_seconds", True,
           "users wait before an empty answer; page on the budget of late ones"),
    Signal("gap between tokens", "s", "vllm:inter_token_latency_seconds", True,
           "users see the answer stutter; page on the budget of late ones"),
    Signal("failed requests", "share", None, True,
           "users get no answer; counted at the proxy, since a dead server counts nothing"),
    Signal("end-to-end latency", "s", "vllm:e2e_request_latency_seconds", False,
           "it grows with the answer's length, so a mix that changes looks like an incident"),
    Signal("time in the queue", "s", "vllm:request_queue_time_seconds", False,
           "why a first token is late: load, and not the prompt's length"),
    Signal("requests waiting", "requests", "vllm:num_requests_waiting", False,
           "rises before users notice; the figure to scale on"),
    Signal("requests running", "requests", "vllm:num_requests_running", False,
           "the batch: how full the server is, which its own activity cannot say"),
    Signal("KV cache in use", "share", "vllm:kv_cache_usage_perc", False,
           "full is what one pays for; trouble only together with preemptions"),
    Signal("preemptions", "1/s", "vllm:num_preemptions_total", False,
           "work that is done twice: memory is short, gaps between tokens grow next"),
    Signal("prefix cache hits", "share", "vllm:prefix_cache_hits_total", False,
           "hits over queries; a fall means more prefill for the same traffic, late first tokens"),
    Signal("tokens generated", "tokens/s", "vllm:generation_tokens_total", False,
           "what the money buys; a fall with requests waiting is a slow server"),
    Signal("accepted draft tokens", "tokens/s", "vllm:spec_decode_num_accepted_tokens_total", False,
           "a fall means speculation costs more than it saves"),
)  # fmt: skip
