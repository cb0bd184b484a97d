"""Check that this machine carries the course, and print a receipt of at most 15 lines.

In a notebook ``preflight.run()``, in a terminal ``python -m labutils preflight``. It never
raises: a check that breaks is a finding like any other.
"""

import hashlib
import platform
from collections.abc import Callable
from importlib.metadata import version

from labutils import __version__
from labutils.workspace.preflight import checks
from labutils.workspace.preflight.finding import LETTERS, Finding, Receipt
from labutils.workspace.preflight.machine import memory_bytes, usable_cores

__all__ = ["Finding", "Receipt", "examine", "run"]


def run() -> None:
    """Check this machine and print the receipt."""
    print(examine())


def examine() -> Receipt:
    """Check this machine; the receipt's text is what ``run`` prints."""
    findings = tuple(_guarded(check) for check in checks.ALL)
    return Receipt("Tokens in Flight preflight", findings, _code(findings))


def _guarded(check: Callable[[], Finding]) -> Finding:
    name = check.__name__.removeprefix("check_")
    try:
        return check()
    except (Exception, SystemExit) as error:
        detail = f"{type(error).__name__}: {error}"[:160]
        return Finding(name, "fail", detail, checks.REINSTALL)


def _code(findings: tuple[Finding, ...]) -> str:
    letters = "".join(LETTERS[finding.status] for finding in findings)
    here = f"{platform.system()}_{platform.machine()}".lower()
    parts = ["TIF1", __version__, f"py{platform.python_version()}", here]
    parts += [_or_unknown(lambda: f"{usable_cores()}c")]
    parts += [_or_unknown(lambda: f"{memory_bytes() / checks.GB:.0f}g")]
    parts += [_or_unknown(checks.torch_device), letters, _or_unknown(_versions_hash)]
    return "-".join(parts)


def _versions_hash() -> str:
    names = sorted(need.name for need in checks.core_requirements())
    text = " ".join(f"{name}={version(name)}" for name in names)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _or_unknown(answer: Callable[[], str]) -> str:
    try:
        return answer()
    except Exception:
        return "unknown"
