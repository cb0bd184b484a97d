"""Attribute values that every version of OpenTelemetry keeps."""

from collections.abc import Iterator, Mapping

_PLAIN = (bool, int, float, str)


def flat_attributes(attributes: Mapping[str, object]) -> dict[str, object]:
    """The same attributes without nesting: ``{"usage": {"in": 3}}`` becomes ``{"usage.in": 3}``.

    The SDK of 1.20 warns about a dict and drops it, that of 1.45 keeps it, and a backend may do
    either. Texts, numbers, truth values and lists of one such type survive everywhere; numpy's
    numbers become Python's. Raises ``ValueError`` for any other value, None included, and where two
    paths give one name.
    """
    flat: dict[str, object] = {}
    for name, value in _leaves(attributes, ""):
        if name in flat:
            raise ValueError(f"attributes[{name!r}] = {value!r}: expected one value of a name")
        flat[name] = _kept(name, value)
    return flat


def _leaves(attributes: Mapping[str, object], path: str) -> Iterator[tuple[str, object]]:
    for name, value in attributes.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", value


def _kept(name: str, value):
    value = value.tolist() if hasattr(value, "tolist") else value  # numpy's
    if isinstance(value, _PLAIN):
        return value
    listed = isinstance(value, list | tuple) and all(isinstance(item, _PLAIN) for item in value)
    if listed and len({type(item) for item in value}) <= 1:
        return list(value)
    raise ValueError(
        f"attributes[{name!r}] = {value!r}: expected a text, a number, a truth value, "
        "a list of one of these, or a mapping of them"
    )
