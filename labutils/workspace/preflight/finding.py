"""What a preflight check found, and the receipt that all of them make."""

from dataclasses import dataclass

LETTERS = {"ok": "o", "warn": "w", "fail": "f", "n/a": "n"}


@dataclass(frozen=True)
class Finding:
    """One check's result. ``status`` is ok, warn, fail or n/a; ``remedy`` says what to do."""

    name: str
    status: str
    detail: str
    remedy: str = ""

    def __str__(self) -> str:
        remedy = f" -> {self.remedy}" if self.remedy else ""
        text = " ".join(f"{self.detail}{remedy}".split())  # one line, whatever an error said
        return f"{self.status:<5} {self.name:<9} {text}"


@dataclass(frozen=True)
class Receipt:
    """All findings, and ``code``: one word to send to an instructor, without personal data.

    ``code`` reads TIF1-course version-Python-platform-cores-memory-device-letters-hash. There is
    one letter for each check, in the order printed (o ok, w warn, f fail, n not applicable). Two
    machines with the same hash run the same versions of all packages.
    """

    title: str
    findings: tuple[Finding, ...]
    code: str

    @property
    def ready(self) -> bool:
        """Whether nothing failed."""
        return all(finding.status != "fail" for finding in self.findings)

    def __str__(self) -> str:
        verdict = "ready to go" if self.ready else "something needs you: see the fail lines"
        lines = [f"{self.title}: {verdict}", *map(str, self.findings), f"receipt {self.code}"]
        return "\n".join(lines)
