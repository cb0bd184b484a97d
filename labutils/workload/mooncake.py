"""Mooncake's traces with shared prefixes (Qin et al., Mooncake, FAST 2025; Apache-2.0)."""

import json
from functools import partial
from pathlib import Path

import numpy as np

from .lines import read_lines, whole_field
from .trace import RequestTrace

PAGE_TOKENS = 512
TICK_S = 3.0
JITTER_MS = 5
NOTE = "Arrivals were recorded in ticks of 3 s; here they are spread evenly within their tick."


def read_mooncake(path, *, seed: int) -> RequestTrace:
    """Read a JSONL file of timestamp (ms), input_length, output_length, hash_ids.

    In some of these files arrivals come rounded to ticks of 3 s. Where all of them do, each is
    moved to a random moment of its tick (``seed``), in the order of the file, and the trace's note
    says so; other files keep their arrivals. ``hash_ids`` become ``prefix_keys``, one per started
    512 tokens, so the last one may stand for a block that is filled in part.

    A line that cannot be read raises ``MalformedLine``.
    """
    name = Path(path).name.split(".")[0]
    return read_lines(path, _Row(), partial(_trace, name, seed))


class _Row:
    """Parse lines one by one; timestamps may not go back."""

    def __init__(self):
        self.last_ms = 0

    def __call__(self, text: str) -> tuple[int, int, int, tuple[int, ...]]:
        fields = _json_object(text)
        stamp_ms = whole_field("timestamp", fields["timestamp"], at_least=self.last_ms)
        prompt = whole_field("input_length", fields["input_length"])
        output = whole_field("output_length", fields["output_length"])
        keys = fields["hash_ids"]
        if not isinstance(keys, list) or any(type(key) is not int for key in keys):
            raise ValueError(f"hash_ids = {str(keys)[:60]}: expected a list of whole numbers")
        if len(keys) != -(-prompt // PAGE_TOKENS):
            raise ValueError(
                f"hash_ids has {len(keys)}: expected {-(-prompt // PAGE_TOKENS)}, one for each "
                f"started {PAGE_TOKENS} of input_length = {prompt}"
            )
        self.last_ms = stamp_ms
        return stamp_ms, prompt, output, tuple(keys)


def _json_object(text: str) -> dict:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{text[:60]!r}: expected JSON ({error})") from None
    if not isinstance(fields, dict):
        raise ValueError(f"{text[:60]!r}: expected a JSON object")
    return fields


def _trace(name: str, seed: int, rows: list[tuple]) -> RequestTrace:
    stamps_ms, prompts, outputs, keys = zip(*rows, strict=True) if rows else ((), (), (), ())
    stamps_s = np.array(stamps_ms, dtype=float) / 1000
    ticks = np.rint(stamps_s / TICK_S)
    is_rounded = len(rows) > 1 and (abs(stamps_s - TICK_S * ticks) <= JITTER_MS / 1000).all()
    return RequestTrace(
        arrival_s=_smeared(ticks, seed) if is_rounded else stamps_s,
        prompt_tokens=prompts,
        output_tokens=outputs,
        prefix_keys=tuple(keys),
        prefix_page_tokens=PAGE_TOKENS,
        name=name,
        note=NOTE if is_rounded else "",
    )


def _smeared(ticks: np.ndarray, seed: int) -> np.ndarray:
    """Seconds of arrivals that are spread evenly at random over their tick."""
    within = np.random.default_rng(seed).random(len(ticks))
    return np.sort(ticks + within) * TICK_S
