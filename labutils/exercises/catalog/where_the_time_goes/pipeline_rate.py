"""The largest rate of a pipeline, and the latency of a clocked one."""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.checkers.sheets import number
from labutils.exercises.definition.sheet import exercise, mistakes_in


def _largest_rate(stages):
    return min(servers / (visits * seconds) for visits, seconds, servers in stages)


class WrongLargestRate:
    def no_visits(stages):
        """You count one visit to each stage. A request that comes three times keeps the stage busy
        three times as long."""
        return min(servers / seconds for _, seconds, servers in stages)

    def no_servers(stages):
        """You count one server in each stage. Four of them share the work."""
        return min(1 / (visits * seconds) for visits, seconds, _ in stages)

    def slowest_visit(stages):
        """You look for the slowest visit. A fast stage that is visited often, or has few servers,
        can fill up first."""
        visits, seconds, servers = max(stages, key=lambda stage: stage[1])
        return servers / (visits * seconds)

    def visits_rounded_up(stages):
        """You count whole visits to each stage. If three of four requests pass a stage by, how
        many visits does it get for each request?"""
        return min(servers / (math.ceil(visits) * seconds) for visits, seconds, servers in stages)

    def whole_requests(stages):
        """You cut the rate off to whole requests. A rate of half a request a second is one request
        every two seconds."""
        return math.floor(_largest_rate(stages))

    def most_work(stages):
        """You take the stage with the most work for a request. Its servers share that work: which
        stage has the most work for each server?"""
        visits, seconds, servers = max(stages, key=lambda stage: stage[0] * stage[1])
        return servers / (visits * seconds)

    def one_request_at_a_time(stages):
        """That is the rate of one request after the other. While one is in stage two, the next can
        be in stage one."""
        return 1 / sum(visits * seconds for visits, seconds, _ in stages)

    def sum_of_demands(stages):
        """You add up the stages. They work at the same time: the one that fills up first sets the
        rate."""
        return 1 / sum(visits * seconds / servers for visits, seconds, servers in stages)

    def sum_of_rates(stages):
        """You add up what the stages can take. A request goes through all of them: which one is
        full first?"""
        return sum(servers / (visits * seconds) for visits, seconds, servers in stages)

    def seconds_in_the_numerator(stages):
        """Your longer visits give a higher rate. (Python reads `c / v * s` as `(c / v) * s`.)"""
        return min(servers / visits * seconds for visits, seconds, servers in stages)

    def largest(stages):
        """That is the rate of the stage with the most room. The others fill up long before."""
        return max(servers / (visits * seconds) for visits, seconds, servers in stages)

    def seconds(stages):
        """That is the busiest stage's time for a request, in seconds. How many requests a second is
        that?"""
        return max(visits * seconds / servers for visits, seconds, servers in stages)

    def visits_speed_up(stages):
        """More visits give you a higher rate. Each visit is work."""
        return min(visits * servers / seconds for visits, seconds, servers in stages)


def _some_pipelines():
    """One to five stages: visits (a cache lets a part through), seconds a visit, servers."""
    from hypothesis import strategies as st

    visits = st.sampled_from([0.25, 0.5, 1, 1, 2, 3, 5])
    seconds = st.integers(1, 64).map(lambda n: n / 64)
    return st.tuples(
        st.lists(st.tuples(visits, seconds, st.integers(1, 6)), min_size=1, max_size=5)
    )


LARGEST_RATE = exercise(
    """
    where.largest_rate · The largest rate of a pipeline · 4 minutes

    > How many seconds of one server's time does a request cost in each stage?
    > A request keeps a stage busy for visits * seconds, divided among its servers.
    > Each stage can take servers / (visits * seconds) requests a second. The smallest counts.

    A stage with $c$ servers, $v$ visits a request and $s$ seconds a visit is full at $c/(v s)$
    requests a second. The pipeline is full when its first stage is: the **bottleneck**. Speeding up
    any other stage does not raise the largest rate.
    """,
    Function(
        _largest_rate,
        _some_pipelines,
        always=(
            ([(1, 0.5, 4), (3, 0.125, 1), (0.25, 1.0, 1)],),
            ([(1, 0.75, 6), (2, 0.25, 1)],),
        ),
        misconceptions=mistakes_in(WrongLargestRate),
    ),
)

CLOCKED = number(r"""
where.clocked · The latency of a clocked pipeline · 2 minutes, optional

= 200.0 ms tolerance=0.01
- sum 130.0: That is the work. Each of the four stages takes a whole beat, also where its work is
  done earlier.
- one-beat 50.0: That is the beat: a request leaves every 50 ms. How many beats is it inside?
- a-beat-and-the-work 180.0: Is that the work and one beat, or a first stage that does not wait for
  the beat? Every stage keeps its request for a whole beat, also where its work is done earlier.
- rate 20.0: That is how many leave in a second. How long is one of them inside?
- with-the-wait 225.0: You count the wait for the first beat as well. From which moment on is asked?
- three-beats 150.0: That is three beats. There are four stages.
> What is the shortest beat that all four stages can keep?
> The slowest stage needs 50 ms, so the beat is 50 ms. A request moves one stage a beat.
> Four stages, one beat each.

With $k$ stages in step, a request takes $k \max_i t_i$, here $4 \times 50 = 200$ ms for 130 ms of
work, and the rate is $1/\max_i t_i = 20$ a second. Levelling the stages helps both.
""")
