"""The drills on many replicas, solved from the words that they print.

What can be played is played: a burst second by second, sessions one by one, tries of tries.
"""

import math
import re

import pytest

from tests.rotation import in_turn

from .checked_by_hand import agrees, names_its_slips

SEEDS = range(200 if in_turn(__file__) else 40)


def herd(at, oldest):
    rate, starts = at("get § req/s"), at("starts § req/s")
    age, waiting = at("moments, §", "s"), at("reported §,")
    left = waiting + rate * age - starts * age
    assert left > waiting + 5  # more than any other reported before
    may_wait = oldest("is to wait §", "s") * starts
    return [
        (left, "All to another replica"),
        ((may_wait - waiting) / (rate - starts), "adds to each report"),
    ], (
        {"nothing-starts": waiting + rate * age, "came-alone": left - waiting},
        {"nothing-starts": (may_wait - waiting) / rate},
    )


def doubled_replicas(at, home):
    replicas, prompt, before = at("runs on § rep"), at("prompt has § tok"), at("of which § are")

    def carried(count, hit):  # turns in the time in which a replica computes a whole prompt
        return count * prompt / (hit * (prompt - before) + (1 - hit) * prompt)

    today, twice = carried(replicas, 1 / replicas), carried(2 * replicas, 0.5 / replicas)
    assert twice / 2 < today  # a turn takes longer
    return [
        (twice / today, "It grows"),
        (carried(replicas, home(r"\. § % of the turns") / 100) / today, ""),
    ], ({"one-replica": twice / today / 2}, {"hits-alone": home("§ % of the") / 100 * replicas})


def bounded_load(at, least):
    rows = re.findall(r"(\w): (\d+) in flight, (\d+) pages", at.text)
    busy = {name: int(flight) for name, flight, _ in rows}
    pages = {name: int(found) for name, _, found in rows}
    total, limit = sum(busy.values()) + 1, 1
    while limit < at("the bound, §,") * total / len(busy):
        limit += 1
    taken = max((name for name in busy if busy[name] < limit), key=lambda x: (pages[x], -busy[x]))
    own, all_of_them = least("has § in flight"), least("in all, § are")
    assert (own, all_of_them) == (busy[max(pages, key=pages.get)], total)
    return [(limit, taken), (own / (total / len(busy)), "the fullest replica becomes fuller")], (
        {"rounded-down": limit - 1, "the-mean": math.ceil(total / len(busy))},
        {"share-of-all": own / total},
    )


def weighted_scores(at, linear):
    row = r"(\w): (\d+) % found, (\d+) waiting, pool (\d+) %"
    rows = {name: [int(x) for x in more] for name, *more in re.findall(row, at.text)}
    longest, shortest = (end(waits for _, waits, _ in rows.values()) for end in (max, min))
    sums = {
        name: 2 * found / 100 + (longest - waits) / (longest - shortest) + (100 - used) / 100
        for name, (found, waits, used) in rows.items()
    }
    taken = max(sums, key=sums.get)
    shown = re.findall(r"(\d+) %(?: of the prompt's blocks are found)? and (\d+) %", linear.text)
    p, q = (2 * int(found) / 100 + 1 - int(used) / 100 for found, used in shown)
    cap = linear("from § on")
    assert linear("At Q § wait") + cap * (p - q) < cap and p - q < 1
    return [(sums[taken], taken), (cap * (p - q), "One more at P")], (
        {"second-best": sorted(sums.values())[-2]},
        {"waiting-at-p": cap * (p - q) + linear("At Q § wait")},
    )


def defend_headroom(at, objection, ready):
    done, each = at("each, § req/s in all"), at("complete § req/s each")
    calm, peak = at("all; § req/s arrive"), at("opens, § req/s")
    lasts, first = int(at("for § s, then")), int(at("replicas § s after") + at("serve § s later"))
    more, queue, second, at_first = objection("brought §,"), 0.0, 0, None
    while second < first or queue > 0:
        if second == first:
            at_first = queue
        pace = done + (more * each if second >= first else 0)
        change = (peak if second < lasts else calm) - pace
        if second >= first and queue + change <= 0:
            break
        queue, second = queue + change, second + 1
    gone = second + queue / (done + more * each - calm)
    assert lasts * peak / done < first  # in order of arrival, the burst is served by then
    spares = next(n for n in range(1, 99) if done + n * each >= ready("req/s by each.*; § req/s"))
    return [
        (at_first, "stand ready before"),
        (gone, "who waited then had come after it"),
        (spares, ""),
    ], (
        {"end-of-the-burst": lasts * (peak - done)},
        {"from-their-first-second": gone - first},
        {"rounded-down": spares - 1},
    )


def layered_retries(at, budget):
    often = {"once": 2, "twice": 3, "3 times": 4}
    layers = [
        often[re.search(rf"the {name} up to (once|twice|3 times)", at.text)[1]]
        for name in ("library", "gateway", "router")
    ]

    def attempts(behind):
        return sum(attempts(behind[1:]) for _ in range(behind[0])) if behind else 1

    rate, fails = at("send § req/s"), budget("day § % of the attempts") / 100
    again = min(100 * fails, budget("at most § % of"))
    return [
        (rate * attempts(layers), "The router"),
        (100 * fails - again * (1 - fails), "The attempts for each"),
    ], ({"router-alone": rate * layers[-1]}, {"no-budget": 100 * fails**2})


def busy_at_any_load(at, again):
    replicas, activity = at("^§ replicas"), at("activity of § %\\. A rule")
    target = at("target of § %\\?")

    def ordered(now):
        return next(n for n in range(1, 999) if n * target >= now * activity)

    now, decisions, most = replicas, 0, again("At most § rep")
    while now < most:
        now, decisions = ordered(now), decisions + 1
    assert again("the § requests") == replicas * at("morning § in") >= most
    answers = [(ordered(replicas), "GPU activity is high"), (decisions, "Requests in flight")]
    return answers, (
        {"rounded-down": ordered(replicas) - 1, "as-now": replicas},
        {"one-before": decisions - 1},
    )


def young_canary(at, looks):
    turns, pause, minutes = at("of § turns"), at("come § minutes"), at("After § minutes")
    first, more = at("token is § at", "s"), at("turn and §", "s")
    slower = 1 + at("takes § % longer") / 100
    seen = []
    for session in range(600):
        now, turn = (session + 0.5) / 600 * minutes, 0
        while now < minutes and turn < turns:
            seen.append(first + more * turn)
            now, turn = now + pause, turn + 1
    mean, none = sum(seen) / len(seen), 1.0
    for _ in range(int(looks("for § hours") * 60 / looks("Every § minutes"))):
        none *= 1 - looks("in § % of such") / 100
    assert slower * mean < at("mean is §", "s")
    return [(slower * mean, "began in the same minutes"), (100 - 100 * none, "")], (
        {"not-slower": mean, "old-mean": first + more * (turns - 1) / 2},
        {"one-look": looks("in § % of such"), "none": 100 * none},
    )


SOLVED = (
    *(herd, doubled_replicas, bounded_load, weighted_scores),
    *(defend_headroom, layered_retries, busy_at_any_load, young_canary),
)


@pytest.mark.parametrize("solve", SOLVED, ids=lambda solve: solve.__name__)
def test_answers_letters_and_slips_follow_from_the_printed_words(solve):
    agrees(solve, SEEDS)


@pytest.mark.parametrize("solve", SOLVED, ids=lambda solve: solve.__name__)
def test_the_slips_that_are_computed_here_are_named_somewhere(solve):
    names_its_slips(solve)
