"""A skip that nothing allows fails the run: a small suite judges tests/conftest.py."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import only_full

OURS = ("CI", "LABUTILS_REQUIRE", "LABUTILS_FULL")
TESTS = Path(__file__).resolve().parents[1]
MACHINERY = ("__init__.py", "conftest.py", "rotation/*.py", "setup/floors.py")
SUITE = """
import pytest

def test_plain(): pass

@pytest.mark.{marker}
def test_marked(): pass
"""


@pytest.fixture
def judged(tmp_path):
    """Run a suite under the real conftest, with an empty path and no traces; count outcomes."""

    def run(text: str, **environment: str) -> dict[str, int]:
        for path in [found for name in MACHINERY for found in TESTS.glob(name)]:
            copy = tmp_path / "tests" / path.relative_to(TESTS)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        (tmp_path / "tests" / "test_suite.py").write_text(text)
        clean = {n: v for n, v in os.environ.items() if n not in OURS}
        clean |= {"PATH": str(tmp_path), "LABUTILS_TRACES": str(tmp_path / "none")}
        clean |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir=."]
        done = subprocess.run(
            [*command, "tests/test_suite.py"],
            cwd=tmp_path,
            env=clean | environment,
            capture_output=True,
            text=True,
        )
        counts = re.findall(
            r"(\d+) (passed|failed|skipped|error|xfailed|tests left out)", done.stdout
        )
        return {outcome: int(count) for count, outcome in counts} | {"rc": done.returncode}

    return run


@pytest.mark.parametrize("marker", ["full", "rotates"])
def test_a_quick_run_leaves_out_and_counts_what_the_whole_check_runs(judged, marker):
    """Where nothing tells what changed, as here, everything is in turn."""
    suite = SUITE.format(marker=marker)
    assert judged(suite) == {"passed": 1, "tests left out": 1, "rc": 0}
    assert judged(suite, LABUTILS_FULL="1") == judged(suite, CI="true") == {"passed": 2, "rc": 0}


@pytest.mark.parametrize("marker", ["browser", *only_full("prometheus", "redis", "traces")])
def test_what_is_missing_may_be_skipped_at_home(judged, marker):
    assert judged(SUITE.format(marker=marker)) == {"passed": 1, "skipped": 1, "rc": 0}


def test_a_browser_without_the_package_that_drives_it_is_missing(judged, tmp_path):
    (tmp_path / "chromium").touch(mode=0o755)
    assert judged(SUITE.format(marker="browser")) == {"passed": 2, "rc": 0}
    hidden = "import sys\nsys.modules['playwright'] = None\n"
    (tmp_path / "sitecustomize.py").write_text(hidden)
    result = judged(SUITE.format(marker="browser"), PYTHONPATH=str(tmp_path))
    assert result == {"passed": 1, "skipped": 1, "rc": 0}


def test_a_redis_without_its_client_is_missing(judged, tmp_path):
    (tmp_path / "redis-server").touch(mode=0o755)
    assert judged(SUITE.format(marker="redis")) == {"passed": 2, "rc": 0}
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['redis'] = None\n")
    result = judged(SUITE.format(marker="redis"), PYTHONPATH=str(tmp_path))
    assert result == {"passed": 1, "skipped": 1, "rc": 0}


def test_continuous_integration_insists_on_programs_alone(judged):
    for marker in ("browser", "prometheus", "redis"):
        result = judged(SUITE.format(marker=marker), CI="true")
        assert result == {"passed": 1, "error": 1, "rc": 1}
    assert judged(SUITE.format(marker="traces"), CI="true")["rc"] == 0


def test_more_can_be_required(judged):
    result = judged(SUITE.format(marker="traces"), LABUTILS_REQUIRE="gpu,traces")
    assert result == {"passed": 1, "error": 1, "rc": 1}


@pytest.mark.parametrize(
    "text",
    [
        "import pytest\ndef test_a(): pytest.skip('tired')",
        "import pytest\n@pytest.mark.skip\ndef test_a(): pass",
        "import pytest\n@pytest.mark.skipif(True, reason='x')\ndef test_a(): pass",
        "import pytest\n@pytest.fixture\ndef f(): pytest.skip('x')\ndef test_a(f): pass",
        "import unittest\ndef test_a(): raise unittest.SkipTest('x')",
        "import pytest\n@pytest.mark.parametrize('x', [])\ndef test_a(x): pass",
    ],
)
def test_any_other_skip_fails(judged, text):
    result = judged(text)
    assert result["rc"] == 1
    assert "skipped" not in result


def test_a_module_that_skips_itself_fails(judged):
    assert judged("import pytest\npytest.importorskip('no_such_module')")["rc"] != 0


def test_a_marked_test_may_not_skip_itself_when_nothing_is_missing(judged, tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "trace.csv").write_text("1")
    text = "import pytest\n@pytest.mark.traces\ndef test_a(): pytest.skip('no mood')"
    assert judged(text)["rc"] == 1
    (tmp_path / "none" / "trace.csv").rename(tmp_path / "none" / "NOTICE.md")
    assert judged(text) == {"skipped": 1, "rc": 0}


def test_expected_failures_are_no_skips(judged):
    assert judged("import pytest\n@pytest.mark.xfail\ndef test_a(): assert 0")["rc"] == 0


def test_progress_of_tests_goes_to_a_folder_of_its_own(judged, tmp_path):
    text = "import os\ndef test_a(): assert os.path.isdir(os.environ['LABUTILS_MY'])"
    assert judged(text)["rc"] == 0
    assert not (tmp_path / "my").exists()
