"""The course as one thing: its settings and its chapters in order."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from labutils.authoring.sources.source import Chapter, SourceError, read_chapter
from labutils.workspace.address import github_name


@dataclass(frozen=True)
class Course:
    """All chapters under ``root``, in course order, and the settings of ``data/course.json``.

    ``repository`` is the https address of the published course, or empty while there is none.
    ``groups`` are the parts of the map: the chapter with which each begins, and its title.
    """

    root: Path
    title: str
    repository: str
    chapters: tuple[Chapter, ...]
    groups: Mapping[str, str] = field(default_factory=dict)

    def chapter(self, name: str) -> Chapter:
        """The chapter of that name, slug or label; ``ValueError`` lists the names there are."""
        for chapter in self.chapters:
            if name in (chapter.name, chapter.header.slug, chapter.label):
                return chapter
        names = ", ".join(c.name for c in self.chapters) or "none"
        raise ValueError(f"chapter {name!r}: expected one of {names}")

    def neighbours(self, chapter: Chapter) -> tuple[Chapter | None, Chapter | None]:
        """The chapters before and after, None at either end."""
        at = self.chapters.index(chapter)
        before = self.chapters[at - 1] if at > 0 else None
        after = self.chapters[at + 1] if at + 1 < len(self.chapters) else None
        return before, after

    def group_of(self, chapter: Chapter) -> str:
        """The title of the part of the map in which a chapter stands; empty before the first."""
        before = self.chapters[: self.chapters.index(chapter) + 1]
        begun = [self.groups[c.short_name] for c in before if c.short_name in self.groups]
        return begun[-1] if begun else ""

    @property
    def github_name(self) -> str:
        """``owner/name`` where the repository lies on GitHub, else empty."""
        return github_name(self.repository)

    @property
    def cloning(self) -> list[str]:
        """What brings the published course, and leads into it; empty while there is none."""
        folder = self.repository.rstrip("/").rpartition("/")[2].removesuffix(".git")
        return [f"git clone {self.repository}", f"cd {folder}"] if self.repository else []


def read_course(root: Path) -> Course:
    """Read settings and every ``solutions/*.py`` under ``root``.

    Raises ``SourceError`` when a source cannot be read or two share a place in the order.
    """
    root = root.resolve()
    settings = json.loads((root / "data/course.json").read_text(encoding="utf-8"))
    found = [read_chapter(path) for path in sorted((root / "solutions").glob("*.py"))]
    chapters = tuple(sorted(found, key=lambda chapter: chapter.header.order))
    for one, next_one in pairwise(chapters):
        if one.header.order == next_one.header.order:
            place = f"order {one.header.order:g}"
            raise SourceError(f"{next_one.source_path}: {place} is taken by {one.source_path}")
    groups = settings.get("groups", {})
    return Course(root, settings["title"], settings["repository"], chapters, groups)
