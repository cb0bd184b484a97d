"""Routers on a real trace, as ``python -m benchmarks.mooncake_routers`` measured them."""

import json

from labutils import datafile

RATE_PER_S = 3.4  # of Mooncake's conversations


def recorded_routers(figure: str) -> tuple[list[float], dict[str, list[float]]]:
    """Requests a second, and for each router the mean of a figure at each of these rates.

    ``figure`` is one of ``hit_share``, ``ttft_p50_s``, ``ttft_p90_s``; the file has intervals, too.
    """
    kept = json.loads(datafile("mooncake_routers.json").read_text(encoding="utf-8"))
    if figure not in ("hit_share", "ttft_p50_s", "ttft_p90_s"):
        raise ValueError(f"figure = {figure!r}: expected hit_share, ttft_p50_s or ttft_p90_s")
    told: dict[str, list[float]] = {}
    for row in kept["rows"]:
        told.setdefault(row["router"], []).append(row[figure][1])
    loads = sorted({row["load"] for row in kept["rows"]})
    return [round(RATE_PER_S * load, 1) for load in loads], told
