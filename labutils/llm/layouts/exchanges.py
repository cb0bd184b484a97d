"""What devices send each other: all-reduce, all-to-all, and a hand-over from one to the next."""

from labutils.ground import arguments
from labutils.llm.layouts.links import Link
from labutils.llm.levers.parallel import all_reduce_time_s, ring_rate


def ring_all_reduce_s(message_bytes: float, devices: int, link: Link) -> float:
    """Seconds of an all-reduce on a ring: start + 2(p − 1) · hop + 2(p − 1)/p · message / link.

    Each device sends a p-th of the message to its neighbour 2(p − 1) times: p − 1 times to add up,
    p − 1 times to tell (Patarasuk and Yuan, 2009). Least bytes, most hops. 0 for one device.
    """
    if _alone(devices):
        return 0.0
    rate = ring_rate(link.rate_bytes_per_s, devices)
    latency = link.start_s + 2 * (devices - 1) * link.hop_s
    return all_reduce_time_s(message_bytes, latency_s=latency, rate_bytes_per_s=rate)


def one_shot_all_reduce_s(message_bytes: float, devices: int, link: Link) -> float:
    """Seconds if everyone sends all to everyone: start + hop + (p − 1) · message / link.

    One hop, but (p − 1) messages through each link, at the rate of short ones: the kernel that
    engines use for the shortest within a host (TensorRT-LLM and vLLM call it one-shot). 0 for one
    device.
    """
    if _alone(devices):
        return 0.0
    rate = link.short_bytes_per_s / (devices - 1)
    latency = link.start_s + link.hop_s
    return all_reduce_time_s(message_bytes, latency_s=latency, rate_bytes_per_s=rate)


def two_shot_all_reduce_s(message_bytes: float, devices: int, link: Link) -> float:
    """Seconds if each adds up a p-th part and tells all: start + 2 · hop + 2(p − 1)/p · m / link.

    The bytes of a ring in two hops, since all devices are one hop apart behind a switch; at the
    rate of short messages. 0 for one device.
    """
    if _alone(devices):
        return 0.0
    rate = ring_rate(link.short_bytes_per_s, devices)
    latency = link.start_s + 2 * link.hop_s
    return all_reduce_time_s(message_bytes, latency_s=latency, rate_bytes_per_s=rate)


def all_reduce_s(message_bytes: float, devices: int, link: Link) -> float:
    """Seconds of the best of the three: engines choose by the length of the message.

    >>> from labutils.llm.layouts.links import link
    >>> fast = link("NVLink 4")
    >>> [round(1e6 * all_reduce_s(n, 8, fast), 1) for n in (1024, 1_048_576, 16_777_216)]
    [3.6, 31.5, 117.6]
    """
    ways = (one_shot_all_reduce_s, two_shot_all_reduce_s, ring_all_reduce_s)
    return min(way(message_bytes, devices, link) for way in ways)


def all_to_all_s(sent_bytes: float, devices: int, link: Link) -> float:
    """Seconds until each device has sent ``sent_bytes`` evenly to all, itself included.

    start + hop + (p − 1)/p · sent / link: what it keeps needs no link. 0 for one device.
    """
    sent = arguments.non_negative("sent_bytes", sent_bytes)
    if _alone(devices):
        return 0.0
    away = sent * (devices - 1) / devices
    return link.start_s + link.hop_s + away / link.rate_bytes_per_s


def hand_over_s(message_bytes: float, link: Link) -> float:
    """Seconds of one message from a device to another: hop + message / link."""
    return link.hop_s + arguments.non_negative("message_bytes", message_bytes) / (
        link.rate_bytes_per_s
    )


def expert_exchange_s(
    tokens: float,
    *,
    picks: int,
    hidden_size: int,
    away_share: float,
    start_s: float,
    rate_bytes_per_s: float,
    bytes_there: float = 1.0,
    bytes_back: float = 2.0,
) -> float:
    """Seconds in which a card's tokens travel to their experts of one layer, and back.

    Two exchanges: 2 · start + tokens · picks · hidden · (there + back) · share away / rate. A copy
    goes to each picked expert, in 8 bits there and in 16 back (DeepSeek-V3, 2024, section 3.3).
    ``away_share`` is the part of the copies that leaves by this link.
    """
    values = arguments.non_negative("tokens", tokens) * arguments.whole("picks", picks)
    values *= arguments.whole("hidden_size", hidden_size)
    away = values * arguments.non_negative("away_share", away_share)
    rate = arguments.positive("rate_bytes_per_s", rate_bytes_per_s)
    return 2 * arguments.non_negative("start_s", start_s) + away * (bytes_there + bytes_back) / rate


def _alone(devices: int) -> bool:
    return arguments.whole("devices", devices) == 1
