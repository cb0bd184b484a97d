"""Rotary positions: each pair of a query's or key's numbers is turned by an angle of its position.

The pairs are (i, i + head_dim/2), as in Hugging Face's checkpoints, not (2i, 2i + 1).
"""

import math
from dataclasses import dataclass
from functools import cache

import torch

from labutils.ground import arguments
from labutils.llm.specification.config_file import ConfigKeys

_LLAMA3 = {
    "factor": "factor",
    "low_freq_factor": "low_freq_factor",
    "high_freq_factor": "high_freq_factor",
    "original_context": "original_max_position_embeddings",
}


@dataclass(frozen=True, kw_only=True)
class Rope:
    """Frequencies theta^(−2i/head_dim) (Su et al., 2021), stretched as Llama 3.1 does.

    With ``factor`` above 1, wavelengths beyond ``original_context / low_freq_factor`` tokens are
    stretched by it, those within ``original_context / high_freq_factor`` stay, and those between
    are blended.
    """

    theta: float = 10_000.0
    factor: float = 1.0
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0
    original_context: int = 8192

    def __post_init__(self):
        for name in ("theta", *_LLAMA3):
            arguments.positive(name, getattr(self, name))
        if self.high_freq_factor <= self.low_freq_factor:
            expected = f"more than low_freq_factor = {self.low_freq_factor!r}"
            raise ValueError(f"high_freq_factor = {self.high_freq_factor!r}: expected {expected}")

    def frequencies(self, head_dim: int) -> torch.Tensor:
        """Radians per position of each pair, [head_dim / 2], in float64."""
        exponent = torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim
        plain = self.theta**-exponent
        if self.factor == 1:
            return plain
        turns = self.original_context * plain / (2 * math.pi)  # over the context of pre-training
        span = self.high_freq_factor - self.low_freq_factor
        kept = ((turns - self.low_freq_factor) / span).clamp(0, 1)
        return plain * (kept + (1 - kept) / self.factor)

    def turn(self, positions: torch.Tensor, head_dim: int, dtype: torch.dtype):
        """Cosines and sines of ``positions`` ([length] or [batch, length]), a head axis added.

        Both as wide as a head: each angle stands in both halves, negative in the first. That turns
        the sign of its sine alone.
        """
        frequencies = _frequencies(self, head_dim, positions.device)
        angles = (positions[..., None] * frequencies).unsqueeze(-3)
        return angles.cos().to(dtype), angles.sin().to(dtype)


@cache
def _frequencies(rope: Rope, head_dim: int, device: torch.device) -> torch.Tensor:
    """Kept on the device: a CUDA graph must not wait for the host to send them."""
    with torch.inference_mode(False):  # what is kept may be used outside of it as well
        half = rope.frequencies(head_dim)
        return torch.cat([-half, half]).to(device)


def rotate(values: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """``values`` [batch, heads, length, head_dim], turned by ``Rope.turn`` of their positions.

    The pair (a, b) becomes (a cos − b sin, b cos + a sin); ``roll`` puts each half's partner there.
    """
    cosine, sine = turn
    partner = values.roll(values.shape[-1] // 2, dims=-1)
    return torch.addcmul(values * cosine, partner, sine)


def rope_from_config(keys: ConfigKeys) -> Rope:
    """The rotary settings of a ``config.json``, in the old or the new spelling.

    Raises ``ValueError`` for a scaling other than "default" and "llama3", for heads that are turned
    in part, and for a missing key.
    """
    inner = next((key for key in ("rope_parameters", "rope_scaling") if keys.get(key)), None)
    settings = keys.part(inner) if inner else keys
    kind = settings.get("rope_type", settings.get("type", "default"))
    turned = settings.get("partial_rotary_factor", keys.get("partial_rotary_factor", 1))
    if turned != 1:
        keys.refuse("partial_rotary_factor", turned, "1")
    theta = settings.get("rope_theta", keys.get("rope_theta", Rope.theta))
    if kind == "default":
        return Rope(theta=theta)
    if kind != "llama3":
        settings.refuse("rope_type", kind, "'default' or 'llama3'")
    return Rope(theta=theta, **{name: settings.need(key) for name, key in _LLAMA3.items()})
