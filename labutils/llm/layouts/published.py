"""Figures that others measured on several cards, and what this room says of the same case.

Nothing is fitted but what ``FITTED`` names, so that the other errors are those of the model: bytes,
operations and messages, at 0.8 of the bandwidth and 0.5 of the arithmetic. Of single streams there
are two figures: ``computed`` with what was fitted to their sister rows, and ``as_taught`` with the
constants of chapter 12.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from labutils.llm.layouts.deployment import Deployment
from labutils.llm.layouts.exchanges import all_reduce_s
from labutils.llm.layouts.hosts import Hosts, Rates
from labutils.llm.layouts.layout import Layout
from labutils.llm.layouts.links import Link, link
from labutils.llm.levers.quantisation import stored_bytes_per_weight
from labutils.llm.specification.catalog import accelerator, model

FITTED = {
    "NVLink's share": "366 of 450 GB/s (nccl-tests, 4 H100)",
    "NVLink's short messages": "all-reduce of 512 B and of 256 KiB to 1 MiB (sglang #2904)",
    "gpt-fast": "0.685 of the bandwidth, from its Llama-2-7B on one card (held to 330 W); 25 µs to "
    "begin an exchange, from the same model on eight (no switch between them)",
}
GPT_FAST = "pytorch-labs/gpt-fast README @0f925b5 (8 A100, batch 1)"
TRT = "NVIDIA/TensorRT-LLM docs/source/performance.md @138f96d"
SGLANG = "sgl-project/sglang #2904, 2025-01 (H100)"
VLLM = "vllm-project/vllm #2192, 2023-12 (4 A100)"
DEEPSEEK = "deepseek-ai/open-infra-index, inference system overview, 2025-02 (H800)"
LMSYS = "lmsys.org/blog/2025-05-05-large-scale-ep (96 H100)"
PCIE = {
    "V100": "haohervchb/sglang-V100 #2, 2026-09 (4 V100 behind one switch)",
    "A800": "vllm-project/vllm #50576, 2026-08 (8 A800 in two groups)",
}
NVIDIA = "NVIDIA technical blog, Llama 3.1 405B on 8 H200, 2024-10, as reported (S)"

FAST = Rates(bandwidth_share=0.685)
HALF = Rates(bandwidth_share=0.8)
TAUGHT = Rates(bandwidth_share=0.8, launch_s=1e-3)
WIDE = replace(TAUGHT, bytes_per_weight=1, precision="fp8")
EIGHT = Rates(bandwidth_share=0.8, bytes_per_weight=1, bytes_per_value=1, precision="fp8")

LONG = "larger matrices reach more of the bandwidth than the fitted ones"
SHORT = "narrow weights leave kernels that reach a smaller share, and their unpacking"
SYNC = "two rates stand for a curve"
PROMPTS = "prompts rule: half of the arithmetic is a round figure, 0.4 to 0.7 are reached"
OVERLAP = "all-to-alls are half of the step here, and hide behind computing there: errors cancel"
GROUPS = "PCIe is taken at its best: a switch, and no host between two groups"
CACHES = "caches rule: attention kernels of 2023 read them at a fraction of the bandwidth"


@dataclass(frozen=True, kw_only=True)
class Published:
    """A figure that somebody ``measured``, where, and ``computed``: what this room says.

    ``reason`` says why they differ, as far as it is known. What ``is_fitted`` was used to choose a
    constant of the room, so its error says how well that went and foretells nothing. ``as_taught``
    is what chapter 12's own constants say, where ``computed`` has others.
    """

    name: str
    measured: float
    computed: Callable[[], float]
    unit: str
    source: str
    reason: str
    is_fitted: bool = False
    as_taught: Callable[[], float] | None = None

    @property
    def error(self) -> float:
        """How much larger the computed figure is, as a share of the measured one."""
        return self.computed() / self.measured - 1

    @property
    def error_as_taught(self) -> float:
        """The same with the constants of chapter 12."""
        return (self.as_taught or self.computed)() / self.measured - 1


def published() -> tuple[Published, ...]:
    """All of them: single streams, whole jobs, experts, first tokens, exchanges, one layout over
    another."""
    parts = _streams(), _jobs(), _experts(), _first_tokens(), _exchanges(), _over_pcie(), _ratios()
    return tuple(chain(*parts))


def place(
    name: str, card: str, rates: Rates, inside: Link | None = None, **shape: int
) -> Deployment:
    """A listed model under a layout on cards of one kind, with their own link or another one."""
    hosts = Hosts(device=accelerator(card), inside=inside)
    return Deployment(model=model(name), layout=Layout(**shape), hosts=hosts, rates=rates)


def job_s(placed: Deployment, batch: int, prompt: int, answer: int) -> float:
    """Seconds of a batch that starts and ends together: all prompts, then a token a step for all.

    The mean step is that at half of the answer: bytes grow linearly with the context.
    """
    one = placed.prefill(prompt)
    prompts_s = batch / placed.layout.dp * (one.time_s - one.bubble_s)
    return prompts_s + (answer - 1) * placed.decode(batch, prompt + answer / 2).time_s


def _streams() -> Iterator[Published]:
    four = Rates(bandwidth_share=0.685, bytes_per_weight=stored_bytes_per_weight(4, group=32))
    one = Rates(bandwidth_share=0.685, bytes_per_weight=1)
    for name, rates, cards, measured in (
        ("Llama-2-7B", FAST, 2, 168.84), ("Llama-2-7B", FAST, 4, 254.02),
        ("Llama-2-70B", FAST, 2, 21.32),
        ("Llama-2-70B", FAST, 4, 38.01), ("Llama-2-70B", FAST, 8, 62.50),
        ("Llama-2-70B", one, 8, 80.44), ("Llama-2-70B", four, 8, 90.77),
        ("Mixtral-8x7B", FAST, 2, 96.67), ("Mixtral-8x7B", FAST, 8, 227.82),
    ):  # fmt: skip
        bits = round(8 * rates.bytes_per_weight)
        slow = replace(link("NVLink 3"), start_s=25e-6)
        placed = place(name, "A100", rates, slow, tp=cards)
        yield Published(
            name=f"{name}, {bits} bits, TP{cards}, batch 1",
            measured=measured,
            computed=partial(_rate, placed, 100),
            as_taught=partial(_rate, _taught(placed), 100),
            unit="tok/s",
            source=GPT_FAST,
            reason=LONG if bits == 16 else SHORT,
        )


def _taught(placed: Deployment) -> Deployment:
    """The same weights, by the constants of chapter 12 and the device's own link."""
    rates = replace(TAUGHT, bytes_per_weight=placed.rates.bytes_per_weight)
    return replace(placed, rates=rates, hosts=Hosts(device=placed.hosts.device))


def _rate(placed: Deployment, context: int) -> float:
    return 1 / placed.decode(1, context).time_s


def _jobs() -> Iterator[Published]:
    for card, rates, batch, cards, prompt, answer, measured in (
        ("H100", EIGHT, 1024, 2, 128, 128, 2657), ("H100", EIGHT, 480, 4, 128, 2048, 1486),
        ("H100", EIGHT, 96, 2, 2048, 128, 306), ("H100", EIGHT, 64, 2, 2048, 2048, 547),
        ("A100", HALF, 240, 4, 128, 2048, 525), ("A100", HALF, 120, 4, 2048, 128, 79),
    ):  # fmt: skip
        placed = place("Llama-2-70B", card, rates, tp=cards)
        yield Published(
            name=f"Llama-2-70B, {cards} {card}, batch {batch}, {prompt} + {answer} tokens",
            measured=measured,
            computed=partial(_tokens_per_s_per_card, placed, batch, prompt, answer),
            unit="tok/s a card",
            source=TRT,
            reason=CACHES if answer > prompt or answer == 2048 else PROMPTS,
        )
    yield Published(
        name="Llama-2-70B, TP4, batch 64, 256 + 256 tokens",
        measured=14.57,
        computed=partial(job_s, place("Llama-2-70B", "A100", HALF, tp=4), 64, 256, 256),
        unit="s",
        source=VLLM,
        reason="a host in Python between any two steps (vLLM of 2023)",
    )


def _tokens_per_s_per_card(placed: Deployment, batch: int, prompt: int, answer: int) -> float:
    return batch * answer / job_s(placed, batch, prompt, answer) / placed.layout.cards


def _experts() -> Iterator[Published]:
    """Decode pools. Batches by Little's law from what is told: 21 tokens/s, 0.1 s a token."""
    for name, source, cards, batch, context, measured in (
        ("EP144 (here 128), 4,989 tokens", DEEPSEEK, 128, 88, 4989, 14_800 / 8),
        ("EP72 (here 64), 2,000 tokens", LMSYS, 64, 279, 2000, 22_300 / 8),
    ):
        placed = place("DeepSeek-V3", "H100", WIDE, dp=cards, ep=cards)
        yield Published(
            name=f"DeepSeek-V3, decode, {name}, batch {batch} a card",
            measured=measured,
            computed=partial(placed.tokens_per_s_per_card, batch * cards, context),
            unit="tok/s a card",
            source=source,
            reason=OVERLAP,
        )


def _first_tokens() -> Iterator[Published]:
    for name, card, rates, cards, measured in (
        ("Llama-2-7B", "H100", EIGHT, 1, 36), ("Llama-2-70B", "H100", EIGHT, 4, 109),
        ("Llama-2-7B", "A100", HALF, 1, 133), ("Llama-2-70B", "A100", HALF, 4, 377),
    ):  # fmt: skip
        placed = place(name, card, rates, tp=cards)
        yield Published(
            name=f"{name}, {cards} {card}, first token of 2048",
            measured=measured,
            computed=partial(_first_ms, placed),
            unit="ms",
            source=TRT,
            reason=PROMPTS,
        )


def _first_ms(placed: Deployment) -> float:
    return 1e3 * placed.prefill(2048).time_s


def _exchanges() -> Iterator[Published]:
    for devices, size, measured in (
        (2, 2**18, 7.9), (4, 2**18, 13.9), (8, 2**18, 16.7),
        (2, 2**20, 19.9), (4, 2**20, 31.1), (8, 2**20, 33.8),
    ):  # fmt: skip
        yield Published(
            name=f"all-reduce of {size // 1024} KiB among {devices} H100",
            measured=measured,
            computed=partial(_exchange_us, size, devices),
            unit="µs",
            source=SGLANG,
            reason=SYNC,
            is_fitted=True,
        )


def _over_pcie() -> Iterator[Published]:
    for card, lanes, devices, kib, measured, reason in (
        ("V100", "PCIe 3", 4, 32, 11.8, "a kernel of its own for short messages"),
        ("V100", "PCIe 3", 4, 128, 44.5, SYNC), ("V100", "PCIe 3", 4, 384, 83.5, SYNC),
        ("A800", "PCIe 4", 8, 128, 66.7, GROUPS), ("A800", "PCIe 4", 8, 512, 143.0, GROUPS),
    ):  # fmt: skip
        yield Published(
            name=f"all-reduce of {kib} KiB among {devices} {card}, {lanes}",
            measured=measured,
            computed=partial(_exchange_us, 1024 * kib, devices, lanes),
            unit="µs",
            source=PCIE[card],
            reason=reason,
        )


def _exchange_us(size: int, devices: int, name: str = "NVLink 4") -> float:
    return 1e6 * all_reduce_s(size, devices, link(name))


def _ratios() -> Iterator[Published]:
    yield Published(
        name="Llama-3.1-405B, least latency: PP8 over TP8",
        measured=5.6,
        computed=lambda: _step_s(1, pp=8) / _step_s(1, tp=8),
        unit="×",
        source=NVIDIA,
        reason="parts of an eighth reach a smaller share of the bandwidth",
    )
    yield Published(
        name="Llama-3.1-405B, most tokens: PP8 over TP8 (2048 + 128)",
        measured=1.5,
        computed=lambda: _job_s(tp=8) / _job_s(pp=8),
        unit="×",
        source=NVIDIA,
        reason="lengths and batch are ours: the largest that fits",
    )


# pp = 8 does not divide the 126 layers, so real stages hold 15 or 16: here they are all alike.
_EVEN_LAYERS = 128


def _large(**shape: int) -> Deployment:
    spec = replace(model("Llama-3.1-405B"), layers=_EVEN_LAYERS)
    hosts = Hosts(device=accelerator("H200"))
    return Deployment(model=spec, layout=Layout(**shape), hosts=hosts, rates=EIGHT)


def _step_s(batch: int, **shape: int) -> float:
    return _large(**shape).decode(batch, 1000).time_s


def _job_s(**shape: int) -> float:
    placed = _large(**shape)
    batch = placed.max_batch(2048 + 128)
    return job_s(placed, batch, 2048, 128) / batch
