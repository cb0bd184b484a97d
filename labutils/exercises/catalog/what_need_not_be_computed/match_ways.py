"""Ways to choose an answer from a semantic cache: the right one, and those that are not."""


def dot(one, other):
    return sum(x * y for x, y in zip(one, other))


def rows(entries, question, now_s):
    """Each entry with its similarity, and whether it lives."""
    return [
        (dot(vector, question), answer, owner, now_s < dies_s)
        for owner, vector, answer, dies_s in entries
    ]


def allowed(entries, question, scope, now_s):
    found = rows(entries, question, now_s)
    return [(near, answer) for near, answer, owner, lives in found if owner == scope and lives]


def best(pairs, threshold):
    near, answer = max(pairs, default=(-2, None))
    return answer if near >= threshold else None


def best_match(entries, question, threshold, scope, now_s):
    return best(allowed(entries, question, scope, now_s), threshold)


def scoped(same):
    """The same with another idea of what one scope is."""

    def choose(entries, question, threshold, scope, now_s):
        found = rows(entries, question, now_s)
        pairs = [(near, a) for near, a, owner, lives in found if lives and same(owner, scope)]
        return best(pairs, threshold)

    return choose


def timed(lives):
    """The same with another idea of who lives."""

    def choose(entries, question, threshold, scope, now_s):
        pairs = [
            (dot(vector, question), answer)
            for owner, vector, answer, dies_s in entries
            if owner == scope and lives(now_s, dies_s)
        ]
        return best(pairs, threshold)

    return choose


def then(first, last):
    """The best of those that pass ``first``, looked at by ``last`` afterwards."""

    def choose(entries, question, threshold, scope, now_s):
        found = [row for row in rows(entries, question, now_s) if first(row, scope)]
        if not found or not last(max(found), scope):
            return None
        return best([max(found)[:2]], threshold)

    return choose


def in_scope(row, scope):
    return row[2] == scope


def alive(row, scope):
    return row[3]


def may_be_served(row, scope):
    return in_scope(row, scope) and alive(row, scope)


def whoever(row, scope):
    return True


def passing(entries, question, threshold, scope, now_s):
    return [pair for pair in allowed(entries, question, scope, now_s) if pair[0] >= threshold]


def first_match(*args):
    return next((answer for _, answer in passing(*args)), None)


def last_match(*args):
    return next((answer for _, answer in reversed(passing(*args))), None)


def least_similar(*args):
    return min(passing(*args), default=(0, None))[1]


def strictly_above(entries, question, threshold, scope, now_s):
    near, answer = max(allowed(entries, question, scope, now_s), default=(-2, None))
    return answer if near > threshold else None


def no_threshold(entries, question, threshold, scope, now_s):
    return best(allowed(entries, question, scope, now_s), -2)


def below(entries, question, threshold, scope, now_s):
    pairs = allowed(entries, question, scope, now_s)
    return max((pair for pair in pairs if pair[0] <= threshold), default=(0, None))[1]


def threshold_as_distance(entries, question, threshold, scope, now_s):
    return best(allowed(entries, question, scope, now_s), 1 - threshold)


def euclidean(entries, question, threshold, scope, now_s):
    near = [
        (1 - sum((x - y) ** 2 for x, y in zip(vector, question)) ** 0.5, answer)
        for owner, vector, answer, dies_s in entries
        if owner == scope and now_s < dies_s
    ]
    return best(near, threshold)


def served(entries, question, threshold, scope, now_s):
    """The entries that are similar enough and may be served."""
    return [
        entry
        for entry in entries
        if entry[0] == scope and now_s < entry[3] and dot(entry[1], question) >= threshold
    ]


def longest_to_live(*args):
    return max(served(*args), key=lambda entry: entry[3], default=(0, 0, None))[2]


def whole_entry(entries, question, *rest):
    found = served(entries, question, *rest)
    return max(found, key=lambda entry: dot(entry[1], question), default=None)


def empty_is_nothing(*args):
    return best_match(*args) or None


def by_answer(keep):
    """One similarity for each answer: ``keep(old, new)`` says which when one comes again."""

    def choose(entries, question, threshold, scope, now_s):
        near = {}
        for similarity, answer in allowed(entries, question, scope, now_s):
            near[answer] = keep(near.get(answer, similarity), similarity)
        return best([(similarity, answer) for answer, similarity in near.items()], threshold)

    return choose


def without_the_sign(entries, question, threshold, scope, now_s):
    pairs = allowed(entries, question, scope, now_s)
    return best([(abs(near), answer) for near, answer in pairs], threshold)


def pair(*args):
    found = max(passing(*args), default=None)
    return found and found[::-1]


def pair_in_order(*args):
    return max(passing(*args), default=None)


def similarity(*args):
    return max(passing(*args), default=(None, None))[0]


def all_answers(*args):
    return [answer for _, answer in passing(*args)]
