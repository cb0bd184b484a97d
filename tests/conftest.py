"""Which tests run, which may be skipped, and a learner's folder that no test run can harm.

Marked ``full`` is what nobody has to wait for who wants a proof soon: mutants, all editions run and
compared to the letter, every page in the browser. Without ``LABUTILS_FULL=1`` these tests are left
out, and a line at the end counts them. A test that runs both ways, but with more seeds or deeper
models where ``FULL`` is set, is marked ``wider``; ``make test-full`` runs what is full or wider.

A test may be skipped for one of six reasons alone, by its marker: no Chromium (``browser``), no
redis-server (``redis``), no ``nginx``, no ``prometheus``, no CUDA device (``gpu``), no trace files
(``traces``). Any other skip counts as a failure. With ``CI=true`` a missing program is a failure
too; ``LABUTILS_REQUIRE=gpu,traces`` demands the rest.

Checks of exercises draw fresh inputs; here each test draws the same ones whenever it runs, so that
a failure can be repeated. ``LABUTILS_FRESH=1`` draws others.
"""

import functools
import importlib.util
import os
import random
import secrets
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FULL = os.environ.get("LABUTILS_FULL") == "1"


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
LEFT_OUT = pytest.StashKey[int]()

MISSING = {
    "browser": chromium_missing,
    "gpu": gpu_missing,
    "nginx": nginx_missing,
    "prometheus": prometheus_missing,
    "redis": redis_missing,
    "traces": traces_missing,
}
PROGRAMS = {"browser", "nginx", "prometheus", "redis"}


def only_full(*cases) -> list:
    """More cases of a test, for ``make test-full`` alone."""
    each = (case if isinstance(case, tuple) else (case,) for case in cases)
    return [pytest.param(*case, marks=pytest.mark.full) for case in each]


def required() -> set[str]:
    """Markers whose tests must run, whatever is missing."""
    named = {name for name in os.environ.get("LABUTILS_REQUIRE", "").split(",") if name}
    return named | (PROGRAMS if os.environ.get("CI") == "true" else set())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """The longest files come first, since files run side by side; those in the browser together."""
    left_out = [] if FULL else [item for item in items if item.get_closest_marker("full")]
    if left_out:
        items[:] = [item for item in items if not item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=left_out)
    config.stash[LEFT_OUT] = len(left_out)
    items.sort(key=_turn)


def pytest_sessionfinish(session):
    """A worker tells the run that it belongs to how many tests were left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    told = getattr(node, "workeroutput", {}).get("left_out", 0)
    node.config.stash[LEFT_OUT] = max(told, node.config.stash.get(LEFT_OUT, 0))


def pytest_terminal_summary(terminalreporter, config):
    if count := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(f"{count} tests left out: make test-full runs them")


def _turn(item) -> int:
    if item.get_closest_marker("browser"):
        return 0
    name = item.path.name
    return 1 + (LONGEST.index(name) if name in LONGEST else len(LONGEST))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config) -> int:
    """One more than there are cores: a test that waits leaves its core to another's.

    As many as cores where notebooks run at full size: a cell has its time limit.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min((cores or 1) + (not FULL), MOST_WORKERS)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With ``--dist loadfile`` the files run side by side, the longest in parts."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class InParts(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return part_of(nodeid)

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
