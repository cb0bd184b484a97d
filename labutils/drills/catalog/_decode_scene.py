"""Streams on a device, and the bytes that a step of theirs moves."""

from dataclasses import dataclass

from labutils import llm

USED = 0.9  # of the memory is for weights and caches


@dataclass(frozen=True)
class DecodeScene:
    """Streams on a device, and the bytes of a step."""

    spec: llm.ModelSpec
    device: llm.Accelerator
    streams: int
    context: int
    reached: float
    value_bytes: float = 2.0

    @property
    def step(self) -> llm.DecodeStep:
        return llm.decode_step(
            self.spec,
            self.device,
            self.streams,
            self.context,
            bytes_per_value=self.value_bytes,
            bandwidth_share=self.reached,
        )

    @property
    def most(self) -> int:
        """How many streams of this context fit."""
        return llm.max_sequences(
            self.spec,
            self.device.memory_bytes,
            self.context,
            usable_share=USED,
            bytes_per_value=self.value_bytes,
        )

    @property
    def per_token(self) -> float:
        return self.spec.kv_bytes_per_token(self.value_bytes)

    @property
    def rate(self) -> float:
        return self.device.bandwidth_bytes_per_s * self.reached
