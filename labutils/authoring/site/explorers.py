"""What stands on a page where the notebook has an explorer."""

from pathlib import Path

STYLE = "explorers.css"


def explorer_html(chapter_name: str, cell_index: int, still_html: str) -> str:
    """HTML for the explorer of a cell, counted in the executed edition: its still."""
    return still_html


def scripts_of(chapter_name: str) -> list[str]:
    """The scripts that a chapter's page names: none where nothing moves."""
    return []


def write_scripts(folder: Path) -> list[Path]:
    """Write what the pages load for explorers to a folder of the site."""
    return []
