"""Start JupyterLab on the learner's copies, with settings for this one process alone."""

import os
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from labutils.ground.files import why_unwritable
from labutils.workspace.folder import HOME, Workspace
from labutils.workspace.sync import Step, sync

START_PAGES = (HOME, "notebooks/00_start_here.ipynb")
DRAWN_WITHIN_S = 30
ELSEWHERE = "make lab LABUTILS_MY=/path/to/a/writable/folder"


def open_lab(flags: tuple[str, ...] = (), workspace: Workspace | None = None) -> int:
    """Bring ``my/`` up to date, say what is new, and become JupyterLab.

    ``flags`` go to JupyterLab after the course's own, so they win. Returns an exit code if
    JupyterLab cannot start; on POSIX it replaces this process.
    """
    workspace = workspace or Workspace.here()
    for line in summary(sync(workspace), workspace):
        print(line)
    draw_home(workspace)
    if find_spec("jupyterlab") is None:
        print("JupyterLab is not installed in this Python: run make lab.", file=sys.stderr)
        return 1
    command = [*_yielding(lab_command(workspace), flags), *flags]
    if "--allow-root" in command:
        print("You are root, so every cell may do anything: better use an account of your own.")
    print("Opening JupyterLab. Stop it with Ctrl-C, twice.", flush=True)
    if os.name == "posix":
        os.execve(sys.executable, command, lab_environment(workspace))
    return subprocess.call(command, env=lab_environment(workspace))


def _yielding(command: list[str], flags: tuple[str, ...]) -> list[str]:
    """``command`` without the options that ``flags`` give too: Jupyter takes each only once."""
    given = {flag.partition("=")[0] for flag in flags}
    return [word for word in command if word.partition("=")[0] not in given]


def summary(steps: tuple[Step, ...], workspace: Workspace) -> list[str]:
    """What a learner reads of a sync: one line on new copies, one for each update or trouble."""
    where = workspace.shown(workspace.my)
    kinds = [step.kind for step in steps]
    lines = [f"{kinds.count('new')} new in {where}/"] if "new" in kinds else []
    told = ("again", "updated", "back", "offered", "damaged")
    lines += [step.message for step in steps if step.kind in told]
    if "back" in kinds:
        lines.append(f"If two versions of the course use {where}/, give each its own: {ELSEWHERE}")
    if reason := why_unwritable(workspace.my):
        lines.append(f"{where}/ cannot be written ({reason}): nothing you do there can be saved.")
        lines.append(f"To work elsewhere: {ELSEWHERE}")
    else:
        lines += _problems(steps)
    return lines


def _problems(steps: tuple[Step, ...]) -> list[str]:
    """One line for each trouble, however many notebooks it keeps back: a full disk stops all."""
    told = Counter(step.message.removeprefix(step.name) for step in steps if step.kind == "problem")
    names = {step.message.removeprefix(step.name): step.name for step in steps}
    return [f"{names[text] if n == 1 else f'{n} files'}{text}" for text, n in told.items()]


def lab_command(workspace: Workspace) -> list[str]:
    """The command line that opens JupyterLab at the home, on this machine alone."""
    inside = workspace.my.is_relative_to(workspace.root)
    root = workspace.root if inside or not workspace.my.is_dir() else workspace.my
    command = [sys.executable, "-m", "jupyterlab", "--ip=127.0.0.1"]
    command += [f"--ServerApp.root_dir={root}"]
    command += [f"--LabApp.default_url={start_url(workspace, root)}"]
    command += ["--Application.log_level=ERROR"]
    command += ["--LabApp.extension_manager=readonly"]  # its panel would ask the package index
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # containers; Jupyter asks to be told
        command.append("--allow-root")
    return command


def start_url(workspace: Workspace, root: Path) -> str:
    """Address of the learner's start page; the course's own where no copy could be made."""
    folders = (workspace.my, workspace.root)
    for page in (folder / page for folder in folders for page in START_PAGES):
        if page.is_file() and page.is_relative_to(root):
            return "/lab/tree/" + quote(page.relative_to(root).as_posix())
    return "/lab"


def draw_home(workspace: Workspace) -> None:
    """Put what it shows today into the learner's home, which opens before any cell has run.

    In a process of its own: whatever stops it there, JupyterLab opens.
    """
    if not (workspace.my / HOME).is_file():
        return
    command = [sys.executable, "-P", "-m", "labutils.home.home_page", str(workspace.my / HOME)]
    environment = os.environ | {"LABUTILS_MY": str(workspace.my)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, cwd=workspace.my, env=environment, timeout=DRAWN_WITHIN_S, **quiet)


def lab_environment(workspace: Workspace) -> dict[str, str]:
    """Environment for JupyterLab: no news pop-up, this Python's kernel and commands, own layouts.

    Nothing of it is written to the learner's Jupyter configuration, which stays in force.
    """
    ours = str(Path(__file__).parent / "jupyter")
    theirs = os.environ.get("JUPYTER_CONFIG_PATH")
    environment = dict(os.environ)
    environment["JUPYTER_CONFIG_PATH"] = os.pathsep.join([ours, theirs] if theirs else [ours])
    environment["JUPYTER_PREFER_ENV_PATH"] = "1"
    # Terminals, and cells with "!", find this Python and its commands first.
    commands = str(Path(sys.executable).parent)
    environment["PATH"] = os.pathsep.join([commands, os.environ.get("PATH", os.defpath)])
    # Threads of torch that spin while they wait slow each other down wherever anything else runs.
    environment.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if why_unwritable(workspace.my) is None:
        layouts = workspace.my / ".jupyter" / "workspaces"
        environment.setdefault("JUPYTERLAB_WORKSPACES_DIR", str(layouts))
    return environment
