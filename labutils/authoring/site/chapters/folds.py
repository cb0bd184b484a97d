"""HTML in the order of reading, with folds that stay open for what follows."""


class Folds:
    """Pieces of HTML, and the folds (``<details>``) in which what comes next will lie."""

    def __init__(self):
        self.html: list[str] = []
        self.open: list[str] = []  # kinds, the innermost last

    @property
    def hides_findings(self) -> bool:
        """Whether what comes next lies behind an outcome or an answer."""
        return bool({"outcome", "answer"}.intersection(self.open))

    def put(self, html: str) -> None:
        """Add a piece at this place."""
        self.html.append(html)

    def begin(self, kind: str, summary: str, attributes: str = "") -> None:
        """Open a fold around what follows."""
        self.put(f'<details class="{kind}"{attributes}><summary>{summary}</summary><div>\n')
        self.open.append(kind)

    def end(self, kind: str = "") -> None:
        """Close the fold of this kind with all inside it; without a kind all there are."""
        while self.open if not kind else kind in self.open:
            self.open.pop()
            self.put("</div></details>\n")


def fold(kind: str, summary: str, html: str) -> str:
    """A fold that is complete."""
    return f'<details class="{kind}"><summary>{summary}</summary><div>{html}</div></details>\n'
