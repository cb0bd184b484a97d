"""One more argument check: a share that may be whole."""

from labutils import arguments


def share(name: str, value: float) -> float:
    """``value`` as a float, if it lies above 0 and at most at 1."""
    number = arguments.positive(name, value)
    if number > 1:
        raise ValueError(f"{name} = {value!r}: expected a share above 0 and at most 1")
    return number
