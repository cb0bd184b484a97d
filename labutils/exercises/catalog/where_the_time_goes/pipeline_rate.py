"""The largest rate of a pipeline, and the latency of a clocked one."""

from labutils.exercises.checkers import Function, Number
from labutils.exercises.definition.exercise import Exercise, Misconception


def _largest_rate(stages):
    return min(servers / (visits * seconds) for visits, seconds, servers in stages)


def _no_visits(stages):
    return min(servers / seconds for _, seconds, servers in stages)


def _no_servers(stages):
    return min(1 / (visits * seconds) for visits, seconds, _ in stages)


def _slowest_visit(stages):
    visits, seconds, servers = max(stages, key=lambda stage: stage[1])
    return servers / (visits * seconds)


def _one_at_a_time(stages):
    return 1 / sum(visits * seconds for visits, seconds, _ in stages)


def _most_busy_work(stages):
    visits, seconds, servers = max(stages, key=lambda stage: stage[0] * stage[1])
    return servers / (visits * seconds)


def _sum_of_demands(stages):
    return 1 / sum(visits * seconds / servers for visits, seconds, servers in stages)


def _largest(stages):
    return max(servers / (visits * seconds) for visits, seconds, servers in stages)


def _seconds(stages):
    return max(visits * seconds / servers for visits, seconds, servers in stages)


def _visits_speed_up(stages):
    return min(visits * servers / seconds for visits, seconds, servers in stages)


def _some_pipelines():
    """One to five stages: visits (a cache lets a part through), seconds a visit, servers."""
    from hypothesis import strategies as st

    visits = st.sampled_from([0.25, 0.5, 1, 1, 2, 3, 5])
    seconds = st.integers(1, 64).map(lambda n: n / 64)
    return st.tuples(
        st.lists(st.tuples(visits, seconds, st.integers(1, 6)), min_size=1, max_size=5)
    )


LARGEST_RATE = Exercise(
    id="where.largest_rate",
    title="The largest rate of a pipeline",
    minutes=4,
    checker=Function(
        reference=_largest_rate,
        inputs=_some_pipelines,
        always=(
            ([(1, 0.5, 4), (3, 0.125, 1), (0.25, 1.0, 1)],),
            ([(1, 0.75, 6), (2, 0.25, 1)],),
        ),
        misconceptions=(
            Misconception(
                "no-visits",
                _no_visits,
                "You count one visit to each stage. A request that comes three times keeps the "
                "stage busy three times as long.",
            ),
            Misconception(
                "no-servers",
                _no_servers,
                "You count one server in each stage. Four of them share the work.",
            ),
            Misconception(
                "slowest-visit",
                _slowest_visit,
                "You look for the slowest visit. A fast stage that is visited often, or has few "
                "servers, can fill up first.",
            ),
            Misconception(
                "most-work",
                _most_busy_work,
                "You take the stage with the most work for a request. Its servers share that work: "
                "which stage has the most work for each server?",
            ),
            Misconception(
                "one-request-at-a-time",
                _one_at_a_time,
                "That is the rate of one request after the other. While one is in stage two, the "
                "next can be in stage one.",
            ),
            Misconception(
                "sum-of-demands",
                _sum_of_demands,
                "You add up the stages. They work at the same time: the one that fills up first "
                "sets the rate.",
            ),
            Misconception(
                "largest",
                _largest,
                "That is the rate of the stage with the most room. The others fill up long before.",
            ),
            Misconception(
                "seconds",
                _seconds,
                "That is the busiest stage's time for a request, in seconds. How many requests a "
                "second is that?",
            ),
            Misconception(
                "visits-speed-up",
                _visits_speed_up,
                "More visits give you a higher rate. Each visit is work.",
            ),
        ),
    ),
    hints=(
        "How many seconds of one server's time does a request cost in each stage?",
        "A request keeps a stage busy for visits * seconds, divided among its servers.",
        "Each stage can take servers / (visits * seconds) requests a second. The smallest counts.",
    ),
    explanation=(
        "A stage with $c$ servers, $v$ visits a request and $s$ seconds a visit is full at "
        "$c/(v s)$ requests a second. The pipeline is full when its first stage is: the "
        "**bottleneck**. Speeding up any other stage does not raise the largest rate."
    ),
)

CLOCKED = Exercise(
    id="where.clocked",
    title="The latency of a clocked pipeline",
    minutes=2,
    optional=True,
    checker=Number(
        expected=lambda: 200.0,
        unit="ms",
        tolerance=0.01,
        misconceptions=(
            Misconception(
                "sum",
                lambda: 130.0,
                "That is the work. Each of the four stages takes a whole beat, also where its work "
                "is done earlier.",
            ),
            Misconception(
                "one-beat",
                lambda: 50.0,
                "That is the beat: a request leaves every 50 ms. How many beats is it inside?",
            ),
            Misconception(
                "a-beat-and-the-work",
                lambda: 180.0,
                "Is that the work and one beat, or a first stage that does not wait for the beat? "
                "Every stage keeps its request for a whole beat, also where its work is done "
                "earlier.",
            ),
            Misconception(
                "three-beats",
                lambda: 150.0,
                "That is three beats. There are four stages.",
            ),
        ),
    ),
    hints=(
        "What is the shortest beat that all four stages can keep?",
        "The slowest stage needs 50 ms, so the beat is 50 ms. A request moves one stage a beat.",
        "Four stages, one beat each.",
    ),
    explanation=(
        "With $k$ stages in step, a request takes $k \\max_i t_i$, here $4 \\times 50 = 200$ ms "
        "for 130 ms of work, and the rate is $1/\\max_i t_i = 20$ a second. Levelling the stages "
        "helps both."
    ),
)
