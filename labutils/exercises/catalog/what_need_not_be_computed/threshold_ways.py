"""Ways to choose a threshold from labelled pairs: the right one, and those that are not."""


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


def strictly(pairs, max_error, upper):
    def passes(threshold):
        hits = [same for similarity, same in pairs if similarity > threshold]
        return upper(hits.count(False), len(hits)) <= max_error

    return min(passing(pairs, passes), default=None)


def hits_below(pairs, max_error, upper):
    def passes(threshold):
        hits = [same for similarity, same in pairs if similarity <= threshold]
        return upper(hits.count(False), len(hits)) <= max_error

    return min(passing(pairs, passes), default=None)


def below_max_error(pairs, max_error, upper):
    return min(passing(pairs, lambda t: upper(*counts(pairs, t)) < max_error), default=None)


def highest(pairs, max_error, upper):
    return max(kept(pairs, max_error, upper), default=None)


def from_the_top(pairs):
    return sorted({similarity for similarity, _ in pairs}, reverse=True)


def until_the_first_failure(pairs, max_error, upper):
    found = None
    for threshold in from_the_top(pairs):
        if upper(*counts(pairs, threshold)) > max_error:
            break
        found = threshold
    return found


def until_it_fails_again(pairs, max_error, upper):
    found = None
    for threshold in from_the_top(pairs):
        if upper(*counts(pairs, threshold)) <= max_error:
            found = threshold
        elif found is not None:
            break
    return found


def by_halves(pairs, max_error, upper):
    """As if whatever is above a threshold that passes passed, too."""
    tried = from_the_top(pairs)[::-1]
    low, high = 0, len(tried)
    while low < high:
        middle = (low + high) // 2
        if upper(*counts(pairs, tried[middle])) <= max_error:
            high = middle
        else:
            low = middle + 1
    return tried[low] if low < len(tried) else None


def or_the_highest(pairs, max_error, upper):
    return min(kept(pairs, max_error, upper), default=max((s for s, _ in pairs), default=None))


def otherwise(value):
    """The lowest, or a ``value`` that nobody has tried."""

    def lowest(pairs, max_error, upper):
        return min(kept(pairs, max_error, upper), default=value)

    return lowest


def zero_is_none(pairs, max_error, upper):
    return lowest(pairs, max_error, upper) or None


def above_zero(pairs, max_error, upper):
    return min((t for t in kept(pairs, max_error, upper) if t > 0), default=None)


def from_zero_up(pairs, max_error, upper):
    return min((t for t in kept(pairs, max_error, upper) if t >= 0), default=None)


def own_bound(errors, hits, missed, n, upper):
    from labutils.caching import clopper_pearson

    return clopper_pearson(errors, hits)[1]


def without_errors(pairs, max_error, upper):
    return min(passing(pairs, lambda t: counts(pairs, t)[0] == 0), default=None)


def reversed_comparison(pairs, max_error, upper):
    return min(passing(pairs, lambda t: upper(*counts(pairs, t)) > max_error), default=None)


def safest(pairs, max_error, upper):
    found = kept(pairs, max_error, upper)
    return min(found, key=lambda t: (upper(*counts(pairs, t)), t), default=None)


def pair_by_pair(**how):
    """One more pair a step: those of equal similarity come one after the other."""

    def lowest(pairs, max_error, upper):
        found, errors = None, 0
        for hits, (similarity, same) in enumerate(sorted(pairs, reverse=True, **how), 1):
            errors += not same
            if upper(errors, hits) <= max_error:
                found = similarity
        return found

    return lowest


def all_thresholds(pairs, max_error, upper):
    return sorted(set(kept(pairs, max_error, upper)))


def bound(pairs, max_error, upper):
    threshold = lowest(pairs, max_error, upper)
    return None if threshold is None else upper(*counts(pairs, threshold))
