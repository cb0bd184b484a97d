"""Showing a result at the call that made it, wherever in a cell that call stands.

A notebook shows by itself only what a cell's last expression returns. What a learner is told must
not depend on that, so inside IPython the calls of this package show their result themselves.
"""

import functools
import sys
from collections.abc import Callable


class ShownOnce:
    """What is shown at once, and not again as a result of the same cell."""

    _quiet = False

    def _ipython_display_(self) -> None:
        """IPython calls this to show a cell's last value, which has been shown already."""
        if not self._quiet:
            raise NotImplementedError  # tells IPython to show it as usual


def at_once(function: Callable[..., ShownOnce]) -> Callable[..., ShownOnce]:
    """Let ``function`` show what it returns; outside of IPython it only returns it."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        result, shell = function(*args, **kwargs), _shell()
        if shell is not None:
            _show(result, shell)
        return result

    return call


def _show(result: ShownOnce, shell) -> None:
    """Show ``result``, and keep it quiet until the cell ends.

    The cell's end is an event: the number of a cell does not always change from one to the next.
    """
    from IPython.display import display

    def end_of_cell():
        shell.events.unregister("post_execute", end_of_cell)
        _set_quiet(result, False)

    display(result)
    _set_quiet(result, True)
    shell.events.register("post_execute", end_of_cell)


def _set_quiet(result: ShownOnce, quiet: bool) -> None:
    object.__setattr__(result, "_quiet", quiet)  # results are frozen


def _shell():
    """The running IPython, which whoever runs it has imported; ``None`` in plain Python."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None
