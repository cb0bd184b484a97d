"""Which tests run, which may be skipped, and a learner's folder that no test run can harm.

Marked ``full`` is what nobody has to wait for who wants a proof soon; marked ``rotates`` is what
repeats a proof at other sizes: mutants, editions compared to the letter, every page in the browser.
A quick run leaves both out. The whole check (``CI=true``) runs what is full, and of what rotates a
sixth that the commit chooses and all that a change may have reached (``tests/rotation``).
``LABUTILS_FULL=1`` runs everything. A line at the end counts what was left out.

A test may be skipped for one of seven reasons alone, by its marker: no Chromium (``browser``), no
redis-server (``redis``), no ``nginx``, no ``prometheus``, no CUDA device (``gpu``), no trace files
(``traces``), no Ray (``ray``). Any other skip counts as a failure. With ``CI=true`` a missing
program is a failure too; ``LABUTILS_REQUIRE=gpu,ray,traces`` demands the rest.

Checks of exercises draw fresh inputs; here each test draws the same ones whenever it runs, so that
a failure can be repeated. ``LABUTILS_FRESH=1`` draws others. Files of the course may be edited
while tests run: with ``LABUTILS_EDITING`` no process takes the course for updated.
"""

import functools
import importlib.util
import os
import random
import secrets
import shutil
from pathlib import Path

import pytest

pytest_plugins = ["tests.rotation.hooks"]

ROOT = Path(__file__).resolve().parents[1]
WHOLE_CHECK, EVERYTHING = os.environ.get("CI") == "true", os.environ.get("LABUTILS_FULL") == "1"
FULL = WHOLE_CHECK or EVERYTHING  # more than the quick run
os.environ["LABUTILS_EDITING"] = "1"


def chromium_missing() -> str | None:
    if importlib.util.find_spec("playwright") is None:
        return "no playwright package"
    return None if shutil.which("chromium") else "no chromium on the path"


def redis_missing() -> str | None:
    if importlib.util.find_spec("redis") is None:
        return "no redis package"
    return None if shutil.which("redis-server") else "no redis-server on the path"


def gpu_missing() -> str | None:
    if importlib.util.find_spec("torch") is None:
        return "no torch"
    import torch

    return None if torch.cuda.is_available() else "no CUDA device"


def nginx_missing() -> str | None:
    from labutils.loadtest.nginx import Nginx

    return None if Nginx.program() else "no nginx on the path"


def prometheus_missing() -> str | None:
    return None if shutil.which("prometheus") else "no prometheus on the path"


def ray_missing() -> str | None:
    from labutils.ray_fleet import missing

    return missing()


def traces_folder() -> Path:
    """Where the public traces lie: ``$LABUTILS_TRACES``, or beside the checkout."""
    named = os.environ.get("LABUTILS_TRACES")
    return Path(named) if named else ROOT.parent / "shared" / "data" / "traces"


def traces_missing() -> str | None:
    folder = traces_folder()
    found = folder.is_dir() and any(path.name != "NOTICE.md" for path in folder.iterdir())
    return None if found else f"no trace files in {folder.name}/"


LONGEST = (
    "test_editions.py",
    "test_exercise_proofs.py",
    "test_bootstrap.py",
    "test_mechanism.py",
    "test_preflight.py",
)
MOST_WORKERS = 4  # each takes one to two gigabytes

MISSING = {
    "browser": chromium_missing,
    "gpu": gpu_missing,
    "nginx": nginx_missing,
    "prometheus": prometheus_missing,
    "ray": ray_missing,
    "redis": redis_missing,
    "traces": traces_missing,
}
PROGRAMS = {"browser", "nginx", "prometheus", "redis"}


def only_full(*cases) -> list:
    """More cases of a test, which take turns in the whole check."""
    each = (case if isinstance(case, tuple) else (case,) for case in cases)
    return [pytest.param(*case, marks=pytest.mark.rotates) for case in each]


def required() -> set[str]:
    """Markers whose tests must run, whatever is missing."""
    named = {name for name in os.environ.get("LABUTILS_REQUIRE", "").split(",") if name}
    return named | (PROGRAMS if WHOLE_CHECK else set())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """The longest files come first, since files run side by side; those in the browser together."""
    items.sort(key=_place)


def _place(item) -> int:
    if item.get_closest_marker("browser"):
        return 0
    name = item.path.name
    return 1 + (LONGEST.index(name) if name in LONGEST else len(LONGEST))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config) -> int:
    """One more than there are cores: a test that waits leaves its core to another's.

    As many as cores where all notebooks run at full size: a cell has its time limit.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min((cores or 1) + (not EVERYTHING), MOST_WORKERS)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With ``--dist loadfile`` the files run side by side, the longest in parts."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class InParts(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return part_of(nodeid)

        def _reschedule(self, node):
            # A worker begins a case only when it knows the next. One that takes a crashed worker's
            # place gets one part, and would wait for ever if that has a single case.
            super()._reschedule(node)
            super()._reschedule(node)

    return InParts(config, log)


def part_of(nodeid: str) -> str:
    """What runs in one piece: one run of an edition, the proofs of a chapter, any other file."""
    path, _, test = nodeid.partition("::")
    _, _, case = test.partition("[")
    if path.endswith("test_editions.py") and "/notebooks/" in path:
        return nodeid
    if path.endswith(("test_exercise_proofs.py", "test_answers.py")):
        chapter = chapters_of_exercises().get(case.rstrip("]"))
        return f"{path}::{chapter}" if chapter else path
    return path


@functools.cache
def chapters_of_exercises() -> dict[str, str]:
    """Exercise -> chapter, whose source runs once for all its proofs."""
    from labutils.authoring.sources.definitions import read_definitions

    definitions = read_definitions().exercises
    return {one.id: slug for slug, group in definitions.items() for one in group}


def pytest_runtest_setup(item):
    for marker, missing in MISSING.items():
        if item.get_closest_marker(marker) and (reason := missing()):
            if marker in required():
                pytest.fail(f"{marker} is required here: {reason}", pytrace=False)
            item.stash[MAY_SKIP] = True
            pytest.skip(f"{marker}: {reason}")


MAY_SKIP = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    if os.environ.get("LABUTILS_FRESH") == "1":
        return (yield)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "randbits", random.Random(item.nodeid).getrandbits)
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and MAY_SKIP not in item.stash:
        fail_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    if report.skipped:
        fail_skip(report)
    return report


def fail_skip(report) -> None:
    """Turn a skip that nothing allows into a failure which says so."""
    report.longrepr = f"{report.nodeid} skips without leave: {report.longrepr}"
    report.outcome = "failed"


@pytest.fixture
def one_thread():
    """Small matrices gain nothing from a second thread of torch, and waiting ones cost others."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session", autouse=True)
def learner_folder(tmp_path_factory):
    """Progress of test runs goes to a folder of its own, never to a real ``my/``."""
    folder = tmp_path_factory.mktemp("my")
    before = os.environ.get("LABUTILS_MY")
    os.environ["LABUTILS_MY"] = str(folder)
    yield folder
    if before is None:
        del os.environ["LABUTILS_MY"]
    else:
        os.environ["LABUTILS_MY"] = before
