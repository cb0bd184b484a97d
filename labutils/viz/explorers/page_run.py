"""The explorer of lab 5: the page map of the learner's own run, scrubbed by step."""

from collections.abc import Hashable, Sequence

from labutils.serving.memory.page_log import PageMoment
from labutils.viz.controls import choice, player, slider
from labutils.viz.explorer import Explorer
from labutils.viz.figures.page_run import PageRunMap

NOBODY = "nobody"


def page_run_explorer(
    moments: Sequence[PageMoment], *, num_pages: int, step: int = 0, columns: int | None = None
) -> Explorer:
    """Go through a run step by step: every page in the colour of its owner, shared ones hatched.

    ``moments`` are those of a ``PageLog``, two at least. *follow* marks the pages of one request;
    by code ``explorer(step=30, follow=4)``.
    """
    if len(moments) < 2:
        raise ValueError(f"moments has {len(moments)} steps: expected two or more")
    drawn = PageRunMap(moments, num_pages=num_pages, columns=columns)
    moved = slider("step", 0, len(moments) - 1, step)
    requests = dict.fromkeys(request for moment in moments for request in moment.tables)
    options: list[tuple[str, Hashable]] = [(NOBODY, None), *((str(r), r) for r in requests)]
    return Explorer(
        drawn.fig,
        drawn.update,
        controls={"step": moved, "follow": choice("follow request", options)},
        beside=[player(moved, interval_ms=150)],
    )
