"""What a scaffold has left open: each line that still says so."""

from collections.abc import Iterator

from labutils.authoring.sources.course import Course

MARK = "FILL " + "IN:"
PLACES = (
    *("solutions/*.py", "labutils/**/*.py", "tests/**/*.py", "tests/proofs/**/*.txt"),
    "INSTRUCTOR*.md",
)


def unfinished_findings(course: Course) -> Iterator[str]:
    """One line for each ``MARK`` in a source, the package, the tests or the guide."""
    for place in PLACES:
        for file in sorted(course.root.glob(place)):
            text = file.read_text(encoding="utf-8")
            for number, line in enumerate(text.splitlines() if MARK in text else (), start=1):
                if MARK in line:
                    said = line.partition(MARK)[2].strip(" \",'")
                    yield f"{file.relative_to(course.root)}:{number}: fill in: {said}"
