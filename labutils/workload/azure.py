"""Azure's LLM inference traces of 2023 and 2024 (Patel et al., Splitwise, ISCA 2024; CC BY 4.0)."""

import re
from datetime import datetime
from functools import partial
from pathlib import Path

from .lines import columns, read_lines, whole_field
from .trace import RequestTrace

HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens"


def read_azure(path) -> RequestTrace:
    """Read a CSV file of ``TIMESTAMP,ContextTokens,GeneratedTokens``, plain or gzipped.

    Arrivals count from the first row. A line that cannot be read raises ``MalformedLine``.
    """
    name = Path(path).name.split(".")[0]
    return read_lines(path, _Row(), partial(_trace, name), header=HEADER)


class _Row:
    """Parse lines one by one; times count from the first and may not go back."""

    def __init__(self):
        self.first: datetime | None = None
        self.first_part = 0.0
        self.last_s = 0.0

    def __call__(self, text: str) -> tuple[float, int, int]:
        stamp, prompt, output = columns(text, 3)
        arrival_s = self._seconds(stamp)
        if arrival_s < self.last_s:
            raise ValueError(f"TIMESTAMP = {stamp!r}: expected one no earlier than the line before")
        prompt_tokens = whole_field("ContextTokens", prompt)
        output_tokens = whole_field("GeneratedTokens", output)
        self.last_s = arrival_s
        return arrival_s, prompt_tokens, output_tokens

    def _seconds(self, stamp: str) -> float:
        try:
            whole = datetime.fromisoformat(stamp[:19])
            rest = re.fullmatch(r"(\.[0-9]{1,18})?(\+00:00)?", stamp[19:])  # 2024 adds the zone
            if not rest:
                raise ValueError(stamp)
            part = float("0" + (rest[1] or ""))  # seven digits: more than datetime keeps
        except ValueError:
            raise ValueError(
                f"TIMESTAMP = {stamp[:40]!r}: expected YYYY-MM-DD hh:mm:ss.f"
            ) from None
        if self.first is None:
            self.first, self.first_part = whole, part
        return (whole - self.first).total_seconds() + (part - self.first_part)


def _trace(name: str, rows: list[tuple[float, int, int]]) -> RequestTrace:
    arrivals, prompts, outputs = zip(*rows, strict=True) if rows else ((), (), ())
    return RequestTrace(arrivals, prompts, outputs, name=name)
