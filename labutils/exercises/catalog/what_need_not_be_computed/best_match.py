"""reuse.best_match · The answer that a semantic cache may serve · 4 minutes

> First decide who may be served at all; then look for the best among those.
> An entry may be served if its scope is equal to yours, as a whole, and now_s < dies_s. Vectors
  have length 1: the sum of the products is the cosine.
> Collect (similarity, answer) of the entries that may be served. Take the max, with a default for
  none, and return its answer if its similarity is >= threshold, else None.

The order is what counts: *who may be served* before *who is most similar*. A search over everything
that checks the scope of its winner loses hits as soon as tenants ask alike; one that forgets the
check serves one customer's data to another. The scope holds all that the answer depends on and the
question does not say: tenant, model, version of the prompt.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in

from .match_ways import Wrong, best_match, dot

ONE, OTHER = ("acme", "small", "v3"), ("zeta", "small", "v3")
ASKER = ONE[:2] + ONE[2:]  # equal, and another object: what a request brings is never the same
LARGE, OLD = ("acme", "large", "v3"), ("acme", "small", "v2")
STRANGE = ("zeta", "large", "v2")
TURNED, JOINED = ("small", "acme", "v3"), ("acmes", "mall", "v3")
SHOUTED = ("Acme", "small", "v3")
MARKED, MARKS = ("acme:eu", "small/8b-it", "v3|chat_2"), ":/-|_"
_UNITS = [(1.0, 0.0), (0.96, 0.28), (0.936, 0.352), (0.8, 0.6), (0.6, 0.8), (0.352, 0.936)]

_UNITS += [(0.28, 0.96), (0.8432, 0.5376), (0.5376, 0.8432)]


def _cut_elsewhere(mark):
    """Another scope whose parts, joined by this mark, give the same text as those of ``MARKED``."""
    first, second, third, last = mark.join(MARKED).split(mark)
    cuts = (first, second, third + mark + last), (first + mark + second, third, last)
    return next(cut for cut in cuts if cut != MARKED)


def _some_caches():
    """Up to seven entries, no two of them equally similar; half of them of the asker's scope.

    Every cosine between these vectors is a number of fifths, 25ths, ...: none is a threshold.
    """
    from hypothesis import strategies as st

    moments = st.integers(0, 12)
    scopes = st.sampled_from([ONE, ONE, ONE, ONE, OTHER, LARGE, OLD, STRANGE])

    def asked(question):
        entry = st.tuples(scopes, st.sampled_from(_UNITS).map(list), st.just(""), moments)
        apart = st.lists(entry, max_size=7, unique_by=lambda e: round(dot(e[1], question), 2))
        entries = apart.map(_with_answers)
        thresholds = st.sampled_from([0.3, 0.5, 0.7, 0.9, 0.95])
        return st.tuples(entries, st.just(question), thresholds, st.just(ASKER), moments)

    return st.sampled_from(_UNITS).map(list).flatmap(asked)


def _with_answers(entries):
    return [
        (scope, vector, "KFTBWRM"[k], dies) for k, (scope, vector, _, dies) in enumerate(entries)
    ]


_HALF, _HALVES = [0.5, 0.5, 0.5, -0.5], [0.5, 0.5, 0.5, 0.5]
_NEAR, _NEARER, _EAST = [0.8, 0.6], [0.96, 0.28], [1.0, 0.0]
_BETWEEN, _AWAY = [0.936, 0.352], [-0.96, -0.28]

BEST_MATCH = exercise(
    __doc__,
    Function(
        best_match,
        _some_caches,
        always=(
            ([(ONE, _NEAR, "K", 9), (ONE, _NEARER, "F", 9)], _EAST, 0.7, ASKER, 4),
            ([(ONE, _NEARER, "K", 9), (ONE, _NEAR, "F", 11)], _EAST, 0.7, ASKER, 4),
            ([(ONE, _HALF, "K", 9)], _HALVES, 0.5, ASKER, 4),
            ([(ONE, [0.6, 0.8], "K", 9)], _EAST, 0.3, ASKER, 4),
            ([(ONE, _NEAR, "K", 9), (OTHER, _NEARER, "F", 9)], _EAST, 0.7, ASKER, 4),
            ([(ONE, _NEAR, "K", 9), (LARGE, _NEARER, "F", 9)], _EAST, 0.7, ASKER, 4),
            ([(ONE, _NEAR, "K", 9), (OLD, _NEARER, "F", 9)], _EAST, 0.7, ASKER, 4),
            ([(ONE, _NEAR, "K", 9), (STRANGE, _NEARER, "F", 9)], _EAST, 0.7, ASKER, 4),
            ([(ONE, _NEARER, "K", 4), (ONE, _NEAR, "F", 9)], _EAST, 0.7, ASKER, 4),
            ([(ONE, _NEARER, "K", 3), (ONE, _NEAR, "F", 9)], _EAST, 0.7, ASKER, 4),
            ([(ONE, _NEAR, "K", 9)], _EAST, 0.9, ASKER, 4),
            ([(ONE, _NEARER, "", 9), (ONE, _NEAR, "F", 9)], _EAST, 0.7, ASKER, 4),
            (
                [(ONE, _NEARER, "K", 9), (ONE, _BETWEEN, "F", 9), (ONE, _NEAR, "K", 9)],
                *(_EAST, 0.7, ASKER, 4),
            ),
            (
                [(ONE, _NEAR, "K", 9), (ONE, _BETWEEN, "F", 9), (ONE, _NEARER, "K", 9)],
                *(_EAST, 0.7, ASKER, 4),
            ),
            ([(ONE, _NEAR, "K", 9), (ONE, _AWAY, "F", 9)], _EAST, 0.7, ASKER, 4),
            ([(ONE, _NEAR, "K", 9), (TURNED, _NEARER, "F", 9)], _EAST, 0.7, ASKER, 4),
            ([(ONE, _NEAR, "K", 9), (JOINED, _NEARER, "F", 9)], _EAST, 0.7, ASKER, 4),
            ([(ONE, _NEAR, "K", 9), (SHOUTED, _NEARER, "F", 9)], _EAST, 0.7, ASKER, 4),
            ([(ONE, [0.89999, 0.43591], "K", 9)], _EAST, 0.9, ASKER, 4),
            (
                [(MARKED, _NEAR, "K", 9), *((_cut_elsewhere(m), _NEARER, "F", 9) for m in MARKS)],
                *(_EAST, 0.7, MARKED, 4),
            ),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
