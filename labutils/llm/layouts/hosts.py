"""Where the cards stand, and how much of what the data sheets promise they reach."""

from dataclasses import dataclass

from labutils.ground import arguments
from labutils.llm.layouts.links import Link, link, link_of
from labutils.llm.specification.accelerator import Accelerator

_NETWORK = link("400 Gbit/s")


@dataclass(frozen=True, kw_only=True)
class Hosts:
    """Cards of one kind, ``host_cards`` to a host: ``inside`` links them, ``between`` the hosts.

    ``inside`` may be left out: the device's own link. Each card has its own way ``between``.
    """

    device: Accelerator
    inside: Link | None = None
    between: Link = _NETWORK
    host_cards: int = 8

    def __post_init__(self):
        arguments.whole("host_cards", self.host_cards)
        if self.inside is None and self.device.link:
            object.__setattr__(self, "inside", link_of(self.device))

    def link_among(self, cards: int) -> Link:
        """The link that ``cards`` side by side have to use: the slowest among them.

        Of a mesh (Infinity Fabric, ICI) only the wires between these.
        """
        if arguments.whole("cards", cards) > self.host_cards:
            return self.between
        if self.inside is None:
            raise ValueError(
                f"inside = None: expected a link, {self.device.name} has none of its own"
            )
        return self.inside.among(cards)


@dataclass(frozen=True, kw_only=True)
class Rates:
    """How weights and caches are stored, and what shares of the peaks kernels reach.

    ``bytes_per_expert_weight`` where routed experts are stored otherwise than the rest (17/32 in
    MXFP4). ``launch_s`` is what a step takes apart from bytes and operations, over all layers: the
    host, and beginning its kernels. ``per_layer_s`` is the part of it that grows with the layers:
    kernels that neither read much nor multiply.
    """

    bytes_per_weight: float = 2.0
    bytes_per_expert_weight: float | None = None
    bytes_per_value: float = 2.0
    precision: str = "bf16"
    bandwidth_share: float = 1.0
    flops_share: float = 0.5
    usable_share: float = 0.9
    launch_s: float = 0.0
    per_layer_s: float = 0.0

    def __post_init__(self):
        arguments.positive("bytes_per_weight", self.bytes_per_weight)
        arguments.positive("bytes_per_value", self.bytes_per_value)
        for name in ("bandwidth_share", "flops_share", "usable_share"):
            arguments.share(name, getattr(self, name))
        arguments.non_negative("launch_s", self.launch_s)
        arguments.non_negative("per_layer_s", self.per_layer_s)


PEAKS = Rates()
"""Bandwidth as marketed, half of the arithmetic, 16 bits, no launches."""
