"""How this room compiles its loops: on first call, kept on disk, and never an obstacle."""

from functools import cache, wraps
from hashlib import blake2b
from pathlib import Path

from numba import njit


def compiled(function):
    """Compile ``function`` with numba when it is first called, and keep the result on disk.

    numba looks for a folder to write in: ``NUMBA_CACHE_DIR``, then ``__pycache__`` beside the
    source, then the user's cache folder. Where all are read-only it refuses with
    ``RuntimeError``; the loop then compiles afresh in each session, a second or two.

    numba would compile anew only when the file of ``function`` has changed. A loop is made of
    pieces from the other files of its room too, as this file marks them, so what is kept is named
    after all of them.
    """
    name = function.__qualname__
    function.__qualname__ = f"{name}_{_sources(Path(function.__code__.co_filename).parent)}"
    try:
        kernel = njit(cache=True)(function)
    except RuntimeError:
        kernel = njit(function)
    finally:
        function.__qualname__ = name

    @wraps(function)
    def run(*arguments):
        try:
            return kernel(*arguments)
        except OSError:
            # A full disk: the loop is compiled but could not be kept. It has not run yet.
            return kernel(*arguments)

    return run


@cache
def _sources(room: Path) -> str:
    """A short name for the sources of a room, of the one around it, and of this file."""
    files = sorted({*room.glob("*.py"), *room.parent.glob("*.py"), Path(__file__)})
    return blake2b(b"".join(map(Path.read_bytes, files)), digest_size=6).hexdigest()


pasted = njit(inline="always")
"""Mark a piece of a compiled loop: its lines are pasted into the caller before compilation.

A call would hide from the compiler that the arrays do not overlap, and it would then work on
one value at a time instead of eight.
"""

inner = njit(
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
    forceinline=True,
    _nrt=False,
)
"""Mark a piece that only compiled code calls, works on what it is given, and returns numbers.

Without doors for Python it compiles faster. Without counts of who refers to an array (numba's run
time, NRT) it can make and return none; it runs twice as fast, and short steps ten times, since
every mention of an array in a named tuple would count up and down. The piece becomes part of its
caller, as LLVM does it: ``pasted`` does so before types are known and takes 40 s for a simulator.
"""

apart = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Mark a piece that only compiled code calls, and that picks arrays out of larger ones."""
