"""Results as a table to read and a file to keep."""

import json
from dataclasses import asdict
from pathlib import Path

from .registry import Row


def line(row: Row) -> str:
    """One line of the table."""
    median = "" if row.median is None else f"(median {_figure(row.median)})"
    goal = "" if row.goal is None else f"goal {row.goal}: {_judgement(row)}"
    text = f"  {row.name:<46} {_figure(row.value):>9} {row.unit:<5} {median:<17} {goal:<24}"
    return f"{text} {row.note}".rstrip()


def missed(rows: list[Row]) -> list[Row]:
    """Rows on the wrong side of their goal."""
    return [row for row in rows if row.goal and not row.goal.is_met(row.value)]


def save(path: Path, header: dict, rows: list[Row], problems: dict[str, str]) -> None:
    """Write header, rows and problems as JSON, making the folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {**header, "rows": [_record(row) for row in rows], "problems": problems}
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _record(row: Row) -> dict:
    met = None if row.goal is None else row.goal.is_met(row.value)
    return {**asdict(row), "goal": None if row.goal is None else str(row.goal), "met": met}


def _judgement(row: Row) -> str:
    return "met" if row.goal.is_met(row.value) else "MISSED"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
