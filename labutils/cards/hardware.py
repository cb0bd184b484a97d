"""Models and accelerators worth knowing by heart, computed from the course's tables."""

from labutils import llm
from labutils.cards.card import ReferenceCard
from labutils.units import format_quantity as say

MODELS = (
    "Llama-2-7B",
    "Llama-3.1-8B",
    "Llama-3.1-70B",
    "Qwen3-0.6B",
    "Qwen3-8B",
    "Qwen3-30B-A3B",
    "gpt-oss-20b",
    "DeepSeek-V3",
)
DEVICES = ("L4", "A100 80 SXM", "H100 SXM", "H200 SXM", "B200", "MI300X")


def models() -> ReferenceCard:
    """Weights, cache and the context at which they weigh the same."""
    specs = [llm.model(name) for name in MODELS]
    return ReferenceCard(
        id="models",
        title="Models: what a token costs in memory",
        topics=("B22", "D06", "C20"),
        header=("model", "weights", "in bf16", "KV a token", "KV at 8k", "cache = weights at"),
        rows=tuple(_model_row(spec) for spec in specs),
        note=(
            "KV in 16 bits; windows count in the column at 8k. Weights of experts count whole, "
            "since all of them lie in memory: a step of a small batch reads fewer. For "
            "comparison alone: Llama-2-7B was trained for 4,096 tokens, and the experts of gpt-oss "
            "are published in 4 bits."
        ),
        sources=_sources(specs),
    )


def _sources(specs) -> tuple[str, ...]:
    """Each source once, with the names that rest on it."""
    names: dict[str, list[str]] = {}
    for spec in specs:
        for source in spec.source.split("; "):
            names.setdefault(source, []).append(spec.name)
    return tuple(f"{source} ({', '.join(rest_on)})" for source, rest_on in names.items())


def _model_row(spec: llm.ModelSpec) -> tuple[str, ...]:
    return (
        spec.name,
        f"{spec.parameters / 1e9:.3g} B",
        say(spec.weight_bytes(), "B"),
        f"{spec.kv_bytes_per_token() / 1024:g} KiB",
        say(spec.kv_bytes(8192), "B"),
        say(llm.kv_equals_weights_tokens(spec), "tok"),
    )


def accelerators() -> ReferenceCard:
    """Memory, bandwidth, arithmetic, ridge, and the floor of one 8B step."""
    model = llm.model("Llama-3.1-8B")
    devices = [llm.accelerator(name) for name in DEVICES]
    rows = tuple(_device_row(model, device) for device in devices)
    return ReferenceCard(
        id="accelerators",
        title="Accelerators: dense peaks",
        topics=("L06", "D11"),
        header=("device", "memory", "bandwidth", "16-bit arithmetic", "ridge", "8B, one user"),
        rows=rows,
        note=(
            "Spec pages often print twice the arithmetic: that is with 2:4 sparsity. The last "
            f"column is the bound of {model.name} in bf16, batch 1, 1,024 tokens of context: "
            "weights and cache, read once a token."
        ),
        sources=_sources(devices),
    )


def _device_row(model: llm.ModelSpec, device: llm.Accelerator) -> tuple[str, ...]:
    fits = model.weight_bytes() < device.memory_bytes
    step = llm.decode_step(model, device, 1, 1024)
    return (
        device.name,
        say(device.memory_bytes, "B"),
        say(device.bandwidth_bytes_per_s, "B/s"),
        say(device.peak("bf16"), "FLOP/s"),
        f"{device.ridge():.0f} FLOP/B",
        say(step.tokens_per_s, "tok/s") if fits else "does not fit",
    )
