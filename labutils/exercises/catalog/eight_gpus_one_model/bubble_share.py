"""The share of the time in which the stages of a pipeline stand idle."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


def _rule(waits=lambda stages: stages - 1, of=max, over=None):
    """The share with another idea of how long the pipeline fills and drains."""

    def idle(stages, chunks_ms):
        lost = waits(stages) * of(chunks_ms)
        return lost / (over(chunks_ms, lost) if over else sum(chunks_ms) + lost)

    return idle


_idle = _rule()


def _by_count(stages, chunks_ms):
    return (stages - 1) / (len(chunks_ms) + stages - 1)


def _busy(stages, chunks_ms):
    return 1 - _idle(stages, chunks_ms)


def _lost_ms(stages, chunks_ms):
    return (stages - 1) * max(chunks_ms)


def _some_trains():
    """One to six stages, one to seven chunks that take different times."""
    from hypothesis import strategies as st

    return st.tuples(st.integers(1, 6), st.lists(st.integers(3, 40), min_size=1, max_size=7))


BUBBLE_SHARE = Exercise(
    id="layouts.bubble",
    title="How long a pipeline stands idle",
    minutes=4,
    optional=True,
    checker=Function(
        reference=_idle,
        inputs=_some_trains,
        tolerance=1e-7,
        always=(
            (4, [10, 10, 10, 10, 10, 10, 10, 10]),
            (3, [4, 9, 5]),
            (1, [7, 3]),
            (5, [12]),
        ),
        misconceptions=(
            Misconception(
                "by-count",
                _by_count,
                "You count chunks, or take their mean time. They take different times: which one "
                "sets the pace?",
            ),
            Misconception(
                "one-stage-too-many",
                _rule(waits=lambda stages: stages),
                "You lose as many chunk times as there are stages. Does the first stage wait?",
            ),
            Misconception(
                "by-the-first",
                _rule(of=lambda chunks: chunks[0]),
                "You take the first chunk's time. It need not be the one that the others wait for.",
            ),
            Misconception(
                "by-the-last",
                _rule(of=lambda chunks: chunks[-1]),
                "You take the last chunk's time. It need not be the one that the others wait for.",
            ),
            Misconception(
                "by-the-shortest",
                _rule(of=min),
                "You take the shortest chunk. Who waits for whom?",
            ),
            Misconception(
                "over-the-work",
                _rule(over=lambda chunks, lost: sum(chunks)),
                "You divide by the work. Asked is the share of the whole time, idle time included.",
            ),
            Misconception(
                "the-busy-share", _busy, "That is the share in which a stage works. And the rest?"
            ),
            Misconception(
                "milliseconds",
                _lost_ms,
                "Those are the idle milliseconds of a stage. Divide by the whole time.",
            ),
            Misconception(
                "fills-and-drains",
                _rule(waits=lambda stages: 2 * (stages - 1)),
                "You count filling and draining for every stage. The last stage waits at the "
                "start, the first one at the end: each waits the same in all.",
            ),
        ),
    ),
    hints=(
        "When has the last chunk left the last stage? And for how long did one stage work until "
        "then?",
        "Each stage works for sum(chunks_ms). The whole takes longer by (stages - 1) times the "
        "longest chunk.",
        "lost = (stages - 1) * max(chunks_ms); return lost / (sum(chunks_ms) + lost).",
    ),
    explanation=(
        "With $m$ equal chunks this is $(p-1)/(m+p-1)$ (GPipe 2019). Uneven chunks are worse: "
        "behind the longest one everybody waits, in every stage. A prompt in one piece keeps one "
        "stage busy at a time, $(p-1)/p$ idle."
    ),
)
