"""Proofs of chapter 02: mistakes that learners make, and right answers of other styles."""

import itertools

import numpy as np

from labutils.exercises.definition.verdict import Status
from labutils.simulation import in_flight_curve
from tests.proofs.proof import Proof

# --- little.clipped_log -------------------------------------------------------------------------


def counts_clipped_requests_whole(arrivals, departures, from_s, to_s):
    arrivals, departures = np.array(arrivals), np.array(departures)
    seen = (arrivals < to_s) & (departures > from_s)
    came = (arrivals >= from_s) & (arrivals < to_s)
    stays, seconds = departures - arrivals, to_s - from_s
    return stays[seen].sum() / seconds, came.sum() / seconds, stays[came].mean()


def drops_clipped_requests(arrivals, departures, from_s, to_s):
    kept = [(a, d) for a, d in zip(arrivals, departures) if from_s <= a and d <= to_s]
    area = sum(d - a for a, d in kept)
    came = [d - a for a, d in zip(arrivals, departures) if from_s <= a < to_s]
    seconds = to_s - from_s
    return area / seconds, len(came) / seconds, sum(came) / len(came)


def counts_departures(arrivals, departures, from_s, to_s):
    mean, _, stay = sweeps_a_curve(arrivals, departures, from_s, to_s)
    return mean, sum(from_s <= d < to_s for d in departures) / (to_s - from_s), stay


def divides_l_by_the_rate(arrivals, departures, from_s, to_s):
    mean, rate, _ = sweeps_a_curve(arrivals, departures, from_s, to_s)
    return mean, rate, mean / rate


def multiplies_rate_and_stay(arrivals, departures, from_s, to_s):
    came = [d - a for a, d in zip(arrivals, departures) if from_s <= a < to_s]
    rate, stay = len(came) / (to_s - from_s), sum(came) / len(came)
    return rate * stay, rate, stay


def cuts_the_stays(arrivals, departures, from_s, to_s):
    mean, rate, _ = sweeps_a_curve(arrivals, departures, from_s, to_s)
    cut = [min(d, to_s) - a for a, d in zip(arrivals, departures) if from_s <= a < to_s]
    return mean, rate, sum(cut) / len(cut)


def divides_by_the_whole_log(arrivals, departures, from_s, to_s):
    mean, rate, stay = sweeps_a_curve(arrivals, departures, from_s, to_s)
    share = (to_s - from_s) / (max(departures) - min(arrivals))
    return mean * share, rate * share, stay


def forgets_whoever_came_before(arrivals, departures, from_s, to_s):
    _, rate, stay = sweeps_a_curve(arrivals, departures, from_s, to_s)
    own = [min(d, to_s) - a for a, d in zip(arrivals, departures) if from_s <= a < to_s]
    return sum(own) / (to_s - from_s), rate, stay


def stays_of_those_who_left(arrivals, departures, from_s, to_s):
    a, d = np.array(arrivals), np.array(departures)
    mean, rate, _ = sweeps_a_curve(arrivals, departures, from_s, to_s)
    return mean, rate, (d - a)[(d >= from_s) & (d < to_s)].mean()


def counts_all_it_sees(arrivals, departures, from_s, to_s):
    mean, _, stay = sweeps_a_curve(arrivals, departures, from_s, to_s)
    seen = sum(a < to_s and d > from_s for a, d in zip(arrivals, departures))
    return mean, seen / (to_s - from_s), stay


def includes_the_end(arrivals, departures, from_s, to_s):
    mean, _, _ = sweeps_a_curve(arrivals, departures, from_s, to_s)
    came = [d - a for a, d in zip(arrivals, departures) if from_s <= a <= to_s]
    return mean, len(came) / (to_s - from_s), sum(came) / len(came)


def an_area(arrivals, departures, from_s, to_s):
    area = in_flight_curve(arrivals, departures).mean(from_s, to_s) * (to_s - from_s)
    return area, *sweeps_a_curve(arrivals, departures, from_s, to_s)[1:]


def a_count(arrivals, departures, from_s, to_s):
    mean, _, stay = sweeps_a_curve(arrivals, departures, from_s, to_s)
    return mean, sum(from_s <= a < to_s for a in arrivals), stay


def an_area_and_a_count(arrivals, departures, from_s, to_s):
    area, _, stay = an_area(arrivals, departures, from_s, to_s)
    return area, a_count(arrivals, departures, from_s, to_s)[1], stay


def in_another_order(arrivals, departures, from_s, to_s):
    mean, rate, stay = sweeps_a_curve(arrivals, departures, from_s, to_s)
    return rate, mean, stay


def those_who_came_and_went(arrivals, departures, from_s, to_s):
    mean, rate, _ = sweeps_a_curve(arrivals, departures, from_s, to_s)
    stays = [d - a for a, d in zip(arrivals, departures) if from_s <= a and d <= to_s]
    return mean, rate, sum(stays) / max(len(stays), 1)


def sweeps_a_curve(arrivals, departures, from_s, to_s):
    curve = in_flight_curve(arrivals, departures)
    stays = [d - a for a, d in zip(arrivals, departures) if from_s <= a < to_s]
    return curve.mean(from_s, to_s), len(stays) / (to_s - from_s), float(np.mean(stays))


def adds_up_moments(arrivals, departures, from_s, to_s):
    """Between two neighbouring events the number inside does not change."""
    events = sorted({from_s, to_s, *(t for t in [*arrivals, *departures] if from_s < t < to_s)})
    area = 0.0
    for start, end in itertools.pairwise(events):
        area += (end - start) * sum(a <= start < d for a, d in zip(arrivals, departures))
    came = [i for i, a in enumerate(arrivals) if from_s <= a < to_s]
    seconds = to_s - from_s
    stay = sum(departures[i] - arrivals[i] for i in came) / len(came)
    return [area / seconds, len(came) / seconds, stay]


def in_numpy(arrivals, departures, from_s, to_s):
    a, d = np.array(arrivals), np.array(departures)
    came = (a >= from_s) & (a < to_s)
    inside = np.clip(d, from_s, to_s) - np.clip(a, from_s, to_s)
    return np.array([inside.sum(), came.sum(), 0]) / (to_s - from_s) + [0, 0, (d - a)[came].mean()]


# --- little.resident_tokens ---------------------------------------------------------------------


def full_length_from_the_start(arrival_rate, prompts, outputs, step_s):
    return arrival_rate * np.mean([n * step_s * (p + n) for p, n in zip(prompts, outputs)])


def mean_lengths(arrival_rate, prompts, outputs, step_s):
    p, n = np.mean(prompts), np.mean(outputs)
    return arrival_rate * step_s * (n * p + n * (n - 1) / 2)


def the_prompt_alone(arrival_rate, prompts, outputs, step_s):
    return arrival_rate * step_s * np.mean(np.array(prompts) * np.array(outputs))


def counts_from_one(arrival_rate, prompts, outputs, step_s):
    total = sum(p + j for p, n in zip(prompts, outputs) for j in range(1, n + 1))
    return arrival_rate * step_s * total / len(prompts)


def requests_inside(arrival_rate, prompts, outputs, step_s):
    return arrival_rate * np.mean(outputs) * step_s


def forgets_the_rate(arrival_rate, prompts, outputs, step_s):
    return step_s * np.mean([sum(range(p, p + n)) for p, n in zip(prompts, outputs)])


def never_divides(arrival_rate, prompts, outputs, step_s):
    return arrival_rate * step_s * sum(sum(range(p, p + n)) for p, n in zip(prompts, outputs))


def a_ramp(arrival_rate, prompts, outputs, step_s):
    p, n = np.array(prompts), np.array(outputs)
    return arrival_rate * np.mean(n * step_s * (p + n / 2))


def steps_for_seconds(arrival_rate, prompts, outputs, step_s):
    return with_the_mean_height(arrival_rate, prompts, outputs, 1.0)


def rate_times_holding(arrival_rate, prompts, outputs, step_s):
    return arrival_rate * np.mean([np.mean(range(p, p + n)) for p, n in zip(prompts, outputs)])


def tokens_at_the_end(arrival_rate, prompts, outputs, step_s):
    return arrival_rate * step_s * np.mean(np.array(prompts) + np.array(outputs))


def what_was_written(arrival_rate, prompts, outputs, step_s):
    return arrival_rate * step_s * np.mean([sum(range(n)) for n in outputs])


def without_the_last_step(arrival_rate, prompts, outputs, step_s):
    areas = [sum(p + j for j in range(n - 1)) for p, n in zip(prompts, outputs)]
    return arrival_rate * step_s * np.mean(areas)


def stair_by_stair(arrival_rate, prompts, outputs, step_s):
    token_seconds = [step_s * sum(p + j for j in range(n)) for p, n in zip(prompts, outputs)]
    return arrival_rate * sum(token_seconds) / len(token_seconds)


def with_the_mean_height(arrival_rate, prompts, outputs, step_s):
    p, n = np.array(prompts, float), np.array(outputs, float)
    return arrival_rate * np.mean(n * step_s * (p + (n - 1) / 2))


PROOFS = {
    "little.clipped_log": Proof(
        mistakes={
            "counts clipped requests whole": (counts_clipped_requests_whole, "clipped-whole"),
            "drops clipped requests": (drops_clipped_requests, "clipped-dropped"),
            "counts departures": (counts_departures, "rate-of-departures"),
            "divides L by the rate": (divides_l_by_the_rate, "derived-stay"),
            "multiplies rate and stay": (multiplies_rate_and_stay, "derived-mean"),
            "cuts the stays": (cuts_the_stays, "clipped-stays"),
            "forgets whoever came before": (forgets_whoever_came_before, "own-arrivals-only"),
            "counts all it sees": (counts_all_it_sees, "everybody-seen"),
            "divides by the whole log": (divides_by_the_whole_log, Status.wrong),
            "the stays of those who left": (stays_of_those_who_left, "stays-of-departures"),
            "includes the end": (includes_the_end, "end-included"),
            "an area": (an_area, "never-divided"),
            "a count": (a_count, "count-for-rate"),
            "an area and a count": (an_area_and_a_count, "neither-divided"),
            "in another order": (in_another_order, "rate-first"),
            "those who came and went": (those_who_came_and_went, "stays-of-the-finished"),
        },
        alternatives={
            "sweeps a curve": sweeps_a_curve,
            "adds up what lies between events, a list": adds_up_moments,
            "clips in numpy, an array": in_numpy,
        },
    ),
    "little.capacity": Proof(
        mistakes={
            "slots by latency": ("400 req/s", "from-latency"),
            "in flight by service": ("694/s", "in-flight-over-service"),
            "one slot": (34.7, "one-slot"),
            "busy slots": (14.4, "busy-slots"),
            "slots by wait": (1_429, "waiting-only"),
            "milliseconds": (16 / 28.8, Status.scale),
            "a time": ("28.8 ms", Status.unit),
            "the rate that it has": (500, Status.wrong),
            "rounded to two digits": ("550 req/s", Status.close),
        },
        alternatives={"rounded": "556/s", "bare": 555.6, "thousands": "0.5556k req/s"},
    ),
    "little.fleet": Proof(
        mistakes={
            "headroom twice": (21, "headroom-twice"),
            "headroom twice, rounded late": (20, "headroom-twice-unrounded"),
            "no headroom": (14, "no-headroom"),
            "rounded down": (16, "one-too-few"),
            "not rounded": (105 / 6.4, "not-whole"),
            "busy slots": (105, "slots"),
            "slots to buy": (131.25, "slots-to-buy"),
            "slots of the fleet": (136, "slots-of-the-fleet"),
        },
        alternatives={"text": "17", "a float": 17.0, "numpy": np.int64(17)},
    ),
    "little.resident_tokens": Proof(
        mistakes={
            "full length from the start": (full_length_from_the_start, "final-length"),
            "mean lengths": (mean_lengths, "averages-first"),
            "the prompt alone": (the_prompt_alone, "prompt-only"),
            "counts from one": (counts_from_one, "one-token-ahead"),
            "requests inside": (requests_inside, "requests"),
            "forgets the rate": (forgets_the_rate, "one-request"),
            "never divides": (never_divides, "not-averaged"),
            "a ramp": (a_ramp, "half-a-token-ahead"),
            "steps for seconds": (steps_for_seconds, "steps-for-seconds"),
            "rate times holding": (rate_times_holding, "rate-times-holding"),
            "tokens at the end": (tokens_at_the_end, Status.wrong),
            "what was written": (what_was_written, "answers-only"),
            "without the last step": (without_the_last_step, "last-step-missing"),
        },
        alternatives={
            "stair by stair": stair_by_stair,
            "the mean height of the staircase, in numpy": with_the_mean_height,
        },
        equivalent={
            "areas = [step_s * (m * p + m * (m - 1) / 2) for p, m in zip(prompts, outputs)] => "
            "areas = [step_s * (m * p + m * (m - 1) // 2) for p, m in zip(prompts, outputs)]": (
                "m (m - 1) is even for every whole m"
            ),
        },
    ),
    "little.witness": Proof(
        mistakes={
            "the circular one": ("a", "a"),
            "the identity": ("b, c", "b"),
            "one of two": ("c", "without-d"),
            "all": ("a b c d", "a"),
            "words": ("the last two", Status.unreadable),
        },
        alternatives={"a list": ["d", "c"], "capitals": "C+D"},
    ),
    "little.audit": Proof(
        mistakes={
            "believes the text": (30, "believes-the-text"),
            "the whole fleet": (480, "fleet-as-one"),
            "fifteen replicas": (32, "fifteen-replicas"),
            "milliseconds": (26_667, Status.scale),
        },
        alternatives={"rounded": 26.7, "text": "26.67", "whole": 27},
    ),
    "little.backwards": Proof(
        mistakes={
            "multiplied": (1.44, "multiplied"),
            "one place": ("16.7/s", "one-place"),
            "milliseconds": (0.4, Status.scale),
            "a time": ("60 ms", Status.unit),
        },
        alternatives={"bare": 400, "thousands": "0.4k/s"},
    ),
}
