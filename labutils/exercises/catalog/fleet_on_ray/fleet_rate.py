"""ray.rate · The rate of a fleet whose members change · 8 minutes

> Chapter 13 corrects each counter by itself and adds afterwards. Which value of a replica do you
  compare its next one with, if it missed a scrape?
> Keep the last value of every replica that ever answered, from one scrape to the next. A replica
  that you have no value of began at 0.
> last = dict(scrapes[0]); at each later scrape, for replica, value: before = last.get(replica, 0);
  counted += value - before if value >= before else value; then last |= scrape.

Three things happen to a fleet, and a sum of counters shows all of them as a fall or a rise: a
replica dies, one starts, one misses a scrape. So the correction belongs to each replica, under a
name that no other replica ever gets. Prometheus says `sum(rate(…))` for the same reason, and never
`rate(sum(…))`. Its `rate` takes the first value of a new series for what was there before, though,
and does not count it: a fleet that grows, or whose replicas are often replaced, looks idler than it
is. What a replica counted between its last scrape and its death is in no scrape at all. Whoever has
to know that counts at the door as well.
"""

from itertools import accumulate, pairwise

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _grown(before, after):
    return after - before if after >= before else after


def _rate(step=_grown, *, new=lambda value: 0, over=lambda times_s: times_s[-1] - times_s[0]):
    """Adds up what ``step`` makes of the values of each replica, which began at ``new``."""

    def fleet_rate(times_s, scrapes):
        counted, last = 0, dict(scrapes[0])
        for scrape in scrapes[1:]:
            for replica, value in scrape.items():
                counted += step(last.get(replica, new(value)), value)
            last |= scrape
        return counted / over(times_s)

    return fleet_rate


def _of_those(chosen):
    """The rate of the replicas that ``chosen`` takes from the scrapes."""

    def fleet_rate(times_s, scrapes):
        names = chosen([set(scrape) for scrape in scrapes])
        kept = [{name: scrape[name] for name in names & set(scrape)} for scrape in scrapes]
        return _rate()(times_s, kept)

    return fleet_rate


def _sums(scrapes) -> list:
    return [sum(scrape.values()) for scrape in scrapes]


def _everybody(scrapes) -> set:
    return set().union(*scrapes)


def _kept_on(scrapes) -> list[dict]:
    """The scrapes, each with the last values of those that did not answer."""
    return list(accumulate(scrapes, lambda before, after: before | after))


_MEAN = "You divide by the number of replicas. Asked is what the whole fleet serves."


class Wrong:
    def last_sum_less_first(times_s, scrapes):
        """You add up the replicas at each scrape and take the last sum less the first. What does
        that make of a replica that is gone, or has started anew?"""
        sums = _sums(scrapes)
        return (sums[-1] - sums[0]) / (times_s[-1] - times_s[0])

    def corrects_the_sum(times_s, scrapes):
        """You add up the replicas first, and look for restarts in the sum. Where is the fall of one
        while the others counted on?"""
        grown = sum(_grown(before, after) for before, after in pairwise(_sums(scrapes)))
        return grown / (times_s[-1] - times_s[0])

    def corrects_the_sum_of_all(times_s, scrapes):
        """You keep the value of a replica that is gone, and look for restarts in the sum. Where is
        the fall of one while the others counted on?"""
        grown = sum(_grown(before, after) for before, after in pairwise(_sums(_kept_on(scrapes))))
        return grown / (times_s[-1] - times_s[0])

    def counts_from_the_first_scrape(times_s, scrapes):
        """You compare every value with the first scrape, so a rise is counted again and again. What
        has to be kept from one scrape to the next?"""
        steps = ((scrapes[0].get(name, 0), at[name]) for at in scrapes[1:] for name in at)
        return sum(_grown(*step) for step in steps) / (times_s[-1] - times_s[0])

    newcomers_begin_late = says("""You do not count the first value of a replica that is new. It
        has started since the first scrape: from what did it count?""")(
        _rate(new=lambda value: value)
    )
    old_ones_alone = says("""You look at the replicas of the first scrape alone. What do those do
        that came later?""")(_of_those(lambda names: names[0]))
    those_in_all_scrapes = says("""You look at the replicas that answered every scrape. The others
        have served requests, too.""")(_of_those(lambda names: set.intersection(*names)))
    those_at_both_ends = says("""You look at the replicas that are in the first scrape and in the
        last. What did one serve that died between them?""")(
        _of_those(lambda names: names[0] & names[-1])
    )
    those_that_are_left = says("""You look at the replicas of the last scrape. What did one serve
        that has died?""")(_of_those(lambda names: names[-1]))

    def back_is_new(times_s, scrapes):
        """A replica missed a scrape and came back, and you take it for a new one. Which value has
        it grown from?"""
        grown = sum(
            _grown(before.get(replica, 0), value)
            for before, after in pairwise(scrapes)
            for replica, value in after.items()
        )
        return grown / (times_s[-1] - times_s[0])

    def neighbours_alone(times_s, scrapes):
        """You count where a replica is in two scrapes that follow each other. What did one
        count that is new, or that missed a scrape in between?"""
        grown = sum(
            _grown(before[replica], after[replica])
            for before, after in pairwise(scrapes)
            for replica in before.keys() & after.keys()
        )
        return grown / (times_s[-1] - times_s[0])

    restarts_unseen = says("""You take the last value of each replica less its first. A counter
        that has started anew has forgotten what it had counted.""")(
        _rate(lambda before, after: after - before)
    )

    def highest_less_first(times_s, scrapes):
        """You take the highest value of each replica less its first. A counter that has started
        anew may not get as high again. What has it counted since?"""
        grown = sum(
            max(scrape.get(replica, 0) for scrape in scrapes) - scrapes[0].get(replica, 0)
            for replica in _everybody(scrapes)
        )
        return grown / (times_s[-1] - times_s[0])

    restart_counts_nothing = says("""You leave out the step in which a counter fell. What has it
        counted between its start at 0 and that scrape?""")(
        _rate(lambda before, after: max(after - before, 0))
    )
    standstill_is_a_restart = says("""You take a counter that stands still for one that has started
        anew. What was counted while its value did not change?""")(
        _rate(lambda before, after: after - before if after > before else after)
    )
    last_less_first_of_each = says("""You take the last value of each replica less the first that
        you saw. What of one that has restarted, and of one that began at 0?""")(
        _rate(lambda before, after: after - before, new=lambda value: value)
    )
    from_zero = says("""You count what the replicas held at the first scrape. That was served before
        the time that is asked for.""")(
        lambda times_s, scrapes: _rate()([times_s[0], *times_s], [{}, *scrapes])
    )

    mean_of_replicas = says(_MEAN)(
        lambda times_s, scrapes: _rate()(times_s, scrapes) / len(_everybody(scrapes))
    )
    mean_of_those_left = says(_MEAN)(
        lambda times_s, scrapes: _rate()(times_s, scrapes) / len(scrapes[-1])
    )

    @says("""You divide what each replica counted by the time in which it was seen. The rates of a
        fleet add up if all are taken over the same seconds.""")
    def each_over_its_own_time(times_s, scrapes):
        rates = []
        for name in _everybody(scrapes):
            seen = [(time_s, at) for time_s, at in zip(times_s, scrapes) if name in at]
            alone = [{name: at[name]} for _, at in seen]
            own_s = seen[-1][0] - seen[0][0]
            rates.append(_rate(over=lambda _, own_s=own_s: own_s)(times_s, alone) if own_s else 0)
        return sum(rates)

    def mean_of_step_rates(times_s, scrapes):
        """You average the rates of the steps, so a step of half a second counts as much as one of
        seven. Add up what was counted, and divide once."""
        steps = zip(pairwise(times_s), pairwise(_kept_on(scrapes)))
        return sum(_rate()(*step) for step in steps) / (len(times_s) - 1)

    def last_step_alone(times_s, scrapes):
        """You look at the last step. Asked is the rate from the first scrape to the last."""
        return _rate()(times_s[-2:], _kept_on(scrapes)[-2:])

    per_step = says("""You divide by the number of steps. Scrapes do not come once a second here:
        how long was it from the first to the last?""")(
        _rate(over=lambda times_s: len(times_s) - 1)
    )
    per_scrape = says("""You divide by the number of scrapes. They do not come once a second here:
        how long was it from the first to the last?""")(_rate(over=len))
    since_time_zero = says("""You divide by the time of the last scrape. The first one need not be
        at 0: how many seconds lie between them?""")(_rate(over=lambda times_s: times_s[-1]))
    increase = says("That is the increase. Asked is how much it was per second.")(
        _rate(over=lambda times_s: 1)
    )


def _some_fleets():
    """3 to 7 scrapes at uneven times, of replicas that come, go, restart and miss a scrape."""
    from hypothesis import strategies as st

    def fleet(drawn):
        gaps, first, rounds = drawn
        times_s, scrapes, values = [5.0], [dict(enumerate(first))], dict(enumerate(first))
        for gap, events in zip(gaps, rounds):
            for replica, (event, by) in zip(list(values), events):
                values[replica] = by if event == "restarts" else values[replica] + by
                if event == "dies" and len(values) > 1:
                    del values[replica]
                    values[len(_everybody(scrapes)) + 10] = by + 1
            others = list(values)[1:]  # one always answers
            missed = {name for name, (event, _) in zip(others, events) if event == "is late"}
            times_s.append(times_s[-1] + gap)
            scrapes.append({name: each for name, each in values.items() if name not in missed})
        return times_s, scrapes

    events = st.sampled_from(["", "", "", "restarts", "dies", "is late"])
    one = st.tuples(events, st.integers(0, 60))
    rounds = st.lists(st.lists(one, min_size=3, max_size=3), min_size=2, max_size=6)
    gaps = st.lists(st.sampled_from([0.5, 1.0, 2.0, 7.0]), min_size=6, max_size=6)
    first = st.lists(st.integers(1, 90), min_size=1, max_size=3)
    return st.tuples(gaps, first, rounds).map(fleet)


FLEET_RATE = exercise(
    __doc__,
    Function(
        _rate(),
        _some_fleets,
        always=(
            ([1.0, 2.0, 5.0], [{0: 10, 1: 20}, {0: 13, 1: 27}, {0: 18, 1: 27}]),
            ([2.0, 3.0, 7.0], [{0: 10, 1: 20}, {0: 16, 1: 21}, {0: 18, 2: 5}]),
            ([0.0, 1.0, 4.0], [{0: 10, 1: 20}, {0: 13, 1: 4}, {0: 18, 1: 9}]),
            ([1.0, 2.0, 5.0, 7.0], [{0: 10, 1: 20}, {0: 13}, {0: 18, 1: 27}, {0: 19, 1: 30}]),
            ([0.0, 2.0, 3.0], [{0: 10, 1: 20}, {0: 16}, {0: 18, 1: 7}]),
            ([1.0, 3.0, 4.0, 6.0], [{0: 10}, {0: 16, 1: 3}, {0: 17}, {0: 18, 1: 9, 2: 0}]),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
