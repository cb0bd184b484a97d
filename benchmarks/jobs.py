"""The fixed jobs that engines are compared on: model shapes, prompts, lengths of answers."""

import random
from dataclasses import dataclass, replace

import numpy as np

from labutils.llm import ModelSpec
from labutils.workload import RequestTrace

SMALL = ModelSpec(
    name="Qwen3 shape, 4 layers × 256",
    layers=4,
    hidden_size=256,
    num_heads=8,
    num_kv_heads=4,
    head_dim=32,
    ffn_size=768,
    vocab_size=4096,
    tied_embeddings=True,
    qk_norm=True,
    max_context=4096,
)
"""4.2 million weights; heads, widths and norms in the proportions of Qwen3-0.6B."""

WIDE = replace(
    SMALL,
    name="Qwen3 shape, 12 layers × 768",
    layers=12,
    hidden_size=768,
    num_heads=12,
    num_kv_heads=6,
    head_dim=64,
    ffn_size=2304,
    vocab_size=20_480,
)
"""100.7 million weights in the same proportions."""


@dataclass(frozen=True, eq=False)
class Job:
    """Requests that are all there from the start: prompts, and how long each answer gets."""

    spec: ModelSpec
    prompts: tuple[list[int], ...]
    lengths: tuple[int, ...]

    @property
    def output_tokens(self) -> int:
        """Tokens of all answers."""
        return sum(self.lengths)

    @property
    def trace(self) -> RequestTrace:
        """The lengths as a trace, every request arriving at 0."""
        prompt_tokens = [len(prompt) for prompt in self.prompts]
        return RequestTrace(np.zeros(len(self.prompts)), prompt_tokens, self.lengths)

    def __str__(self) -> str:
        prompt_tokens = sum(map(len, self.prompts))
        return (
            f"{self.spec.name}, {len(self.prompts)} requests, {prompt_tokens:,} prompt and "
            f"{self.output_tokens:,} output tokens"
        )


def ragged_job(spec: ModelSpec, num_requests: int) -> Job:
    """The first ``num_requests`` of 64 requests, seed 0.

    Prompts uniform from 8 to 256 tokens, answers geometric with mean 48, capped at 192.
    """
    draws = np.random.default_rng(0)
    prompt_tokens = draws.integers(8, 256, 64, endpoint=True)
    lengths = np.minimum(draws.geometric(1 / 48, 64), 192)
    prompts = [draws.integers(1, spec.vocab_size, size).tolist() for size in prompt_tokens]
    return Job(spec, tuple(prompts[:num_requests]), tuple(lengths[:num_requests].tolist()))


def nano_vllm_job(spec: ModelSpec, num_requests: int = 256) -> Job:
    """The workload of nano-vllm's ``bench.py`` (seed 0), to the token.

    256 requests with 142,827 prompt and 133,966 output tokens; lengths uniform from 100 to 1,024.
    """
    draws = random.Random(0)
    prompts = [
        [draws.randint(0, 10_000) for _ in range(draws.randint(100, 1024))] for _ in range(256)
    ]
    lengths = [draws.randint(100, 1024) for _ in range(256)]
    return Job(spec, tuple(prompts[:num_requests]), tuple(lengths[:num_requests]))
