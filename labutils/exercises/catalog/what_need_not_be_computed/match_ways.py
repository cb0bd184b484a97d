"""Ways to choose an answer from a semantic cache: the right one, and those that are not."""

from labutils.exercises.definition.sheet import says


def dot(one, other):
    return sum(x * y for x, y in zip(one, other))


def rows(entries, question, now_s):
    """Similarity, answer and scope of each entry, and whether it is still alive."""
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
    """The same with another idea of which entries are still alive."""

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


def served(entries, question, threshold, scope, now_s):
    """The entries that are similar enough and may be served."""
    return [
        entry
        for entry in entries
        if entry[0] == scope and now_s < entry[3] and dot(entry[1], question) >= threshold
    ]


def by_answer(keep):
    """One similarity for each answer; of two entries with it ``keep(old, new)`` chooses one."""

    def choose(entries, question, threshold, scope, now_s):
        near = {}
        for similarity, answer in allowed(entries, question, scope, now_s):
            near[answer] = keep(near.get(answer, similarity), similarity)
        return best([(similarity, answer) for answer, similarity in near.items()], threshold)

    return choose


class Wrong:
    def first_match(*args):
        """You take the first entry that is similar enough. A better one may come later."""
        return next((answer for _, answer in passing(*args)), None)

    def last_match(*args):
        """You take the last entry that is similar enough. A better one may have come before."""
        return next((answer for _, answer in reversed(passing(*args))), None)

    ignores_the_scope = says("""You serve an answer that was written for another tenant, by another
        model or with another prompt.""")(scoped(lambda owner, scope: True))
    tenant_only = says("""You compare the tenants alone. What else made this answer what it is?""")(
        scoped(lambda owner, scope: owner[0] == scope[0])
    )
    forgets_the_tenant = says("""You serve one tenant's answer to another.""")(
        scoped(lambda owner, scope: owner[1:] == scope[1:])
    )
    forgets_the_model = says("""You serve an answer of another model.""")(
        scoped(lambda owner, scope: (owner[0], owner[2]) == (scope[0], scope[2]))
    )
    forgets_the_prompt_version = says("""You serve an answer that was written with another version
        of the prompt.""")(scoped(lambda owner, scope: owner[:2] == scope[:2]))
    parts_in_any_order = says("""You take two scopes for one if their parts are the same in another
        order. A tenant may be called what another one's model is called.""")(
        scoped(lambda owner, scope: sorted(owner) == sorted(scope))
    )
    parts_run_together = says("""You join the parts of a scope into one text. Two scopes may give
        the same text: where does a part end?""")(
        scoped(lambda owner, scope: "".join(owner) == "".join(scope))
    )
    parts_joined_by_a_mark = says("""You join the parts of a scope into one text, with a mark
        between them. A part may hold that mark: then where does it end?""")(
        scoped(lambda owner, scope: any(mark.join(owner) == mark.join(scope) for mark in ":/-|_"))
    )
    without_their_case = says("""You take capital letters for small ones. Are "Acme" and "acme" one
        tenant?""")(scoped(lambda *scopes: len({str(one).lower() for one in scopes}) == 1))
    the_very_same_object = says("""You ask whether two scopes are one object, as `is` does, and none
        that was read from a request ever is. What makes them equal?""")(
        scoped(lambda owner, scope: owner is scope)
    )
    serves_the_dead = says("""You serve an answer whose time is over. Who compares it with
        now_s?""")(timed(lambda now_s, dies_s: True))
    late_by_a_moment = says("""You serve an answer at the moment at which it dies. Before which
        moment may it be served?""")(timed(lambda now_s, dies_s: now_s <= dies_s))
    serves_only_the_dead = says("""You serve those whose time is over, and none that lives. Which
        way round is the comparison?""")(timed(lambda now_s, dies_s: now_s > dies_s))

    def strictly_above(entries, question, threshold, scope, now_s):
        """A similarity of exactly the threshold is refused. What does *at least* say?"""
        near, answer = max(allowed(entries, question, scope, now_s), default=(-2, None))
        return answer if near > threshold else None

    best_of_all_scopes = says("""You look for the most similar entry first, and for its scope
        afterwards. If another tenant's is the best, you find nothing. When should you look?""")(
        then(alive, in_scope)
    )
    best_with_the_dead = says("""You look for the most similar entry first, and whether it lives
        afterwards. If a dead one is the best, you find nothing. When should you look?""")(
        then(in_scope, alive)
    )
    best_of_everything = says("""You look for the most similar entry first, and whether it may be
        served afterwards. If the best may not, you find nothing. When should you look?""")(
        then(whoever, may_be_served)
    )

    def one_of_the_two(entries, question, threshold, scope, now_s):
        """You serve what is of this scope *or* still alive. It has to be both."""
        found = rows(entries, question, now_s)
        pairs = [(near, a) for near, a, owner, lives in found if owner == scope or lives]
        return best(pairs, threshold)

    def behind_one_that_may_not(entries, question, threshold, scope, now_s):
        """An entry that may not be served raises what the next ones have to reach. When may you
        keep a similarity as the best?"""
        least, answer = threshold, None
        for near, kept, owner, lives in rows(entries, question, now_s):
            if near >= least:
                least = near
                answer = kept if owner == scope and lives else answer
        return answer

    def stops_at_one_that_may_not(entries, *rest):
        """You stop at the first entry that may not be served. Others come after it."""
        _, _, scope, now_s = rest
        may = [owner == scope and now_s < dies_s for owner, _, _, dies_s in entries]
        return best_match(entries[: [*may, False].index(False)], *rest)

    def rounded(entries, question, threshold, scope, now_s):
        """You round the similarity. What lies just below the threshold is refused: why round at
        all?"""
        pairs = allowed(entries, question, scope, now_s)
        return best([(round(near, 2), answer) for near, answer in pairs], threshold)

    def least_similar(*args):
        """Of those that are similar enough you take the least similar one."""
        return min(passing(*args), default=(0, None))[1]

    def no_threshold(entries, question, threshold, scope, now_s):
        """You serve the most similar answer however far away it is."""
        return best(allowed(entries, question, scope, now_s), -2)

    def below_the_threshold(entries, question, threshold, scope, now_s):
        """You take what is less similar than the threshold. Is it a similarity or a distance?"""
        pairs = allowed(entries, question, scope, now_s)
        return max((pair for pair in pairs if pair[0] <= threshold), default=(0, None))[1]

    def threshold_as_distance(entries, question, threshold, scope, now_s):
        """You compare with 1 - threshold. Are your similarities distances?"""
        return best(allowed(entries, question, scope, now_s), 1 - threshold)

    def euclidean_distance(entries, question, threshold, scope, now_s):
        """You take the length of the difference off 1. The similarity meant here is the cosine."""
        near = [
            (1 - sum((x - y) ** 2 for x, y in zip(vector, question)) ** 0.5, answer)
            for owner, vector, answer, dies_s in entries
            if owner == scope and now_s < dies_s
        ]
        return best(near, threshold)

    def longest_to_live(*args):
        """Of those that are similar enough you take the one with the most life left. Which one fits
        the question best?"""
        return max(served(*args), key=lambda entry: entry[3], default=(0, 0, None))[2]

    def empty_is_nothing(*args):
        """An answer that is empty counts as none for you. How do you see that an entry was
        found?"""
        return best_match(*args) or None

    last_of_an_answer = says("""Where the same answer stands in two entries, you keep the similarity
        of the later one. Can an answer tell entries apart?""")(by_answer(lambda old, new: new))
    first_of_an_answer = says("""Where the same answer stands in two entries, you keep the
        similarity of the earlier one. Can an answer tell entries apart?""")(
        by_answer(lambda old, new: old)
    )

    def without_the_sign(entries, question, threshold, scope, now_s):
        """You take the similarity without its sign. What does a cosine of -1 say about two
        questions?"""
        pairs = allowed(entries, question, scope, now_s)
        return best([(abs(near), answer) for near, answer in pairs], threshold)

    def whole_entry(entries, question, *rest):
        """You return the whole entry. Asked is its answer."""
        found = served(entries, question, *rest)
        return max(found, key=lambda entry: dot(entry[1], question), default=None)

    def with_its_similarity(*args):
        """You return the answer with its similarity. Asked is the answer alone."""
        found = max(passing(*args), default=None)
        return found and found[::-1]

    def with_its_similarity_before(*args):
        """You return the similarity with its answer. Asked is the answer alone."""
        return max(passing(*args), default=None)

    def similarity(*args):
        """You return the similarity. Asked is the answer."""
        return max(passing(*args), default=(None, None))[0]

    def all_that_fit(*args):
        """You return all answers that are similar enough. Asked is the best of them."""
        return [answer for _, answer in passing(*args)]
