"""Waiting for the device that torch computes on."""

from collections.abc import Callable

from labutils.measure.sharing import claim_memory_share


def synchronizer(device: str) -> Callable[[], object] | None:
    """Return what waits until ``device`` is idle: a function for cuda, ``None`` for the cpu.

    ``device`` is a torch device or its name, ``"cuda:1"`` included. On a GPU that a class shares
    this process is kept to its share of the memory from here on. Raises ``ValueError`` for any
    other device than these two.
    """
    kind = str(device).partition(":")[0]
    if kind == "cpu":
        return None
    if kind != "cuda":
        raise ValueError(f"device = {str(device)!r}: expected cpu or cuda")
    import torch

    claim_memory_share(str(device))
    return lambda: torch.cuda.synchronize(device)
