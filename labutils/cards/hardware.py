"""Models and accelerators worth knowing by heart, computed from the course's tables."""

from labutils import llm
from labutils.cards.card import ReferenceCard
from labutils.ground.units import format_quantity as fmt
from labutils.llm.layouts.links import link

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
DEVICES = (
    "L4",
    "RTX 4090",
    "A100 80 SXM",
    "H100 PCIe",
    "H100 SXM",
    "H200 SXM",
    "B200",
    "GB200 GPU",
    "B300",
    "MI300X",
    "MI325X",
)
NARROW = ("fp8", "fp4")

# Links between GPUs (a device with it), to the host and between hosts (one direction, in B/s).
LINKS = (
    ("NVLink 3 (A100)", "A100 80 SXM"),
    ("NVLink 4 (H100, H200)", "H100 SXM"),
    ("NVLink 5 (B200, GB200, B300)", "B200"),
    ("Infinity Fabric (MI300X)", "MI300X"),
    ("PCIe 4.0 × 16 (A100, L4)", link("PCIe 4").bytes_per_s),
    ("PCIe 5.0 × 16 (H100, H200)", link("PCIe 5").bytes_per_s),
    ("PCIe 6.0 × 16 (B300)", link("PCIe 6").bytes_per_s),
    ("Ethernet or InfiniBand, 100 Gbit/s", link("100 Gbit/s").bytes_per_s),
    ("Ethernet or InfiniBand, 400 Gbit/s", link("400 Gbit/s").bytes_per_s),
    ("Ethernet or InfiniBand, 800 Gbit/s", link("800 Gbit/s").bytes_per_s),
)


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
    """The sources of the table, each once, with its rows behind it: "config.json (8B, 70B)"."""
    names: dict[str, list[str]] = {}
    for spec in specs:
        for source in spec.source.split("; "):
            names.setdefault(source, []).append(spec.name)
    return tuple(f"{source} ({', '.join(rest_on)})" for source, rest_on in names.items())


def _model_row(spec: llm.ModelSpec) -> tuple[str, ...]:
    return (
        spec.name,
        f"{spec.parameters / 1e9:.3g} B",
        fmt(spec.weight_bytes(), "B"),
        f"{spec.kv_bytes_per_token() / 1024:g} KiB",
        fmt(spec.kv_bytes(8192), "B"),
        fmt(llm.kv_equals_weights_tokens(spec), "tok"),
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
        header=(
            *("device", "memory", "bandwidth", "16-bit arithmetic"),
            *(f"{precision} arithmetic" for precision in NARROW),
            *("ridge at 16 bits", "8B, one user"),
        ),
        rows=rows,
        note=(
            f"As of {max(device.as_of for device in devices)}; “–” where the device has no such "
            "arithmetic. Spec pages often print twice the arithmetic: that is with 2:4 sparsity. "
            "Dense fp4 of the B300 is given as 13.1 to 15 PFLOP/s elsewhere. The last "
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
        fmt(device.memory_bytes, "B"),
        fmt(device.bandwidth_bytes_per_s, "B/s"),
        fmt(device.peak("bf16"), "FLOP/s"),
        *(
            fmt(device.peak(precision), "FLOP/s") if precision in device.peak_flops else "–"
            for precision in NARROW
        ),
        f"{device.ridge():.0f} FLOP/B",
        fmt(step.tokens_per_s, "tok/s") if fits else "does not fit",
    )


def links() -> ReferenceCard:
    """One direction of each link, and how long a cache and a model take over it."""
    small, large = llm.model("Llama-3.1-8B"), llm.model("Llama-3.1-70B")
    loads, mesh = (small.kv_bytes(2048), large.weight_bytes()), link("Infinity Fabric")
    return ReferenceCard(
        id="links",
        title="Links: bytes a second in one direction",
        topics=("L06",),
        header=(
            *("link", "sold as", "one direction"),
            f"{fmt(loads[0], 'B')}: cache of 2,048 tokens",
            f"{fmt(loads[1], 'B')}: weights of a 70B",
        ),
        rows=tuple(_link_row(name, rate, loads) for name, rate in LINKS),
        note=(
            "As of 2026-11. Peaks: a message reaches less, and a small one waits for the latency. "
            f"Cache of {small.name}, weights of {large.name}, both in 16 bits. MLPerf's host of "
            "eight H200 has ten ports of 400 Gbit/s: one for each GPU, and two. Infinity Fabric is "
            f"a mesh: {fmt(mesh.bytes_per_s, 'B/s')} are those of {mesh.peers} wires, and a single "
            f"other card gets {fmt(mesh.among(2).bytes_per_s, 'B/s')}."
        ),
        sources=(
            "NVLink and Infinity Fabric: the table of accelerators",
            "PCIe: aiconfigurator a100_sxm.yaml, h100_sxm.yaml and b300_sxm.yaml (copies "
            "simone-chen @38368c7, @828bbfe, @84ba899)",
            "network ports: MLPerf Inference v4.1, NVIDIA's H200 system (400 Gbit/s); NVIDIA's "
            "ConnectX-8 firmware notes 40.44 (800 Gbit/s)",
        ),
    )


def _link_row(name: str, rate: str | float, loads: tuple[float, ...]) -> tuple[str, ...]:
    """A device's name stands for half of its link, which counts both directions."""
    if isinstance(rate, str):
        rate = llm.accelerator(rate).link_bytes_per_s / 2
    in_bits = name.startswith("Ethernet")
    sold = fmt(8 * rate, "bit/s") if in_bits else f"{fmt(2 * rate, 'B/s')}, both directions"
    return (name, sold, fmt(rate, "B/s"), *(fmt(load / rate, "s") for load in loads))
