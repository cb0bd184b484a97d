"""What stands on a page where the notebook has an explorer."""


def explorer_html(chapter_name: str, cell_index: int, still_html: str) -> str:
    """HTML for the explorer of a chapter's cell (its place in ``chapter.cells``): its still."""
    return still_html
