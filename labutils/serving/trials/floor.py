"""The machine's floor: the least time in which a job could be served, whoever writes the engine."""

from collections.abc import Iterator
from dataclasses import dataclass

from labutils.engine import Request, Scheduler
from labutils.ground import arguments
from labutils.llm import ModelSpec, flops_per_pair
from labutils.serving.memory.unlimited import Unlimited
from labutils.serving.scheduling.step_shape import StepShape

from .records import planned, work_of


@dataclass(frozen=True, kw_only=True)
class Floor:
    """Seconds that a job takes at least, and what they are made of.

    ``time_s`` sums, over the steps, the longer of bytes over bandwidth and operations over rate
    (the roofline of Williams, Waterman and Patterson, 2009). ``bytes_s`` and ``flops_s`` are the
    two sums taken apart; ``output_tokens`` are those of the whole job.
    """

    time_s: float
    bytes_s: float
    flops_s: float
    steps: int
    output_tokens: int
    weight_bytes: float
    kv_bytes: float
    flops: float

    @property
    def tokens_per_s(self) -> float:
        """Output tokens per second at the floor: no engine on this machine makes more."""
        return self.output_tokens / self.time_s

    def share(self, measured_s: float) -> float:
        """How much of the machine a measured time uses: 1 is the floor itself."""
        return self.time_s / arguments.positive("measured_s", measured_s)


@dataclass(frozen=True, kw_only=True)
class Rates:
    """Bytes and operations per second: the two rates of a ``MachineProfile``."""

    copy_bandwidth_bytes_per_s: float
    matrix_flops_per_s: float

    def __post_init__(self):
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, arguments.positive(name, getattr(self, name)))


def memory_floor(
    spec: ModelSpec,
    job,
    profile,
    *,
    max_sequences: int,
    token_budget: int = 8192,
    chunked: bool = True,
    bytes_per_weight: float = 4.0,
    bytes_per_value: float = 4.0,
) -> Floor:
    """The floor of ``job`` (a ``RequestTrace``, all of it there at once) on a measured machine.

    ``profile`` has both rates: a ``MachineProfile`` on which copy bandwidth and matrix rate were
    measured, or ``Rates``. The steps are those of ``Scheduler`` with these limits and memory
    without end. Each step reads the weights once and the keys and values of its decoding contexts,
    writes those of its new tokens, and multiplies: every token by the weights of the layers, but
    only tokens that get an answer by the table of the vocabulary and, in the last layer, by more
    than keys and values. What a chunk of a prompt reads back, and its attention in the last layer,
    is left out, so the floor errs to the low side. ``ValueError`` for a rate not measured yet.
    """
    rates, work = _rates(profile), _StepWork(spec, bytes_per_weight, bytes_per_value)
    limits = {"token_budget": token_budget, "chunked": chunked}
    total = [0.0] * 6  # time, bytes time, flops time, weight bytes, KV bytes, operations
    steps = 0
    for shape, outputs in _steps(job, Scheduler(max_sequences, Unlimited(), **limits)):
        steps += 1
        weights, kv, flops = work.of(shape, outputs)
        bytes_s = (weights + kv) / rates.copy_bandwidth_bytes_per_s
        flops_s = flops / rates.matrix_flops_per_s
        amounts = (max(bytes_s, flops_s), bytes_s, flops_s, weights, kv, flops)
        total[:] = (so_far + amount for so_far, amount in zip(total, amounts))
    time_s, bytes_s, flops_s, weight_bytes, kv_bytes, flops = total
    return Floor(
        time_s=time_s, bytes_s=bytes_s, flops_s=flops_s, steps=steps,
        output_tokens=int(job.output_tokens.sum()), weight_bytes=weight_bytes, kv_bytes=kv_bytes,
        flops=flops,
    )  # fmt: skip


def _steps(job, scheduler: Scheduler) -> Iterator[tuple[StepShape, int]]:
    """The shape of each step of the whole job, and how many requests get a token from it."""
    for row, (prompt, answer) in enumerate(
        zip(job.prompt_tokens.tolist(), job.output_tokens.tolist())
    ):
        scheduler.add(Request(row, prompt, answer))
    while plan := scheduler.schedule(0.0):
        yield work_of(planned(plan))
        scheduler.commit(plan)
        for request, _ in plan.chunks:
            if request.known == request.most:
                scheduler.finish(request)


class _StepWork:
    """Bytes and operations of a step, from the shapes of a model."""

    def __init__(self, spec: ModelSpec, bytes_per_weight: float, bytes_per_value: float):
        table = spec.vocab_size * spec.hidden_size
        self.body = spec.active_parameters - table * (1 if spec.tied_embeddings else 2)
        query_and_output = 2 * spec.hidden_size * spec.num_heads * spec.head_dim
        self.last = query_and_output + 3 * spec.hidden_size * spec.ffn_size
        self.table = table
        self.bytes_per_weight = arguments.positive("bytes_per_weight", bytes_per_weight)
        self.kv_bytes_per_token = spec.kv_bytes_per_token(bytes_per_value)
        self.layers, self.flops_per_pair = spec.layers, flops_per_pair(spec)

    def of(self, shape: StepShape, outputs: int) -> tuple[float, float, float]:
        """Bytes of weights, bytes of keys and values, operations."""
        new = shape.prefill_tokens + shape.decode_sequences
        weights = (self.body + (self.table if outputs else 0)) * self.bytes_per_weight
        kv = (shape.context_tokens + shape.prefill_tokens) * self.kv_bytes_per_token
        pairs = (self.layers - 1) * shape.attention_pairs + self.layers * shape.context_tokens
        products = (self.body - self.last) * new + (self.last + self.table) * outputs
        return weights, kv, 2 * products + self.flops_per_pair * pairs


def _rates(profile) -> Rates:
    measured = {name: getattr(profile, name, None) for name in Rates.__dataclass_fields__}
    missing = [name for name, value in measured.items() if value is None]
    if missing:
        raise ValueError(f"profile has no {' and no '.join(missing)}: expected it measured (lab1)")
    return Rates(**measured)
