"""What may be recorded as a latency."""

import numpy as np

from labutils.ground import arguments


def none_negative(name: str, values) -> np.ndarray:
    """``values`` as a float array, if it is non-empty, finite and nowhere negative."""
    array = arguments.sample(name, values)
    if array.min() < 0:
        at = int(np.argmax(array < 0))
        raise ValueError(f"{name}[{at}] = {array[at]}: expected numbers of at least 0")
    return array
