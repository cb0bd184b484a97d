"""The checks themselves. Each tries the thing itself, not only its version number."""

import importlib
import io
import os
import platform
import shutil
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from labutils.ground.files import why_unwritable
from labutils.ground.folder import is_course, my_folder
from labutils.workspace.preflight.finding import Finding
from labutils.workspace.preflight.machine import (
    has_nvidia_gpu,
    memory_bytes,
    timer_resolution_s,
    usable_cores,
)

GB = 1e9
NEWEST_TRIED = (3, 14)
IMPORTED_AS = {  # where it is not the package's own name
    "faiss-cpu": "faiss",
    "ipython": "IPython",
    "opentelemetry-exporter-otlp-proto-http": "opentelemetry.exporter.otlp.proto.http",
    "opentelemetry-sdk": "opentelemetry.sdk",
    "pillow": "PIL",
}
REINSTALL = "run make lab again; with conda: conda env update -f environment.yml"


def check_python() -> Finding:
    """A Python that the course was tried with; an older one cannot import this file."""
    detail = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    if sys.version_info[:2] > NEWEST_TRIED:
        return Finding("python", "warn", detail, "newer than any that the course was tried with")
    return Finding("python", "ok", detail)


def core_requirements() -> list:
    """What labutils needs in any case, as ``packaging`` requirements with their floors."""
    from packaging.requirements import Requirement

    try:
        stated = [Requirement(line) for line in requires("labutils") or []]
    except PackageNotFoundError:
        return []
    return [need for need in stated if need.marker is None or need.marker.evaluate({"extra": ""})]


def check_packages() -> Finding:
    """Every package is importable and at its floor or above."""
    needs = core_requirements()
    if not needs:
        return Finding("packages", "fail", "labutils is not installed", REINSTALL)
    faults = [fault for need in needs if (fault := _fault(need))]
    if faults:
        return Finding("packages", "fail", "; ".join(faults), REINSTALL)
    shown = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "ipywidgets"))
    return Finding("packages", "ok", f"{len(needs)} import; {shown}")


def _fault(need) -> str | None:
    try:
        name = need.name.lower()
        importlib.import_module(IMPORTED_AS.get(name, name.replace("-", "_")))
        found = version(need.name)
    except Exception as error:
        return f"{need.name} does not import ({type(error).__name__})"
    allowed = need.specifier.contains(found, prereleases=True)
    return None if allowed else f"{need.name} {found} is not {need.specifier}"


def check_machine() -> Finding:
    """Cores, memory and disk that suffice for the chapters."""
    cores, memory_gb = usable_cores(), memory_bytes() / GB
    disk_gb = shutil.disk_usage(_existing(my_folder())).free / GB
    detail = f"{cores} cores, {memory_gb:.0f} GB memory, {disk_gb:.0f} GB disk free (GB = 10^9 B)"
    if disk_gb < 0.5:
        return Finding("machine", "warn", detail, "free some disk: results may not be saved")
    if memory_gb < 3:
        return Finding("machine", "warn", detail, "close other programs: labs want 3 GB")
    return Finding("machine", "ok", detail)


def check_timer() -> Finding:
    """A clock fine enough for the measurements."""
    resolution_s = timer_resolution_s()
    detail = f"steps of {resolution_s * 1e6:.2g} µs"
    if resolution_s > 1e-4:
        return Finding("timer", "warn", detail, "measurements below 10 ms will be rough here")
    return Finding("timer", "ok", detail)


def check_numba() -> Finding:
    """The course's own queue kernel compiles and gives the waits that a hand calculation gives."""
    import numpy as np

    from labutils.simulation import waiting_times

    waits = waiting_times(np.array([0.0, 1.0, 2.0]), np.array([2.0, 2.5, 0.5]))
    if not np.allclose(waits, [0.0, 1.0, 2.5]):
        return Finding("numba", "fail", f"a compiled queue waits {waits}, not 0, 1, 2.5", REINSTALL)
    return Finding("numba", "ok", "compiles, and a queue of three waits 0, 1, 2.5 s")


def check_drawing() -> Finding:
    """Matplotlib draws a line that is really there."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1), dpi=50)
    canvas = FigureCanvasAgg(figure)
    figure.add_axes((0, 0, 1, 1)).plot([0, 1], [0, 1], color="black", linewidth=3)
    canvas.print_png(png := io.BytesIO())
    if canvas.buffer_rgba().tobytes().count(b"\x00\x00\x00\xff") < 20 or not png.getvalue():
        return Finding("drawing", "fail", "matplotlib draws an empty picture", REINSTALL)
    return Finding("drawing", "ok", f"matplotlib {version('matplotlib')} draws")


def check_torch() -> Finding:
    """Torch multiplies matrices right, on the accelerator too if there is one."""
    try:
        import torch
    except ImportError:
        detail = "not installed; the measurement of chapter 00 and the labs need it"
        return Finding("torch", "warn", detail, REINSTALL)
    from labutils.measure.sharing import why_unlockable  # it wants numpy, which may be missing

    device = torch_device()
    left = torch.arange(6.0, device=device).reshape(2, 3)
    if (left @ left.T).tolist() != [[5.0, 14.0], [14.0, 50.0]]:
        return Finding("torch", "fail", f"{torch.__version__} miscalculates on {device}", REINSTALL)
    detail = f"{torch.__version__} computes on {_device_name(device)}"
    if device == "cpu" and has_nvidia_gpu():
        remedy = "nothing, or a CUDA build of torch (pytorch.org)"
        return Finding("torch", "warn", f"{detail}; it cannot use the NVIDIA GPU", remedy)
    if broken := why_unlockable():
        remedy = "make that file (docs/cloud/README.md), or unset the variable"
        return Finding("torch", "warn", f"{detail}; no turns at the GPU: {broken}", remedy)
    return Finding("torch", "ok", detail)


def torch_device() -> str:
    """The device that torch would compute on here: cuda, mps or cpu; cpu also without torch."""
    try:
        import torch
    except Exception:
        return "cpu"
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _device_name(device: str) -> str:
    import torch

    if device != "cuda":
        return {"mps": "the Apple GPU", "cpu": "the CPU; no GPU, none needed"}[device]
    properties = torch.cuda.get_device_properties(0)
    return f"{properties.name}, {properties.total_memory / GB:.0f} GB"


def check_widgets() -> Finding:
    """A slider opens its channel to the page, and a message from there moves it."""
    if not in_kernel():
        return Finding("widgets", "n/a", "no notebook here; run preflight in one to try sliders")
    import ipywidgets

    slider, seen = ipywidgets.IntSlider(value=3), []
    slider.observe(lambda change: seen.append(change["new"]), "value")
    try:
        if slider.comm is None or type(slider.comm).__name__.startswith("Dummy"):
            return Finding("widgets", "fail", "a slider finds no channel to the page", REINSTALL)
        slider.comm.handle_msg(_as_if_moved_to(7))
    finally:
        slider.close()
    if seen != [7]:
        return Finding("widgets", "fail", "a slider does not follow the page", REINSTALL)
    return Finding("widgets", "ok", f"ipywidgets {version('ipywidgets')}: a slider moves")


def _as_if_moved_to(value: int) -> dict:
    """What the page sends when somebody moves a slider."""
    state = {"method": "update", "state": {"value": value}, "buffer_paths": []}
    return {"content": {"data": state}, "buffers": []}


def check_progress() -> Finding:
    """What the learner does can be written down."""
    folder = my_folder() / "progress"
    reason = why_unwritable(folder)
    if reason is None:
        return Finding("progress", "ok", "can be saved")
    remedy = "set LABUTILS_MY to a folder that you can write to"
    return Finding("progress", "fail", f"cannot be saved: {reason}", remedy)


def check_notebook() -> Finding:
    """The notebook at hand is the learner's copy, not the course's own edition."""
    if "google.colab" in sys.modules:
        return Finding("notebook", "n/a", "Colab: keep yours with File, Save a copy in Drive")
    if not in_kernel():
        return Finding("notebook", "n/a", "no notebook here")
    session = Path(os.environ.get("JPY_SESSION_NAME", ""))
    folder = session.parent if session.is_file() else Path.cwd()
    if folder.is_relative_to(my_folder()):
        return Finding("notebook", "ok", "this is your own copy")
    if any(is_course(parent) for parent in (folder, *folder.parents)):
        detail = "this is the course's own edition, and updates would clash with your changes"
        return Finding("notebook", "warn", detail, "run make lab and open the one in my/")
    return Finding("notebook", "n/a", "outside the course's folder")


def in_kernel() -> bool:
    """Whether a notebook kernel runs this, and not a terminal."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None) is not None


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


ALL = (
    check_python,
    check_packages,
    check_machine,
    check_timer,
    check_numba,
    check_drawing,
    check_torch,
    check_widgets,
    check_progress,
    check_notebook,
)
