"""A test of equality as a plan of eight numbers, run against caches that are right and wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral, Real

from .suspects import Suspect, cached_logits

HANDED_OUT = {
    "init_std": 0.02,
    "dtype": "float32",
    "kv_heads": 4,
    "prompts": (6, 6),
    "pieces": 1,
    "steps": 8,
    "compare": "tokens",
    "tolerance": 0.001,
}
"""The test that everybody writes first."""

HEADS, MOST_ROWS, MOST_TOKENS, VOCABULARY = 4, 6, 64, 211


class UnreadablePlan(ValueError):
    """A plan that cannot be run; the message is a sentence for the learner."""


@dataclass(frozen=True)
class Plan:
    """How a cache is tested: weights, shape, prompts, and what is compared how closely."""

    init_std: float
    dtype: str
    kv_heads: int
    prompts: tuple[int, ...]
    pieces: int
    steps: int
    compare: str
    tolerance: float

    def __post_init__(self):
        def whole(value, least, most):
            return isinstance(value, Integral) and least <= value <= most

        prompts = tuple(self.prompts) if isinstance(self.prompts, Sequence) else ()
        object.__setattr__(self, "prompts", prompts or self.prompts)
        most = f"at most {MOST_TOKENS} tokens"
        for name, good, wanted in (
            ("init_std", _positive(self.init_std) and self.init_std <= 1, "above 0, at most 1"),
            ("dtype", self.dtype in ("float32", "float64"), "'float32' or 'float64'"),
            ("kv_heads", self.kv_heads in (1, 2, 4), f"1, 2 or 4, for {HEADS} query heads"),
            (
                "prompts",
                1 <= len(prompts) <= MOST_ROWS and all(whole(n, 1, MOST_TOKENS) for n in prompts),
                f"one to {MOST_ROWS} lengths of {most}",
            ),
            ("pieces", whole(self.pieces, 1, MOST_TOKENS), "a whole number from 1 on"),
            ("steps", whole(self.steps, 1, MOST_TOKENS), f"a whole number of {most}"),
            ("compare", self.compare in ("tokens", "logits"), "'tokens' or 'logits'"),
            ("tolerance", _positive(self.tolerance), "a number above 0"),
        ):
            if not good:
                raise UnreadablePlan(f"{name} = {getattr(self, name)!r}: expected {wanted}.")

    @classmethod
    def read(cls, given) -> "Plan":
        """A plan from the learner's dict; ``UnreadablePlan`` says what it lacks."""
        if not isinstance(given, Mapping) or set(given) != set(HANDED_OUT):
            raise UnreadablePlan(f"Expected a dict with the keys {', '.join(HANDED_OUT)}.")
        return cls(**given)


def differences(plan: Plan, suspects: Sequence[Suspect], seed: int) -> list[float]:
    """For each suspect, how far its cache is from the pass without one."""
    model = _model(plan.init_std, plan.dtype, plan.kv_heads)
    rows = _rows(plan, model, seed)
    compare = _tokens_differ if plan.compare == "tokens" else _logits_differ
    wanted = [model(row[None])[0] for row in rows]
    return [
        compare(cached_logits(model, one, rows, plan.prompts, plan.pieces), wanted, plan.prompts)
        for one in suspects
    ]


def _rows(plan: Plan, model, seed: int) -> list:
    """Prompts drawn from ``seed``, and behind each what the model says without a cache."""
    import torch

    generator, rows = torch.Generator().manual_seed(seed), []
    for length in plan.prompts:
        row = torch.randint(0, VOCABULARY, (length,), generator=generator)
        for _ in range(plan.steps):
            row = torch.cat([row, model(row[None], last_only=True)[0, -1:].argmax(-1)])
        rows.append(row)
    return rows


def _logits_differ(found, wanted, prompts) -> float:
    return max(float((a - b).abs().max()) for a, b in zip(found, wanted))


def _tokens_differ(found, wanted, prompts) -> float:
    """The share of rows of which a greedy answer would part from the one without a cache."""
    parts = [
        bool((a[n - 1 :].argmax(-1) != b[n - 1 :].argmax(-1)).any())
        for a, b, n in zip(found, wanted, prompts)
    ]
    return sum(parts) / len(parts)


@lru_cache(maxsize=8)
def _model(init_std: float, dtype: str, kv_heads: int):
    import torch

    from labutils.engine.model import LlamaModel, small_spec

    spec = small_spec(
        layers=2, hidden_size=48, num_heads=HEADS, num_kv_heads=kv_heads, head_dim=12,
        ffn_size=96, vocab_size=VOCABULARY,
    )  # fmt: skip
    return LlamaModel(spec, init_std=init_std, dtype=getattr(torch, dtype), seed=1)


def _positive(value) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < value < float("inf")
