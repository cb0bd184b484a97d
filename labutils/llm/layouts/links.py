"""Links between devices: what one direction carries, and what it takes to say anything at all."""

from dataclasses import dataclass, replace

from labutils.ground import arguments
from labutils.llm.specification.accelerator import Accelerator


@dataclass(frozen=True, kw_only=True)
class Link:
    """One direction of a device's way to the others: a peak rate, and two latencies.

    ``bytes_per_s`` is the peak, of which long messages reach the share ``reached``, and the kernels
    that say short ones at once the share ``at_once`` (None: the same). An exchange among several
    devices takes ``start_s`` to begin (a kernel, and waiting for each other), and ``hop_s`` for
    each message that has to arrive before the next one can leave.
    ``peers`` is None behind a switch, where any two can use the whole rate. In a mesh it is dealt
    to so many others, each with a wire of its own: ``among`` fewer of them most wires are idle.
    ``status``: "V" read in a primary source, "S" in a secondary one, "A" assumed.
    """

    name: str
    bytes_per_s: float
    start_s: float
    hop_s: float
    reached: float = 0.8
    at_once: float | None = None
    peers: int | None = None
    source: str = ""
    status: str = ""
    as_of: str = ""

    def __post_init__(self):
        arguments.positive("bytes_per_s", self.bytes_per_s)
        arguments.non_negative("start_s", self.start_s)
        arguments.non_negative("hop_s", self.hop_s)
        arguments.share("reached", self.reached)
        if self.at_once is not None:
            arguments.share("at_once", self.at_once)
        if self.peers is not None:
            arguments.whole("peers", self.peers)

    def among(self, devices: int) -> "Link":
        """What is left of it for an exchange among ``devices``: the wires between these.

        In a torus (TPUs) all are taken for neighbours: what others have to pass on is left out.

        >>> link("Infinity Fabric").among(2).bytes_per_s
        64000000000.0
        """
        others = max(1, arguments.whole("devices", devices) - 1)
        if self.peers is None or others >= self.peers:
            return self
        return replace(self, bytes_per_s=self.bytes_per_s * others / self.peers, peers=others)

    @property
    def rate_bytes_per_s(self) -> float:
        """What a long message reaches."""
        return self.bytes_per_s * self.reached

    @property
    def short_bytes_per_s(self) -> float:
        """What a short one does, by the kernels that wait for nothing."""
        return self.bytes_per_s * (self.reached if self.at_once is None else self.at_once)


# NVLink on H100, from custom all-reduce kernels among 2, 4 and 8 of them (sgl-project/sglang #2904,
# 2025-01): 3.7 to 5.9 µs for 512 B, and 65 to 80 GB/s more from 256 KiB to 1 MiB. The share of long
# messages: 366 of 450 GB/s on four H100 (nccl-tests, as posted in 2026). Other generations are
# taken to be alike.
#
# PCIe is taken at its best: two cards alone, as in a hand-over. Exchanges reach less: 35 and 28 of
# 64 GB/s among four and eight RTX 5090 in a long all-reduce (NVIDIA/nccl #1639, 2025). Kernels for
# short messages reach 0.6 of PCIe 3 among four cards behind one switch, from 4 µs on
# (haohervchb/sglang-V100 #2, 2026), and 0.3 of PCIe 4 among eight in two groups, from 45 µs on
# (vllm-project/vllm #50576, 2026). The latencies of networks are assumed.
_NVLINK = {"start_s": 1e-6, "hop_s": 2.5e-6, "at_once": 0.16, "status": "S"}
_PCIE = {"start_s": 8e-6, "hop_s": 2e-6, "status": "A"}
_NETWORK = {"start_s": 15e-6, "hop_s": 5e-6, "status": "A"}
_AS_OF = {"as_of": "2026-11"}
_LANES = {"source": "PCI-SIG's rate of 16 lanes, one direction", **_AS_OF, **_PCIE}
_PORT = {"source": "the port's rate in bits a second over 8", **_AS_OF, **_NETWORK}
_FABRIC = {"source": "data/accelerators.json; sgl-project/sglang #2904", **_AS_OF, **_NVLINK}

LINKS = (
    Link(name="NVLink 3", bytes_per_s=300e9, **_FABRIC),
    Link(name="NVLink 4", bytes_per_s=450e9, **_FABRIC),
    Link(name="NVLink 5", bytes_per_s=900e9, **_FABRIC),
    Link(name="Infinity Fabric", bytes_per_s=448e9, peers=7, **_FABRIC),
    Link(name="PCIe 3", bytes_per_s=16e9, **_LANES),
    Link(name="PCIe 4", bytes_per_s=32e9, **_LANES),
    Link(name="PCIe 5", bytes_per_s=64e9, **_LANES),
    Link(name="PCIe 6", bytes_per_s=128e9, **_LANES),
    Link(name="50 Gbit/s", bytes_per_s=50e9 / 8, **_PORT),
    Link(name="100 Gbit/s", bytes_per_s=100e9 / 8, **_PORT),
    Link(name="400 Gbit/s", bytes_per_s=400e9 / 8, **_PORT),
    Link(name="800 Gbit/s", bytes_per_s=800e9 / 8, **_PORT),
)


def link(name: str) -> Link:
    """The link called ``name``: "NVLink 4", "PCIe 5", "400 Gbit/s"; ``ValueError`` otherwise.

    >>> link("400 Gbit/s").bytes_per_s
    50000000000.0
    """
    for known in LINKS:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in LINKS)
    raise ValueError(f"link = {name!r}: expected one of {names}")


def link_of(device: Accelerator) -> Link:
    """The link that a device brings to its neighbours in a host.

    Half of ``link_bytes_per_s``, which counts both directions; PCIe by its generation where the
    table says so. ``ValueError`` for a device without a link.
    """
    if device.link_bytes_per_s:
        rate = device.link_bytes_per_s / 2
        like = next((known for known in LINKS if known.bytes_per_s == rate), link("NVLink 4"))
        name = f"{device.link} of {device.name}"
        return replace(like, name=name, bytes_per_s=rate, peers=device.link_peers)
    if device.link and device.link.startswith("PCIe"):
        return link(device.link)
    raise ValueError(f"device = {device.name!r}: expected one with a link to other devices")
