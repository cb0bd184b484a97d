"""The window around a right value within which an answer passes; its ends belong to it."""

from dataclasses import dataclass

# Rounding of the answer and of the window's own ends, far below any tolerance that is meant.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Window:
    """Values within ``relative`` × |centre| or within ``absolute`` of ``centre``, ends included."""

    centre: float
    relative: float
    absolute: float = 0.0

    @property
    def half_width(self) -> float:
        """Largest distance from the centre that passes."""
        return max(self.relative * abs(self.centre), self.absolute)

    def holds(self, value: float) -> bool:
        """Whether ``value`` lies in the window."""
        rounding = _ROUNDING * max(abs(self.centre), self.half_width)
        return abs(value - self.centre) <= self.half_width + rounding

    @property
    def share(self) -> float:
        """The half width as a share of the centre; infinite around zero."""
        return self.half_width / abs(self.centre) if self.centre else float("inf")
