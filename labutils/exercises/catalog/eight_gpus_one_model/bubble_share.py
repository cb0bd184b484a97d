"""layouts.bubble · How long a pipeline stands idle · 4 minutes, optional

> When has the last chunk left the last stage? And for how long did one stage work until then?
> Each stage works for sum(chunks_ms). The whole takes longer by (stages - 1) times the longest
  chunk.
> lost = (stages - 1) * max(chunks_ms); return lost / (sum(chunks_ms) + lost).

With $m$ equal chunks this is $(p-1)/(m+p-1)$ (GPipe 2019). Uneven chunks are worse: behind the
longest one everybody waits, in every stage. A prompt in one piece keeps one stage busy at a time,
$(p-1)/p$ idle.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _rule(waits=lambda stages: stages - 1, of=max, over=None):
    """The share with another idea of how long the pipeline fills and drains."""

    def idle(stages, chunks_ms):
        lost = waits(stages) * of(chunks_ms)
        return lost / (over(chunks_ms, lost) if over else sum(chunks_ms) + lost)

    return idle


_idle = _rule()


class Wrong:
    def by_count(stages, chunks_ms):
        """You count chunks, or take their mean time. They take different times: which one sets the
        pace?"""
        return (stages - 1) / (len(chunks_ms) + stages - 1)

    def over_the_chunks(stages, chunks_ms):
        """You set the steps without work against those with work, and count chunks. Asked is the
        share of the whole time, and the chunks take different times."""
        return (stages - 1) / len(chunks_ms)

    def in_one_piece(stages, chunks_ms):
        """That is the share for a prompt in one piece. What do the chunks change?"""
        return (stages - 1) / stages

    one_stage_too_many = says("""You lose as many chunk times as there are stages. Does the first
        stage wait?""")(_rule(waits=lambda stages: stages))
    by_the_first = says("""You take the first chunk's time. It need not be the one that the others
        wait for.""")(_rule(of=lambda chunks: chunks[0]))
    by_the_last = says("""You take the last chunk's time. It need not be the one that the others
        wait for.""")(_rule(of=lambda chunks: chunks[-1]))
    by_the_shortest = says("You take the shortest chunk. Who waits for whom?")(_rule(of=min))
    over_the_work = says("""You divide by the work. Asked is the share of the whole time, idle time
        included.""")(_rule(over=lambda chunks, lost: sum(chunks)))

    def the_busy_share(stages, chunks_ms):
        """That is the share in which a stage works. And the rest?"""
        return 1 - _idle(stages, chunks_ms)

    def in_step(stages, chunks_ms):
        """You let all stages take their next chunk at the same moment. A stage that is done hands
        over at once, and begins with the next chunk as soon as that one is there."""
        turns = range(len(chunks_ms) + stages - 1)
        return 1 - sum(chunks_ms) / sum(
            max(chunks_ms[max(0, t - stages + 1) : t + 1]) for t in turns
        )

    def every_turn_the_longest(stages, chunks_ms):
        """You let every turn last as long as the longest chunk. The others take less: only what
        stands behind the longest waits for it."""
        return 1 - sum(chunks_ms) / (len(chunks_ms) + stages - 1) / max(chunks_ms)

    def until_the_first(stages, chunks_ms):
        """You count the wait for the first chunk alone. Behind a short chunk a stage waits again,
        for the longer one that comes after it."""
        return (stages - 1) * chunks_ms[0] / (sum(chunks_ms) + (stages - 1) * max(chunks_ms))

    def milliseconds(stages, chunks_ms):
        """Those are the idle milliseconds of a stage. Divide by the whole time."""
        return (stages - 1) * max(chunks_ms)

    fills_and_drains = says("""You count filling and draining for every stage. The last stage waits
        at the start, the first one at the end: each waits the same in all.""")(
        _rule(waits=lambda stages: 2 * (stages - 1))
    )


def _some_trains():
    """One to six stages, one to seven chunks that take different times."""
    from hypothesis import strategies as st

    return st.tuples(st.integers(1, 6), st.lists(st.integers(3, 40), min_size=1, max_size=7))


BUBBLE_SHARE = exercise(
    __doc__,
    Function(
        _idle,
        _some_trains,
        tolerance=1e-7,
        always=(
            (4, [10, 10, 10, 10, 10, 10, 10, 10]),
            (3, [4, 9, 5]),
            (1, [7, 3]),
            (5, [12]),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
