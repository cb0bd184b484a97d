"""What was recorded on GPUs: shown by the labs where no GPU is present."""

import json
from pathlib import Path

import labutils

FOLDER = "gpu_runs"
NONE_RECORDED = "No GPU run has been recorded yet: there is no GPU figure to show."


def gpu_runs(folder: Path | None = None) -> list[dict]:
    """All whole runs on a GPU, the newest first; an empty list while there is none.

    ``data/gpu_runs/README.md`` says what the fields mean. ``folder`` is another place to look.
    """
    folder = labutils.datafile(FOLDER) if folder is None else Path(folder)
    found = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    whole = [run for run in found if run["kind"] == "cuda" and not run["quick"]]
    return sorted(whole, key=lambda run: run["date"], reverse=True)


def gpu_summary(folder: Path | None = None) -> str:
    """The newest run as lines to print, or one line that says there is none."""
    runs = gpu_runs(folder)
    if not runs:
        return NONE_RECORDED
    newest = runs[0]
    head = f"Recorded on {newest['device']}, {newest['date'][:10]}: `{newest['command']}`"
    return "\n".join([head, *(_line(run) for run in newest["runs"])])


def _line(run: dict) -> str:
    return (
        f"{run['model']}, {run['pool']} pool: {run['output_tokens_per_s']:,.0f} tokens/s, "
        f"{100 * run['floor_share']:.0f} % of the floor, "
        f"{run['preemptions']} preemption{'s' * (run['preemptions'] != 1)}, "
        f"host {100 * run['host_by_device']:.0f} % of the device's time"
    )
