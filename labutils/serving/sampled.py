"""Tokens that were chosen on the device, on their way to the host."""

from collections.abc import Callable, Sequence

import torch

from .open_request import Part


class Sampled:
    """The next tokens of ``parts``, in their order. On CUDA they travel while the host goes on.

    Made just before the model runs. ``device_s`` are the seconds from there to the chosen tokens,
    on CUDA as the device saw them; ``blocked_s`` those in which the host could do nothing else.
    """

    def __init__(self, parts: Sequence[Part], device: torch.device, clock: Callable[[], float]):
        self.parts, self._tokens, self._clock = parts, None, clock
        self.device_s = self.blocked_s = 0.0
        self._events = None
        if device.type == "cuda":
            self._events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            self._events[0].record()
        self._start_s = clock()

    def send(self, tokens: torch.Tensor | None) -> None:
        """All work of the step is queued; start the copy of ``tokens``, if there are any."""
        self._tokens = tokens
        if self._events is None:
            self.device_s = self.blocked_s = self._clock() - self._start_s
            return
        if tokens is not None:
            self._tokens = torch.empty(tokens.shape, dtype=tokens.dtype, pin_memory=True)
            self._tokens.copy_(tokens, non_blocking=True)
        self._events[1].record()

    def read(self) -> list[int]:
        """The tokens; waits until they are there."""
        if self._events:
            begin = self._clock()
            self._events[1].synchronize()
            self.blocked_s = self._clock() - begin
            self.device_s = self._events[0].elapsed_time(self._events[1]) / 1000
        return [] if self._tokens is None else self._tokens.tolist()
