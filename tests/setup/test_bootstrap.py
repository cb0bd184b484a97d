"""The environment: built, left alone, repaired. A tiny course with the real scripts, no network."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import health  # noqa: E402

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "tinycourse"
version = "1"
requires-python = ">=3.11"
"""
# A build backend of its own, so that pip needs no index. It waits or fails when a file says so.
BACKEND = """
import os, time, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    if os.path.exists("hang"):
        open("hanging", "w").close()
        time.sleep(60)
    if os.path.exists("fail"):
        raise SystemExit("no network, say")
    name = "tinycourse-1-py3-none-any.whl"
    info = "tinycourse-1.dist-info/"
    extras = "".join("Provides-Extra: %s\\n" % extra for extra in ("dev", "lab", "torch"))
    members = {
        "tinycourse.py": "value = 1\\n",
        info + "METADATA": "Metadata-Version: 2.1\\nName: tinycourse\\nVersion: 1\\n" + extras,
        info + "WHEEL": "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\n"
                        "Tag: py3-none-any\\n",
        info + "RECORD": "",
    }
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for path, text in members.items():
            wheel.writestr(path, text)
    return name

build_wheel = build_editable
"""


class Course:
    """A checkout with its environment; ``run`` is what make runs first."""

    def __init__(self, root: Path):
        self.root, self.venv = root, root / ".venv"
        self.python = self.venv / "bin" / "python"

    def start(self, extra: str = "lab", **variables: str) -> subprocess.Popen:
        environment = {n: v for n, v in os.environ.items() if n not in ("PYTHON", "VENV")}
        environment |= variables
        environment |= {"PYTHONPATH": "/nowhere", "PIP_USER": "1"}  # as some machines have it
        command = [sys.executable, str(self.root / "scripts" / "bootstrap.py"), extra]
        return subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, extra: str = "lab", **variables: str) -> tuple[int, str]:
        process = self.start(extra, **variables)
        output = process.communicate()[0]
        return process.returncode, output

    def serves(self) -> bool:
        code = "import pip, tinycourse; assert tinycourse.value == 1"
        return subprocess.run([self.python, "-c", code], cwd="/").returncode == 0

    def site(self) -> Path:
        return next(self.venv.glob("lib/python*/site-packages"))


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Course:
    """A course whose environment was built by the first run."""
    root = tmp_path_factory.mktemp("tiny").resolve() / "a course"
    shutil.copytree(SCRIPTS, root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "pyproject.toml").write_text(PYPROJECT)
    (root / "constraints.txt").write_text("")
    (root / "backend.py").write_text(BACKEND)
    course = Course(root)
    code, output = course.run()
    assert code == 0, output
    assert output.startswith("First run")
    assert course.serves()
    return course


@pytest.fixture
def course(built):
    """The built course; whatever the test breaks, the next run must have repaired."""
    yield built
    assert built.run() == (0, "")
    assert built.serves()
    assert not built.venv.with_name(".venv.old").exists()


def test_a_second_run_changes_nothing_and_says_nothing(course):
    before = (course.venv / ".installed.json").stat().st_mtime_ns
    assert course.run() == (0, "")
    assert (course.venv / ".installed.json").stat().st_mtime_ns == before


def test_test_tools_come_when_asked_for_and_stay(course):
    code, output = course.run("dev")
    assert (code, bool(output)) == (0, True)
    assert course.run("dev") == (0, "")
    assert json.loads((course.venv / ".installed.json").read_text())["extras"] == [
        "dev",
        "lab",
        "torch",
    ]


def python_gone(course):
    return course.python


def pip_half_deleted(course):
    return course.site() / "pip" / "__init__.py"


def folder_deleted(course):
    return course.site() / "pip" / "_internal" / "commands"


def package_deleted(course):
    return course.site() / "tinycourse.py"


def metadata_deleted(course):
    return next(course.site().glob("tinycourse-*.dist-info"))


def record_not_written(course):
    return next(course.site().glob("tinycourse-*.dist-info/RECORD"))


def nothing_left(course):
    return course.venv / "bin"


@pytest.mark.parametrize("name", ["big disk", "big disk/", "my", ".", "file.txt", "env"])
@pytest.mark.parametrize("extra", ["lab", "style"])
def test_what_somebody_else_made_stands_in_the_way_and_stays(built, name, extra):
    """VENV names a folder of work, the learner's own, the course itself, a file, an environment."""
    for folder in ("big disk/envs", "my/notebooks", "env/bin"):
        (built.root / folder).mkdir(parents=True, exist_ok=True)
    for file in ("big disk/envs/thesis.txt", "my/notebooks/03.ipynb", "file.txt"):
        (built.root / file).write_text("mine")
    (built.root / "env/pyvenv.cfg").write_text("prompt = 'my thesis'\n")
    before = sorted(built.root.rglob("*"))
    code, output = built.run(extra, VENV=name)
    assert (code, "give VENV another name" in output) == (1, True), output
    assert sorted(built.root.rglob("*")) == before


def test_a_folder_called_old_is_removed_only_where_it_was_ours(course):
    theirs = course.root / "other.old" / "mine.txt"
    theirs.parent.mkdir()
    theirs.write_text("mine")
    assert course.run(VENV="other")[0] == 1  # a rebuild would need that name
    assert not (course.root / "other").exists()
    theirs.parent.rename(course.root / "kept")
    assert course.run(VENV="other")[0] == 0
    (course.root / "kept").rename(theirs.parent)
    assert course.run(VENV="other/") == (0, "")
    assert theirs.read_text() == "mine"
    shutil.rmtree(theirs.parent)


@pytest.mark.parametrize("gone", ["pyvenv.cfg", ".installed.json"])
def test_what_the_script_made_is_known_by_either_mark(built, tmp_path, gone):
    for name in {"pyvenv.cfg", ".installed.json"} - {gone}:
        shutil.copy(built.venv / name, tmp_path)
    assert health.is_ours(str(tmp_path))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (python_gone, "does not run"),
        (pip_half_deleted, "missing"),
        (folder_deleted, "missing"),
        (package_deleted, "missing"),
        (metadata_deleted, "missing"),
        (record_not_written, "missing"),
        (nothing_left, "does not run"),
    ],
)
def test_damage_is_noticed(built, damage, said):
    gone = damage(built)
    gone.rename(built.root / "taken away")
    try:
        state, reason = health.inspect(str(built.root), str(built.venv), ["lab"])
    finally:
        (built.root / "taken away").rename(gone)
    assert state == health.BROKEN
    assert said in reason
    assert health.inspect(str(built.root), str(built.venv), ["lab"]) == (health.READY, "")


def test_a_moved_course_is_noticed(built):
    elsewhere = str(built.root) + " moved"
    state, reason = health.inspect(elsewhere, str(built.venv), ["lab"])
    assert (state, "moved" in reason) == (health.BROKEN, True)


RUFF = {
    "ruff.py": "print('judged')\n",
    "ruff-7.dist-info/METADATA": "Metadata-Version: 2.1\nName: ruff\nVersion: 7\n",
    "ruff-7.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\n"
    "Tag: py3-none-any\n",
    "ruff-7.dist-info/RECORD": "",
}


@pytest.fixture
def bare(built, tmp_path, monkeypatch) -> Course:
    """A course without an environment, and the one place where pip finds a ruff."""
    root = tmp_path.resolve() / "bare"
    shutil.copytree(built.root, root, ignore=shutil.ignore_patterns(".venv*"))
    (root / "constraints.txt").write_text("ruff==7\n")
    with zipfile.ZipFile(root / "ruff-7-py3-none-any.whl", "w") as wheel:
        for name, text in RUFF.items():
            wheel.writestr(name, text)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(root))
    return Course(root)


def test_style_needs_ruff_alone_and_the_rest_comes_into_the_same_environment(bare):
    code, output = bare.run("style")
    assert code == 0, output
    assert output.startswith("First run: ruff alone")
    judged = subprocess.run([bare.python, "-m", "ruff"], capture_output=True, text=True)
    assert judged.stdout == "judged\n" and not bare.serves()
    (kept := bare.site() / "kept.txt").write_text("still here")
    code, output = bare.run("dev")
    assert code == 0, output
    assert bare.serves() and kept.exists()
    assert bare.run("style") == bare.run("dev") == (0, "")


@pytest.mark.full
def test_style_without_a_ruff_to_be_had_leaves_nothing_behind(bare):
    (bare.root / "ruff-7-py3-none-any.whl").unlink()
    code, output = bare.run("style")
    assert code == 1 and "ruff could not be installed" in output.splitlines()[-1]
    assert not bare.venv.exists()


@pytest.mark.full
def test_style_repairs_a_damaged_environment_whole(course):
    (course.site() / "tinycourse.py").unlink()
    code, output = course.run("style")
    assert code == 0 and "Files are missing" in output.splitlines()[0], output
    assert course.run("dev") == (0, "")


@pytest.mark.full
def test_a_broken_environment_is_built_anew(course):
    course.python.unlink()
    course.python.symlink_to("/nowhere/python3.11")
    code, output = course.run()
    assert code == 0, output
    assert "does not run" in output.splitlines()[0]


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_changed_list_of_packages_is_installed_into_what_is_there(course, name):
    kept = course.site() / "kept.txt"
    kept.write_text("still here")
    path = course.root / name
    path.write_text(path.read_text() + "# changed\n")
    code, output = course.run()
    assert code == 0, output
    assert kept.exists()


def test_a_lost_stamp_is_written_again(course):
    (course.venv / ".installed.json").write_text("{half")
    assert course.run()[0] == 0


@pytest.mark.full
def test_a_failed_upgrade_leaves_the_environment_as_it_was(course):
    kept = course.site() / "kept.txt"
    kept.write_text("still here")
    (course.root / "constraints.txt").write_text("# newer\n")
    (course.root / "fail").touch()
    code, output = course.run()
    assert code == 1
    assert "installation failed" in output.splitlines()[-1]
    assert kept.exists() and course.serves()
    (course.root / "fail").unlink()
    assert course.run()[0] == 0


@pytest.mark.full
def test_a_damaged_environment_stays_where_no_other_can_be_built(course):
    """A room without a network: what still ran is there afterwards, what was missing is missing."""
    kept, gone = course.site() / "kept.txt", course.site() / "tinycourse.py"
    kept.write_text("still here")
    gone.rename(course.root / "taken away")
    (course.root / "fail").touch()
    code, output = course.run()
    assert code == 1
    assert "Files are missing" in output.splitlines()[0]
    assert "is back in its place" in output.splitlines()[-2]
    assert kept.exists() and not gone.exists()
    (course.root / "fail").unlink()
    assert course.run()[0] == 0
    assert course.serves() and not kept.exists()  # the new one stands, the old one is gone


@pytest.mark.full
def test_an_environment_outlives_a_rebuild_that_is_killed(course):
    kept = course.site() / "kept.txt"
    kept.write_text("still here")
    (course.site() / "tinycourse.py").unlink()
    (course.root / "hang").touch()
    process = course.start()
    wait_for(course.root / "hanging")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    for name in ("hang", "hanging"):
        (course.root / name).unlink()
    (course.root / "fail").touch()
    assert course.run()[0] == 1
    assert kept.exists()
    (course.root / "fail").unlink()
    assert course.run()[0] == 0


@pytest.mark.full
def test_a_rebuild_brings_back_what_was_asked_for_before(course):
    assert course.run("dev")[0] == 0
    (course.site() / "tinycourse.py").unlink()
    assert course.run("lab")[0] == 0
    assert course.run("dev") == (0, "")


@pytest.mark.full
def test_a_killed_installation_is_built_anew(course):
    (course.root / "constraints.txt").write_text("# newest\n")
    (course.root / "hang").touch()
    process = course.start()
    wait_for(course.root / "hanging")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    for name in ("hang", "hanging"):
        (course.root / name).unlink()
    code, output = course.run()
    assert code == 0, output
    assert "interrupted" in output.splitlines()[0]


def test_two_runs_at_once_take_turns(course):
    (course.root / "constraints.txt").write_text("# twice\n")
    runs = [course.start() for _ in range(2)]
    outputs = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert sorted(map(bool, outputs)) == [False, True]  # one installs, the other finds it done


def wait_for(path: Path) -> None:
    for _ in range(600):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{path.name} did not appear")
