"""Many maps in one small file: a byte for each time, on a scale of proportions."""

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from labutils import datafile
from labutils.serving.multi_gpu.layout_map import LayoutMap, MapRun
from labutils.serving.multi_gpu.scenes import Scene

STEP = 0.03  # from one mark of the scale to the next, as a share
FIRST_S = {"ttft_s": 5e-3, "tpot_s": 1e-3}  # the second mark; the first is 0
NEVER = 255


def save_maps(maps: Mapping[Scene, Iterable[MapRun]], path: str | Path) -> None:
    """Write the runs of many scenes. Times are rounded up to the next mark, at most 3 % above.

    So no request keeps a promise in the file that it broke in its run. A time beyond the last mark
    (9 s a first token, 2 s a gap) is kept as never.
    """
    arrays, heads = {}, []
    for at, (scene, runs) in enumerate(maps.items()):
        rows = list(runs)
        heads.append([scene, [[r.name, r.rate_per_s, r.cards, r.span_s] for r in rows]])
        for name in FIRST_S:
            arrays[f"{name}{at}"] = np.array([_marks(name, getattr(run, name)) for run in rows])
        tokens = [run.output_tokens for run in rows]
        arrays[f"output_tokens{at}"] = np.array(tokens, dtype=np.uint16)
    arrays["heads"] = np.frombuffer(json.dumps(heads).encode(), dtype=np.uint8)
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    Path(path).write_bytes(packed.getvalue())


def load_maps(path: str | Path | None = None) -> dict[Scene, LayoutMap]:
    """Read what ``save_maps`` wrote; without a path the course's own map."""
    source = datafile("layout_maps.npz") if path is None else Path(path)
    with np.load(io.BytesIO(source.read_bytes()), allow_pickle=False) as kept:
        heads = json.loads(kept["heads"].tobytes())
        columns = [{name: kept[f"{name}{at}"] for name in _COLUMNS} for at in range(len(heads))]
    return {
        Scene(*scene): LayoutMap(_runs(rows, table)) for (scene, rows), table in zip(heads, columns)
    }


_COLUMNS = (*FIRST_S, "output_tokens")


def _runs(rows, table) -> Iterable[MapRun]:
    for at, (name, rate, cards, span_s) in enumerate(rows):
        times = {column: _times_s(column, table[column][at]) for column in FIRST_S}
        yield MapRun(
            name, rate, cards, span_s, output_tokens=table["output_tokens"][at].astype(int), **times
        )


def _marks(name: str, times_s: np.ndarray) -> np.ndarray:
    """The mark at or above each time, 0 for 0."""
    with np.errstate(divide="ignore"):
        above = np.ceil(np.log(times_s / FIRST_S[name]) / np.log1p(STEP) - 1e-9) + 1
    marks = np.where(times_s > 0, np.clip(above, 1, NEVER), 0)
    return np.where(np.isfinite(times_s), marks, NEVER).astype(np.uint8)


def _times_s(name: str, marks: np.ndarray) -> np.ndarray:
    times = FIRST_S[name] * (1 + STEP) ** (marks.astype(float) - 1)
    return np.where(marks == NEVER, np.inf, np.where(marks == 0, 0.0, times))
