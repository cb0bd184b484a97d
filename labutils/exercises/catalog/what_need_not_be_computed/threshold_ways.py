"""Ways to choose a threshold from labelled pairs: the right one, and those that are not."""

from labutils.exercises.definition.sheet import says


def counts(pairs, threshold):
    """(errors, hits) at a threshold."""
    hits = [same for similarity, same in pairs if similarity >= threshold]
    return hits.count(False), len(hits)


def passing(pairs, passes):
    return [threshold for threshold, _ in pairs if passes(threshold)]


def kept(pairs, max_error, upper):
    """All thresholds that keep the promise."""
    return passing(pairs, lambda t: upper(*counts(pairs, t)) <= max_error)


def lowest(pairs, max_error, upper):
    return min(kept(pairs, max_error, upper), default=None)


def judged(bound):
    """The lowest threshold of which ``bound(errors, hits, missed, n, upper)`` is small enough."""

    def lowest(pairs, max_error, upper):
        def passes(threshold):
            errors, hits = counts(pairs, threshold)
            missed = sum(same for _, same in pairs) - (hits - errors)
            return bound(errors, hits, missed, len(pairs), upper) <= max_error

        return min(passing(pairs, passes), default=None)

    return lowest


def from_the_top(pairs):
    return sorted({similarity for similarity, _ in pairs}, reverse=True)


def otherwise(value):
    """The lowest threshold that passes, or ``value`` where none does."""

    def lowest(pairs, max_error, upper):
        return min(kept(pairs, max_error, upper), default=value)

    return lowest


def own_bound(errors, hits, missed, n, upper):
    from labutils.caching import clopper_pearson

    return clopper_pearson(errors, hits)[1]


def pair_by_pair(**how):
    """Lowers the threshold pair by pair, as if pairs of equal similarity were not hits together."""

    def lowest(pairs, max_error, upper):
        found, errors = None, 0
        for hits, (similarity, same) in enumerate(sorted(pairs, reverse=True, **how), 1):
            errors += not same
            if upper(errors, hits) <= max_error:
                found = similarity
        return found

    return lowest


def halving(ends):
    """Halves a range of thresholds; its upper end belongs to it (1), or does not (0)."""

    def lowest(pairs, max_error, upper):
        tried, found = from_the_top(pairs)[::-1], None
        low, high = 0, len(tried) - ends
        while low < high + ends:
            middle = (low + high) // 2
            if upper(*counts(pairs, tried[middle])) <= max_error:
                found, high = tried[middle], middle - ends
            else:
                low = middle + 1
        return found

    return lowest


def above(passes):
    """The lowest threshold at which ``passes(errors, hits)``, the pairs at it left out."""

    def lowest(pairs, max_error, upper):
        def keeps(threshold):
            hits = [same for similarity, same in pairs if similarity > threshold]
            return passes(hits.count(False), len(hits), max_error, upper)

        return min(passing(pairs, keeps), default=None)

    return lowest


class Wrong:
    point_estimate = says("""You promise what you have seen, `errors / hits`. How far above it may
        the true share lie?""")(judged(lambda e, h, m, n, upper: e / h))

    def stops_at_the_first_failure(pairs, max_error, upper):
        """You go down from the highest similarity and stop at the first one that fails. Few hits
        say little: does it get better with more of them?"""
        found = None
        for threshold in from_the_top(pairs):
            if upper(*counts(pairs, threshold)) > max_error:
                break
            found = threshold
        return found

    def stops_when_it_fails_again(pairs, max_error, upper):
        """You stop at the first threshold that fails after one that passed. A lower one may pass
        again: have you looked at all?"""
        found = None
        for threshold in from_the_top(pairs):
            if upper(*counts(pairs, threshold)) <= max_error:
                found = threshold
            elif found is not None:
                break
        return found

    by_halves = says("""You halve the range, as if every threshold passed that is above one that
        passes. Two hits prove less than twenty: does it hold?""")(halving(0))
    by_halves_both_ends = says("""You halve the range and keep the best so far, as if every
        threshold passed that is above one that passes. Does it hold for two hits?""")(halving(1))

    def highest(pairs, max_error, upper):
        """You take the highest threshold that passes. Which one gives the most hits?"""
        return max(kept(pairs, max_error, upper), default=None)

    errors_over_all = says("""You set the errors against all pairs. The promise is about those who
        get an answer from the cache: how many are they?""")(
        judged(lambda e, h, m, n, upper: upper(e, n))
    )
    errors_of_all = says("""You count the errors of all pairs, also of those below the threshold.
        Which of them are hits?""")(judged(lambda e, h, m, n, upper: upper(n - m - (h - e), h)))
    share_for_errors = says("""You hand `upper` the share of errors. It takes how many there
        are.""")(judged(lambda e, h, m, n, upper: upper(e / h, h)))
    same_is_an_error = says("""You count the hits with the same answer as errors. What does True
        say?""")(judged(lambda e, h, m, n, upper: upper(h - e, h)))
    missed_is_an_error = says("""You count pairs below the threshold, which could have been hits, as
        errors. What do their users get?""")(judged(lambda e, h, m, n, upper: upper(e + m, h)))
    wrong_of_all = says("""You count every pair on the wrong side of the threshold, among all pairs.
        The promise is about hits alone: what do users get who miss?""")(
        judged(lambda e, h, m, n, upper: upper(e + m, n))
    )
    right_for_hits = says("""You hand `upper` the hits with the same answer. An error is a hit,
        too.""")(judged(lambda e, h, m, n, upper: upper(e, h - e)))
    swapped = says("""You hand `upper` the hits first. In which order does it take the two?""")(
        judged(lambda e, h, m, n, upper: upper(h, e))
    )

    strictly_above = says("""A pair exactly at the threshold is no hit for you. What does *at least*
        say?""")(above(lambda e, h, most, upper: upper(e, h) <= most))
    strictly_above_where_hits = says("""A pair exactly at the threshold is no hit for you, and the
        highest similarity then has none. What does *at least* say?""")(
        above(lambda e, h, most, upper: h and upper(e, h) <= most)
    )

    def hits_below(pairs, max_error, upper):
        """You take the pairs below the threshold as hits. Is it a similarity or a distance?"""

        def passes(threshold):
            hits = [same for similarity, same in pairs if similarity <= threshold]
            return upper(hits.count(False), len(hits)) <= max_error

        return min(passing(pairs, passes), default=None)

    def strictly_below_max_error(pairs, max_error, upper):
        """A bound of exactly `max_error` fails for you. What does *at most* say?"""
        return min(passing(pairs, lambda t: upper(*counts(pairs, t)) < max_error), default=None)

    def highest_if_none(pairs, max_error, upper):
        """You return the highest similarity where no threshold passes. What would the cache promise
        with it?"""
        return min(kept(pairs, max_error, upper), default=max((s for s, _ in pairs), default=None))

    one_if_none = says("""You return 1.0 where no threshold passes. Nobody has tried it: what is
        asked for?""")(otherwise(1.0))
    zero_if_none = says("""You return 0 where no threshold passes: then everything is a hit. What is
        asked for?""")(otherwise(0))

    def zero_is_none(pairs, max_error, upper):
        """A threshold of 0 that passes counts as none for you. How do you see that one was
        found?"""
        return lowest(pairs, max_error, upper) or None

    def above_zero(pairs, max_error, upper):
        """You try only similarities above 0. A cosine may be 0, or less: does the promise fail
        there?"""
        return min((t for t in kept(pairs, max_error, upper) if t > 0), default=None)

    def from_zero_up(pairs, max_error, upper):
        """You leave out similarities below 0. A cosine may be negative: does the promise fail
        there?"""
        return min((t for t in kept(pairs, max_error, upper) if t >= 0), default=None)

    def no_errors_at_all(pairs, max_error, upper):
        """You allow no error among the hits. `max_error` allows some, and no error in two hits
        proves little: what does `upper` say of them?"""
        return min(passing(pairs, lambda t: counts(pairs, t)[0] == 0), default=None)

    own_bound = says("""You compute a bound of your own. The one to use comes in as `upper`.""")(
        judged(own_bound)
    )

    def reversed_(pairs, max_error, upper):
        """You collect the thresholds that break the promise. Which way round is the comparison?"""
        return min(passing(pairs, lambda t: upper(*counts(pairs, t)) > max_error), default=None)

    def smallest_bound(pairs, max_error, upper):
        """You take the threshold with the smallest bound. Of all that keep the promise, which one
        gives the most hits?"""
        found = kept(pairs, max_error, upper)
        return min(found, key=lambda t: (upper(*counts(pairs, t)), t), default=None)

    splits_equal_similarities = says("""You take the pairs one by one. Those of equal similarity are
        hits together or not at all.""")(pair_by_pair())
    splits_equals_in_order = says("""You take the pairs one by one, also where they are equally
        similar. Does a threshold let one of them in and not the other?""")(
        pair_by_pair(key=lambda pair: pair[0])
    )

    def all_that_pass(pairs, max_error, upper):
        """You return every threshold that passes. Asked is the lowest."""
        return sorted(set(kept(pairs, max_error, upper)))

    def bound(pairs, max_error, upper):
        """You return the bound on the errors. Asked is the threshold."""
        threshold = lowest(pairs, max_error, upper)
        return None if threshold is None else upper(*counts(pairs, threshold))
