"""What stands on the board at the end: boxes and arrows, what a box holds, who calls whom."""

from dataclasses import dataclass

from labutils.ground.sheets import parts

WIDEST = 74  # characters of a line: a terminal of 80 columns, indented


@dataclass(frozen=True)
class Sketch:
    """A drawing, what its boxes hold (``- box: task``), and the calls between them, as they stand.

    A call says who calls whom, and below what it ``takes``, ``returns`` and answers as ``errors``.
    Raises ``ValueError`` for a drawing or calls that a terminal of 80 columns cannot show.
    """

    drawing: str
    boxes: str
    calls: str

    def __post_init__(self):
        lines = (self.drawing + "\n" + self.calls).splitlines()
        wide = [line for line in lines if len(line) > WIDEST]
        if wide or not self.drawing.isascii():
            raise ValueError(f"drawing: expected ASCII of at most {WIDEST} columns, {wide}")

    def components(self) -> list[str]:
        """Each box with its task."""
        return [part.text for part in parts(self.boxes, "-")]
