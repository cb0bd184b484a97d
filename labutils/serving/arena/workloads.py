"""The four workloads of the arena, drawn from a seed that nobody has seen."""

from labutils.ground import arguments
from labutils.serving.promises import Promise

from .workload import Part, Workload

CHAT = Promise(ttft_s=2.0, tpot_s=0.06, priority=0, tenant="shop", kind="chat")
CODE = Promise(ttft_s=1.0, tpot_s=0.06, priority=0, tenant="editor", kind="code")
AGENTS = Promise(ttft_s=4.0, tpot_s=0.08, priority=1, tenant="robots", kind="agents")
BATCH = Promise(ttft_s=120.0, priority=2, tenant="nightly", kind="batch")
LONG = Promise(ttft_s=15.0, tpot_s=0.1, priority=1, tenant="lawyers", kind="long")

PARTS: dict[str, tuple[float, tuple[Part, ...]]] = {
    "chat, then a batch job": (
        6.0,
        (
            Part(mix="azure-conversation", share=0.7, promise=CHAT, burstiness=1.0),
            Part(mix="azure-conversation", share=0.3, promise=BATCH, begins=0.4, ends=0.45),
        ),
    ),
    "code and agents": (
        4.5,
        (
            Part(mix="azure-code", share=0.5, promise=CODE, burstiness=0.1),
            Part(mix="azure-code", share=0.5, promise=AGENTS, burstiness=1.0, turns=5),
        ),
    ),
    "long contexts": (
        3.0,
        (
            Part(mix="azure-conversation", share=0.85, promise=CHAT, burstiness=0.5),
            Part(mix="long-context", share=0.15, promise=LONG, burstiness=1.0),
        ),
    ),
    "everybody": (
        4.0,
        (
            Part(mix="azure-conversation", share=0.35, promise=CHAT, burstiness=1.0),
            Part(mix="azure-code", share=0.25, promise=CODE, burstiness=0.1),
            Part(mix="azure-code", share=0.15, promise=AGENTS, burstiness=1.0, turns=5),
            Part(mix="azure-conversation", share=0.2, promise=BATCH, begins=0.5, ends=0.6),
            Part(mix="long-context", share=0.05, promise=LONG, burstiness=1.0),
        ),
    ),
}
"""For each its requests a second, near what the arena's server can do, and what they are."""


def workloads(num_requests: int, *, seed: int, load: float = 1.0) -> dict[str, Workload]:
    """All four, each of ``num_requests`` requests at ``load`` times their rate."""
    seed = arguments.whole("seed", seed, at_least=0)
    return {
        name: Workload.of(
            name, parts, num_requests=num_requests, rate_per_s=load * rate, seed=seed + 17 * at
        )
        for at, (name, (rate, parts)) in enumerate(PARTS.items())
    }
