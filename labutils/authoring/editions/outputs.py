"""What an executed notebook may keep: outputs that are stable, quiet and small."""

import json
import re
from pathlib import Path

from nbformat import NotebookNode

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
STATIC = ("image/png", "image/svg+xml", "text/html")
LARGEST_BYTES = 500_000


def settle(notebook: NotebookNode) -> None:
    """Make executed outputs repeatable: drop timings and the widget state nobody needs.

    A view that carries a static picture or HTML keeps that alone. State stays only for views
    without one, under model ids that are the same in every run.
    """
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if any(kind in data for kind in STATIC):
                data.pop(WIDGET_VIEW, None)
    _settle_state(notebook)


def faults(notebook: NotebookNode, *, private: tuple[str, ...] = ()) -> list[str]:
    """What is wrong with the outputs, one line each; call before ``settle``.

    Names warnings, errors (those that a widget swallowed too), memory addresses, and any text
    of ``private`` (paths of the machine that built it).
    """
    found = [f"a widget swallowed an error: {text}" for text in _swallowed(notebook)]
    for number, cell in enumerate(notebook.cells, start=1):
        for output in cell.get("outputs", []):
            for fault in _output_faults(output, private):
                found.append(f"cell {number} {fault}")
    return found


def _output_faults(output, private) -> list[str]:
    if output.output_type == "error":
        return [f"raises {output.ename}: {output.evalue}"]
    if output.output_type == "stream" and output.name == "stderr":
        return [f"writes to stderr: {output.text.strip()[:200]!r}"]
    text = _text(output)
    found = [f"prints a path of this machine ({path})" for path in private if path in text]
    if address := re.search(r"\bat 0x[0-9a-f]{6,}", text):
        found.append(f"prints a memory address ({address[0]}); end its last line with a semicolon")
    return found


def _text(output) -> str:
    if output.output_type == "stream":
        return output.text
    return "\n".join(str(v) for k, v in output.data.items() if k.startswith("text/"))


def _swallowed(notebook: NotebookNode) -> list[str]:
    outputs = [
        output
        for model in _state(notebook).values()
        for output in model["state"].get("outputs", [])
    ]
    return [f"{o['ename']}: {o['evalue']}" for o in outputs if o["output_type"] == "error"]


def _state(notebook: NotebookNode) -> dict:
    return notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})


def _settle_state(notebook: NotebookNode) -> None:
    state = _state(notebook)
    kept = _reachable(state, _shown_models(notebook))
    if not kept:
        notebook.metadata.pop("widgets", None)
        return
    notebook.metadata["widgets"][WIDGET_STATE]["state"] = {m: state[m] for m in kept}
    text = json.dumps(notebook)
    for number, model in enumerate(kept):
        text = text.replace(model, f"{number:032x}")
    notebook.update(_as_nodes(json.loads(text)))


def _shown_models(notebook: NotebookNode) -> list[str]:
    return [
        output.data[WIDGET_VIEW]["model_id"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if WIDGET_VIEW in output.get("data", {})
    ]


def _reachable(state: dict, shown: list[str]) -> list[str]:
    kept, waiting = [], list(reversed(shown))
    while waiting:
        model = waiting.pop()
        if model in state and model not in kept:
            kept.append(model)
            waiting += reversed(re.findall(r"IPY_MODEL_(\w+)", json.dumps(state[model])))
    return kept


def _as_nodes(value):
    import nbformat

    return nbformat.from_dict(value)


def private_paths(root: Path) -> tuple[str, ...]:
    """Texts that must not stand in an output: the checkout's path and the home folder's."""
    return tuple(str(path) for path in (root, Path.home()) if len(path.parts) > 1)
