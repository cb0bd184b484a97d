"""Which answer a semantic cache may serve: the most similar one that is allowed."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import match_ways as ways

ONE, OTHER = ("acme", "small", "v3"), ("zeta", "small", "v3")
LARGE, OLD = ("acme", "large", "v3"), ("acme", "small", "v2")
STRANGE = ("zeta", "large", "v2")
TURNED, JOINED = ("small", "acme", "v3"), ("acmes", "mall", "v3")

_UNITS = [(1.0, 0.0), (0.96, 0.28), (0.936, 0.352), (0.8, 0.6), (0.6, 0.8), (0.352, 0.936)]
_UNITS += [(0.28, 0.96), (0.8432, 0.5376), (0.5376, 0.8432)]


def _some_caches():
    """Up to seven entries, no two of them equally similar; half of them of the asker's scope.

    Every cosine between these vectors is a number of fifths, 25ths, ...: none is a threshold.
    """
    from hypothesis import strategies as st

    moments = st.integers(0, 12)
    scopes = st.sampled_from([ONE, ONE, ONE, ONE, OTHER, LARGE, OLD, STRANGE])

    def asked(question):
        entry = st.tuples(scopes, st.sampled_from(_UNITS).map(list), st.just(""), moments)
        apart = st.lists(entry, max_size=7, unique_by=lambda e: round(ways.dot(e[1], question), 6))
        entries = apart.map(_with_answers)
        thresholds = st.sampled_from([0.3, 0.5, 0.7, 0.9, 0.95])
        return st.tuples(entries, st.just(question), thresholds, st.just(ONE), moments)

    return st.sampled_from(_UNITS).map(list).flatmap(asked)


def _with_answers(entries):
    return [
        (scope, vector, "KFTBWRM"[k], dies) for k, (scope, vector, _, dies) in enumerate(entries)
    ]


_HALF, _HALVES = [0.5, 0.5, 0.5, -0.5], [0.5, 0.5, 0.5, 0.5]
_NEAR, _NEARER, _EAST = [0.8, 0.6], [0.96, 0.28], [1.0, 0.0]
_BETWEEN, _AWAY = [0.936, 0.352], [-0.96, -0.28]

BEST_MATCH = Exercise(
    id="reuse.best_match",
    title="The answer that a semantic cache may serve",
    minutes=4,
    checker=Function(
        reference=ways.best_match,
        inputs=_some_caches,
        always=(
            ([(ONE, _NEAR, "K", 9), (ONE, _NEARER, "F", 9)], _EAST, 0.7, ONE, 4),
            ([(ONE, _NEARER, "K", 9), (ONE, _NEAR, "F", 11)], _EAST, 0.7, ONE, 4),
            ([(ONE, _HALF, "K", 9)], _HALVES, 0.5, ONE, 4),
            ([(ONE, [0.6, 0.8], "K", 9)], _EAST, 0.3, ONE, 4),
            ([(ONE, _NEAR, "K", 9), (OTHER, _NEARER, "F", 9)], _EAST, 0.7, ONE, 4),
            ([(ONE, _NEAR, "K", 9), (LARGE, _NEARER, "F", 9)], _EAST, 0.7, ONE, 4),
            ([(ONE, _NEAR, "K", 9), (OLD, _NEARER, "F", 9)], _EAST, 0.7, ONE, 4),
            ([(ONE, _NEAR, "K", 9), (STRANGE, _NEARER, "F", 9)], _EAST, 0.7, ONE, 4),
            ([(ONE, _NEARER, "K", 4), (ONE, _NEAR, "F", 9)], _EAST, 0.7, ONE, 4),
            ([(ONE, _NEARER, "K", 3), (ONE, _NEAR, "F", 9)], _EAST, 0.7, ONE, 4),
            ([(ONE, _NEAR, "K", 9)], _EAST, 0.9, ONE, 4),
            ([(ONE, _NEARER, "", 9), (ONE, _NEAR, "F", 9)], _EAST, 0.7, ONE, 4),
            (
                [(ONE, _NEARER, "K", 9), (ONE, _BETWEEN, "F", 9), (ONE, _NEAR, "K", 9)],
                *(_EAST, 0.7, ONE, 4),
            ),
            (
                [(ONE, _NEAR, "K", 9), (ONE, _BETWEEN, "F", 9), (ONE, _NEARER, "K", 9)],
                *(_EAST, 0.7, ONE, 4),
            ),
            ([(ONE, _NEAR, "K", 9), (ONE, _AWAY, "F", 9)], _EAST, 0.7, ONE, 4),
            ([(ONE, _NEAR, "K", 9), (TURNED, _NEARER, "F", 9)], _EAST, 0.7, ONE, 4),
            ([(ONE, _NEAR, "K", 9), (JOINED, _NEARER, "F", 9)], _EAST, 0.7, ONE, 4),
        ),
        misconceptions=(
            Misconception(
                "first-match",
                ways.first_match,
                "You take the first entry that is similar enough. A better one may come later.",
            ),
            Misconception(
                "last-match",
                ways.last_match,
                "You take the last entry that is similar enough. A better one may have come "
                "before.",
            ),
            Misconception(
                "ignores-the-scope",
                ways.scoped(lambda owner, scope: True),
                "You serve an answer that was written for another tenant, by another model or with "
                "another prompt.",
            ),
            Misconception(
                "tenant-only",
                ways.scoped(lambda owner, scope: owner[0] == scope[0]),
                "You compare the tenants alone. What else made this answer what it is?",
            ),
            Misconception(
                "forgets-the-tenant",
                ways.scoped(lambda owner, scope: owner[1:] == scope[1:]),
                "You serve one tenant's answer to another.",
            ),
            Misconception(
                "forgets-the-model",
                ways.scoped(lambda owner, scope: (owner[0], owner[2]) == (scope[0], scope[2])),
                "You serve an answer of another model.",
            ),
            Misconception(
                "forgets-the-prompt-version",
                ways.scoped(lambda owner, scope: owner[:2] == scope[:2]),
                "You serve an answer that was written with another version of the prompt.",
            ),
            Misconception(
                "parts-in-any-order",
                ways.scoped(lambda owner, scope: sorted(owner) == sorted(scope)),
                "You take two scopes for one if their parts are the same in another order. A "
                "tenant may be called what another one's model is called.",
            ),
            Misconception(
                "parts-run-together",
                ways.scoped(lambda owner, scope: "".join(owner) == "".join(scope)),
                "You join the parts of a scope into one text. Two scopes may give the same text: "
                "where does a part end?",
            ),
            Misconception(
                "serves-the-dead",
                ways.timed(lambda now_s, dies_s: True),
                "You serve an answer whose time is over. Who compares it with now_s?",
            ),
            Misconception(
                "late-by-a-moment",
                ways.timed(lambda now_s, dies_s: now_s <= dies_s),
                "You serve an answer at the moment at which it dies. Before which moment may it be "
                "served?",
            ),
            Misconception(
                "serves-only-the-dead",
                ways.timed(lambda now_s, dies_s: now_s > dies_s),
                "You serve those whose time is over, and none that lives. Which way round is the "
                "comparison?",
            ),
            Misconception(
                "strictly-above",
                ways.strictly_above,
                "A similarity of exactly the threshold is refused. What does *at least* say?",
            ),
            Misconception(
                "best-of-all-scopes",
                ways.then(ways.alive, ways.in_scope),
                "You look for the most similar entry first, and for its scope afterwards. If "
                "another tenant's is the best, you find nothing. When should you look?",
            ),
            Misconception(
                "best-with-the-dead",
                ways.then(ways.in_scope, ways.alive),
                "You look for the most similar entry first, and whether it lives afterwards. If a "
                "dead one is the best, you find nothing. When should you look?",
            ),
            Misconception(
                "best-of-everything",
                ways.then(ways.whoever, ways.may_be_served),
                "You look for the most similar entry first, and whether it may be served "
                "afterwards. If the best may not, you find nothing. When should you look?",
            ),
            Misconception(
                "least-similar",
                ways.least_similar,
                "Of those that are similar enough you take the least similar one.",
            ),
            Misconception(
                "no-threshold",
                ways.no_threshold,
                "You serve the most similar answer however far away it is.",
            ),
            Misconception(
                "below-the-threshold",
                ways.below,
                "You take what is less similar than the threshold. Is it a similarity or a "
                "distance?",
            ),
            Misconception(
                "threshold-as-distance",
                ways.threshold_as_distance,
                "You compare with 1 - threshold. Are your similarities distances?",
            ),
            Misconception(
                "euclidean-distance",
                ways.euclidean,
                "You take the length of the difference off 1. The similarity meant here is the "
                "cosine.",
            ),
            Misconception(
                "longest-to-live",
                ways.longest_to_live,
                "Of those that are similar enough you take the one with the most life left. Which "
                "one fits the question best?",
            ),
            Misconception(
                "empty-is-nothing",
                ways.empty_is_nothing,
                "An answer that is empty counts as none for you. How do you see that an entry was "
                "found?",
            ),
            Misconception(
                "last-of-an-answer",
                ways.by_answer(lambda old, new: new),
                "Where the same answer stands in two entries, you keep the similarity of the later "
                "one. Can an answer tell entries apart?",
            ),
            Misconception(
                "first-of-an-answer",
                ways.by_answer(lambda old, new: old),
                "Where the same answer stands in two entries, you keep the similarity of the "
                "earlier one. Can an answer tell entries apart?",
            ),
            Misconception(
                "without-the-sign",
                ways.without_the_sign,
                "You take the similarity without its sign. What does a cosine of -1 say about two "
                "questions?",
            ),
            Misconception(
                "whole-entry", ways.whole_entry, "You return the whole entry. Asked is its answer."
            ),
            Misconception(
                "with-its-similarity",
                ways.pair,
                "You return the answer with its similarity. Asked is the answer alone.",
            ),
            Misconception(
                "with-its-similarity-before",
                ways.pair_in_order,
                "You return the similarity with its answer. Asked is the answer alone.",
            ),
            Misconception(
                "similarity", ways.similarity, "You return the similarity. Asked is the answer."
            ),
            Misconception(
                "all-that-fit",
                ways.all_answers,
                "You return all answers that are similar enough. Asked is the best of them.",
            ),
        ),
    ),
    hints=(
        "First decide who may be served at all; then look for the best among those.",
        "An entry may be served if its scope is equal to yours, as a whole, and now_s < dies_s. "
        "Vectors have length 1: the sum of the products is the cosine.",
        "Collect (similarity, answer) of the entries that may be served. Take the max, with a "
        "default for none, and return its answer if its similarity is >= threshold, else None.",
    ),
    explanation=(
        "The order is what counts: *who may be served* before *who is most similar*. A search over "
        "everything that checks the scope of its winner loses hits as soon as tenants ask alike; "
        "one that forgets the check serves one customer's data to another. The scope holds all "
        "that the answer depends on and the question does not say: tenant, model, version of the "
        "prompt."
    ),
)
