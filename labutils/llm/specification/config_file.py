"""A ``config.json`` as published on Hugging Face, read key by key with errors that name the key."""

import json
from collections.abc import Mapping
from pathlib import Path

from labutils.ground import arguments

_REQUIRED = object()
_ALIASES = {"kimi_k2": "deepseek_v3"}  # its "architectures" name DeepseekV3ForCausalLM


class ConfigKeys:
    """The keys of one configuration: each is asked for by name, missing ones are named."""

    def __init__(self, keys: Mapping, where: str):
        self._keys, self.where = keys, where

    @property
    def architecture(self) -> str:
        """The value of ``model_type``; of an architecture under another name, that which it is."""
        found = self.need("model_type")
        if not isinstance(found, str):
            raise ValueError(f"{self.where}: model_type = {found!r}: expected a name")
        return _ALIASES.get(found, found)

    def get(self, key: str, default=None):
        """The value of ``key``; ``default`` where it is absent or null."""
        found = self._keys.get(key)
        if found is None and default is _REQUIRED:
            raise ValueError(f"{self.where}: key {key!r} is missing, which the architecture needs")
        return default if found is None else found

    def need(self, key: str):
        """The value of ``key``; raises ``ValueError`` where it is absent or null."""
        return self.get(key, _REQUIRED)

    def has(self, key: str) -> bool:
        """Whether the file has ``key`` at all, be it null."""
        return key in self._keys

    def count(self, *keys: str, default=_REQUIRED, at_least: int = 1):
        """A whole number under the first of ``keys`` that is there."""
        key = next((key for key in keys if self._keys.get(key) is not None), keys[0])
        found = self.get(key, default)
        if found is default:
            return found
        return arguments.whole(self._named(key), found, at_least=at_least)

    def flag(self, key: str, *, default: bool) -> bool:
        """A true or false."""
        found = self.get(key, default)
        if not isinstance(found, bool):
            raise ValueError(f"{self._named(key)} = {found!r}: expected true or false")
        return found

    def refuse(self, key: str, value, expected: str):
        """Raise ``ValueError`` about a value that this course cannot account for."""
        raise ValueError(f"{self._named(key)} = {value!r}: expected {expected}")

    def part(self, key: str) -> "ConfigKeys":
        """The configuration nested under ``key``."""
        inner = self.need(key)
        if not isinstance(inner, Mapping):
            self.refuse(key, inner, "a configuration of its own")
        return ConfigKeys(inner, f"{self.where}, {key}")

    def _named(self, key: str) -> str:
        return f"{self.where}: {key}"


def read(config) -> ConfigKeys:
    """The keys of a mapping, of a ``config.json`` file, or of the one in a folder."""
    if isinstance(config, Mapping):
        return ConfigKeys(config, "config")
    if not isinstance(config, str | Path):
        raise ValueError(f"config = {config!r}: expected a mapping or the path of a config.json")
    path = Path(config)
    path = path / "config.json" if path.is_dir() else path
    try:
        keys = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"config = {str(config)!r}: expected a file, and there is none") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: expected JSON, but {error}") from None
    if not isinstance(keys, dict):
        raise ValueError(f"{path}: expected a JSON object, not {type(keys).__name__}")
    return ConfigKeys(keys, str(path))
