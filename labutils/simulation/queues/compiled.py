"""How this room compiles its loops: on first call, kept on disk, and never an obstacle."""

from functools import wraps

from numba import njit


def compiled(function):
    """Compile ``function`` with numba when it is first called, and keep the result on disk.

    numba looks for a folder to write in: ``NUMBA_CACHE_DIR``, then ``__pycache__`` beside the
    source, then the user's cache folder. Where all are read-only it refuses with
    ``RuntimeError``; the loop then compiles afresh in each session, a second or two.
    """
    try:
        kernel = njit(cache=True)(function)
    except RuntimeError:
        kernel = njit(function)

    @wraps(function)
    def run(*arguments):
        try:
            return kernel(*arguments)
        except OSError:
            # A full disk: the loop is compiled but could not be kept. It has not run yet.
            return kernel(*arguments)

    return run


pasted = njit(inline="always")
"""Mark a piece of a compiled loop: its lines are pasted into the caller before compilation.

A call would hide from the compiler that the arrays do not overlap, and it would then work on
one value at a time instead of eight.
"""
