"""The models and accelerators that the course ships, by name.

The tables are ``data/models.json`` and ``data/accelerators.json``, each row with its source and
status; they are read once, at the first question.
"""

import json
import re
from functools import cache
from types import MappingProxyType

from labutils import datafile
from labutils.llm.specification.accelerator import Accelerator
from labutils.llm.specification.spec import Experts, Indexer, Latent, LinearAttention, ModelSpec


def model(name: str) -> ModelSpec:
    """The model called ``name``, e.g. ``"Llama-3.1-8B"``; case, spaces and hyphens do not matter.

    Raises ``ValueError`` for an unknown name and lists the closest ones.
    """
    return _find("model", name, _models())


def model_names() -> tuple[str, ...]:
    """All models, in the order of the table."""
    return tuple(dict.fromkeys(spec.name for spec in _models().values()))


def accelerator(name: str) -> Accelerator:
    """The device called ``name``, e.g. ``"H100 SXM"`` (or ``"H100"``).

    Raises ``ValueError`` for an unknown name and lists the closest ones.
    """
    return _find("accelerator", name, _accelerators())


def accelerator_names() -> tuple[str, ...]:
    """All devices, in the order of the table."""
    return tuple(dict.fromkeys(device.name for device in _accelerators().values()))


@cache
def _models() -> dict[str, ModelSpec]:
    table = _table("models.json")
    specs = [_spec(row, table["as_of"]) for row in table["models"]]
    return {_key(spec.name): spec for spec in specs}


def _spec(row: dict, as_of: str) -> ModelSpec:
    parts = {
        "experts": Experts,
        "latent": Latent,
        "indexer": Indexer,
        "linear": LinearAttention,
    }
    built = {key: parts[key](**row[key]) for key in parts if key in row}
    return ModelSpec(**{"as_of": as_of, **row, **built})


@cache
def _accelerators() -> dict[str, Accelerator]:
    table = _table("accelerators.json")
    named = {}
    for row in table["accelerators"]:
        device = _device(row, table["as_of"])
        named |= {_key(name): device for name in (row["name"], *row.get("aliases", ()))}
    return named


def _device(row: dict, as_of: str) -> Accelerator:
    peaks = {precision: rate * 1e12 for precision, rate in row["peak_tflops"].items()}
    link, price = row["link_gb_per_s"], row["price_per_hour"]
    return Accelerator(
        name=row["name"],
        memory_bytes=row["memory_gb"] * 1e9,
        bandwidth_bytes_per_s=row["bandwidth_tb_per_s"] * 1e12,
        peak_flops=MappingProxyType(peaks),
        link=row["link"],
        link_bytes_per_s=link and link * 1e9,
        link_peers=row.get("link_peers"),
        price_per_hour=price and tuple(price),
        **{key: row.get(key, "") for key in ("source", "status", "note")},
        as_of=row.get("as_of", as_of),
    )


def _table(name: str) -> dict:
    return json.loads(datafile(name).read_text(encoding="utf-8"))


def _find(kind: str, name: str, table: dict):
    found = table.get(_key(name)) if isinstance(name, str) else None
    if found is None:
        raise ValueError(f"{kind} = {name!r}: expected {_suggestion(name, table)}")
    return found


def _suggestion(name, table: dict) -> str:
    import difflib  # only a mistake needs it

    close = difflib.get_close_matches(_key(str(name)), table, n=6, cutoff=0.5)
    names = dict.fromkeys(table[key].name for key in close or table)
    return f"{'a name such as' if close else 'one of'} {', '.join(names)}"


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).lower()
