"""Money: what a million tokens cost on rented devices."""

from labutils.ground import arguments


def cost_per_million_tokens(
    price_per_hour: float, tokens_per_s: float, *, num_devices: int = 1, utilization: float = 1.0
) -> float:
    """Price of 10⁶ tokens: devices · price / (3600 · tokens per second · utilization) · 10⁶.

    ``tokens_per_s`` is what all ``num_devices`` deliver together while they are busy;
    ``utilization`` is the share of the rented time that they are.
    """
    price = arguments.non_negative("price_per_hour", price_per_hour)
    rate = arguments.positive("tokens_per_s", tokens_per_s)
    devices = arguments.whole("num_devices", num_devices)
    busy = arguments.share("utilization", utilization)
    return devices * price * 1e6 / (3600 * rate * busy)
