"""The drills on claims, defences and incidents, solved from the words that they print.

Here too stands the test that no drill with a number goes without such a solution.
"""

import functools
import math
import re
from pathlib import Path

import pytest

from labutils.drills.catalog import find, templates

from .test_caches_by_hand import SOLVED as CACHES
from .test_capacity_by_hand import SEEDS, SOLVED, up, words
from .test_load_tests_by_hand import SOLVED as LOAD_TESTED
from .test_promises_by_hand import PROMISED
from .test_queues_and_tails_by_hand import SOLVERS, all_taken
from .test_replicas_by_hand import SOLVED as REPLICATED
from .test_servers_by_hand import SERVERS
from .test_serving_stories import SOLVED as SERVING


def listed(text: str, pattern: str) -> list[float]:
    return [float(shown) for shown in re.findall(pattern, text)]


def clocked_stages(at):
    stages = listed(at.text.split("GPUs:")[1].split("All")[0], r"([\d.]+) ms")
    return len(stages) * max(stages) / 1e3


def first_above_the_threshold(at):
    return max(listed(at.text.split("entries are ")[1].split("\n")[0], r"0\.\d+"))


def headroom_twice(at):
    busy = at("peak § req/s") * at("slot for §", "s")
    return up(busy / (at("has § slots") * at("most § %") / 100))


def import_nobody_needs(at):
    code = [line[8:] for line in at.text.split("\n") if re.match(r" {4}[ \d]\d  ", line)]
    body = " ".join(line for line in code if "import" not in line)
    imports = {"json": "json", "numpy": "np", "pandas": "pd", "requests": "requests",
               "scipy.stats": "stats"}  # fmt: skip
    (unused,) = (module for module, name in imports.items() if f"{name}." not in body)
    return at("cold § times an hour") * at(f"{unused} § ms") / 1e3


def parent_and_child_added(at):
    stages = ("tokenise", "retrieve", "the prompt", "prefill", "decode")
    return sum(at(f"{stage} § ms") for stage in stages) / 1e3


def requests_of_a_large_service(at):
    requests = 1e9 * at("had § billion") if "billion" in at.text else 1e6 * at("had § million")
    return requests / 86_400 * at("carried § times")


def too_few_results(at):
    return at(", § [a-z]+ repeat")


def whole_for_coherence(at):
    return (at("apart, § in") - 1) * at("others § ms") / 1e3


def added_percentiles(at):
    return 100 * (1 - (1 - 1 / at("once in § calls")) ** at("passes § stages"))


def advice_that_contradicts_itself(at):
    return up(at(r"\(§ GB of weights") / (at(r"\(§ GB each") * at("take § %") / 100))


def averaged_percentiles(at):
    first = at("answers § %") / 100
    return first * at("counts: § %") + (1 - first) * at("and § % of B")


def cancelled_in_the_middle(at):
    return at("batch of §") - at("number §")


def chunks_for_the_first_token(at):
    prompt = at("prompt of § tokens")
    steps = math.ceil(prompt / at("chunks of §"))
    return steps * at("takes § ms") / 1e3 + prompt * at("takes § µs") / 1e6


def defend_bounded_queue(at, peak):
    come, done = at("brings § req/s"), at("finishes § req/s")
    return done * at("after §", "s"), 100 * (come - done) / come


def defend_spare_replica(at, objection):
    come, one = at("brings § req/s"), at("finishes § req/s")
    fewest = up(come / (one * at("than § %") / 100))
    assert objection("; run §") == fewest
    return fewest + 1, 100 * come / (one * (fewest - 1))


def exporter_order(at):
    return (at(r"`embed` \(§ ms") + at(r"`search` \(§ ms")) / 1e3


def faster_on_a_hit(at):
    hit = at("§ % of the requests") / 100
    return 1 / (1 - hit + hit / at("hit is § times"))


def launch_day(at):
    capacity = at("finishes § req/s")
    return (at("day. § req/s") - capacity) * at("for § minutes") * 60 / capacity


def least_recent_in_name(at):
    room, recent, hits = at("`room` is §"), [], 0
    for key in re.search(r"cache: ([A-Z ]+)\.", at.text)[1].split():
        if key in recent:
            hits += 1
            recent.remove(key)
        recent = [*recent, key][-int(room) :]
    return hits


def model_on_the_loop(at):
    return (2 * at("batches of § ms") - at("machine § ms")) / 1e3


def one_span_for_the_stream(at):
    return (at("lasts §", "s") - at("sent: §", "s")) / (at("yields § tokens") - 1)


def slots_over_latency(at):
    return at("pool of § slots") / at("slot for §", "s")


def ten_times_better(at):
    shards = at("asks § shards")
    before, after = (1 - (1 - at(f"{said} § %") / 100) ** shards for said in ("in", "down to"))
    return before / after


def times_faster_than_what(at):
    return at("and § with continuous") / at("time, § with the static")


def two_levels_of_expiry(at):
    return at("LOCAL_TTL = § s") + at("REDIS_TTL = § s")


def window_of_the_pass(at):
    return max(at("than § ms"), at("arrives § ms")) / 1e3


def cache_copied_each_step(at):
    prompt, answer = at("prompt of § tokens"), int(at("answer of § tokens"))
    return at("keeps §", "B") * sum(prompt + new for new in range(1, answer + 1))


def captions_from_windows(at):
    return at("every §", "s") / at("takes §", "s") // 1


def defend_hedging_budget(at, objection):
    load = at("load of §")
    late = 1 - objection("past yesterday's p§") / 100
    return load * (1 + late), load * (1 + objection("most § %") / 100)


def defend_one_pool(at, objection):
    cards, each, service = at("have § GPUs"), at("gets § req/s"), at("takes §", "s")

    def wait(servers, rate):
        load = rate * service
        return all_taken(load, servers) * service / (servers - load)

    assert wait(int(cards), each) == pytest.approx(at("waits §", "s"), rel=0.01)
    both = 2 * int(cards)
    return wait(both, 2 * each), wait(both, each + objection("at § req/s"))


def defend_prefix_routing(at, objection):
    share = at("which § are the conversation") / at("has § tokens")
    return share * at("in § % of the cases") / 100, share / objection("production § replicas")


def drafts_are_free(at):
    drafts, accepted = int(at("drafts § tokens")), at("probability §")
    tokens = sum(accepted**k for k in range(drafts + 1))
    return tokens / (1 + drafts * at("takes § of a step"))


def experts_left_asleep(at):
    experts = at("has § experts")
    missed = 1 - at("picks § for") / experts
    return experts * (1 - missed ** at("holds § tokens"))


def four_bits_everywhere(at):
    return at("after §", "s") + (at("each § tokens") - 1) * at("gap of § ms") / 1e3


def levers_pull_opposite_ways(at):
    read = at(r"each: §", "B") / 2 + at("and § of cache", "B")
    return at("§ users") * at(r"\(§", "B/s") / read


def splitting_slows_down(at):
    read = at("bits, §", "B") + at(r"\(§ of cache", "B")
    exchanges = 2 * at("the § layers") * at("takes § µs") / 1e6
    return read / (at("be § cards") * at("cards: §", "B/s")) + exchanges


def stages_under_load(at):
    rate, line = at("§ req/s"), at.text.split("queue:")[1].split("on average")[0]
    return sum(1 / (1e3 / stage - rate) for stage in listed(line, r"([\d.]+) ms"))


def incident(at, effect):
    if "stops for" in effect.text:
        return None, effect("stops for §", "s") / effect("every §", "s")
    if "hosts share" in effect.text:
        return None, 1 / effect("§ hosts")
    if "times the work" in effect.text:
        more = effect("§ % of the requests") / 100 * (effect("bring § times") - 1)
        return None, effect("were § %") / 100 * (1 + more)
    before, after = effect("its p99 was §", "s"), effect("p99 is §", "s")
    return None, 1 - (1 - effect("was § % busy") / 100) * before / after


CLAIMS = (
    *(clocked_stages, first_above_the_threshold, headroom_twice, import_nobody_needs),
    *(parent_and_child_added, requests_of_a_large_service, too_few_results, whole_for_coherence),
    *(added_percentiles, advice_that_contradicts_itself, averaged_percentiles),
    *(cancelled_in_the_middle, chunks_for_the_first_token, defend_bounded_queue),
    *(defend_spare_replica, exporter_order, faster_on_a_hit, launch_day, least_recent_in_name),
    *(model_on_the_loop, one_span_for_the_stream, slots_over_latency, ten_times_better),
    *(times_faster_than_what, two_levels_of_expiry, window_of_the_pass, cache_copied_each_step),
    *(captions_from_windows, defend_hedging_budget, defend_one_pool, defend_prefix_routing),
    *(drafts_are_free, experts_left_asleep, four_bits_everywhere, levers_pull_opposite_ways),
    *(splitting_slows_down, stages_under_load, incident),
)


@pytest.mark.parametrize("solve", CLAIMS, ids=lambda solve: solve.__name__)
def test_the_number_follows_from_the_printed_words(solve):
    for seed in SEEDS:
        drill = find(solve.__name__).drill(seed)
        found = solve(*words(drill))
        for answer in found if isinstance(found, tuple) else (found,):
            if answer is not None:
                assert drill.number.check(answer).passed, (seed, answer, drill.answer, drill.story)
                slack = max(0.004 * abs(drill.answer), drill.absolute)
                assert abs(answer - drill.answer) <= slack, (seed, answer, drill.answer)
            drill = drill.follow_up
        assert drill is None


def has_a_number(template) -> bool:
    drill = template.drill(0)
    while drill is not None and drill.answer is None:
        drill = drill.follow_up
    return drill is not None


NUMBERS = [item.id for item in templates() if has_a_number(item)]


@functools.cache
def solved() -> set[str]:
    """The ids of the drills that somebody has solved from their words."""
    lists = (CLAIMS, SERVING, CACHES, PROMISED, SERVERS, LOAD_TESTED, REPLICATED)
    found = {solve.__name__ for solvers in lists for solve in solvers} | {*SOLVED, *SOLVERS}
    for file in Path(__file__).parent.glob("*_by_hand.py"):  # boards have a test each
        found |= set(re.findall(r'find\("(\w+)"\)', file.read_text(encoding="utf-8")))
    return found


@pytest.mark.parametrize("id", NUMBERS)
def test_every_drill_with_a_number_is_solved_a_second_time(id):
    assert id in solved(), "solve it from its printed words in tests/drills/by_hand"
