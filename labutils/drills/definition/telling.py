"""Which of a drill's mistakes its numbers tell apart."""

from collections.abc import Iterable

from labutils.drills.definition.drill import Mistake, breaks_the_limit

MOST = 5  # mistakes that a drill names


def telling(
    answer: float,
    mistakes: Iterable[Mistake],
    *,
    tolerance: float = 0.0,
    absolute: float = 0.0,
    unsafe: str = "",
) -> tuple[Mistake, ...]:
    """The first of those mistakes that these numbers tell apart, from the answer and each other.

    Which mistakes matter depends on the numbers (a cache of 1 % of the weights may be forgotten),
    so what is left is asked for with ``Draw.require``. On the ``unsafe`` side of a count one apart
    is enough.
    """
    width = 2.2 * max(tolerance * abs(answer), absolute)
    kept: list[Mistake] = []
    for mistake in mistakes:
        past = breaks_the_limit(mistake.value, answer, unsafe)
        apart = abs(mistake.value - answer) >= max(0.0 if past else width, 1e-9)
        if apart and all(abs(mistake.value - it.value) > width / 2 for it in kept):
            kept.append(mistake)
    return tuple(kept[:MOST])
