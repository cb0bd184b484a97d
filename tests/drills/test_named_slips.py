"""Slips that people make on paper, computed from the words of the story: each is named as it is."""

import math
import re

import pytest

from labutils.drills.catalog import find
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.telling import telling
from labutils.drills.judging.judging import judge
from tests.drills.test_capacity_by_hand import Words

SEEDS = range(3, 1003, 50)


def link(name: str, seed: int, number: int):
    drill = find(name).drill(seed)
    for _ in range(number):
        drill = drill.follow_up
    return drill


@pytest.mark.parametrize(
    ("name", "seed", "number", "typed", "diagnosis"),
    [
        ("gpus_at_peak", 835, 0, "9", "rounded-down"),
        ("gpus_at_peak", 24734, 1, "19", "uneven-zones"),
        ("spare_while_starting", 308, 0, "9", "rounded-down"),
        ("missing_answer_length", 464, 1, "19", "rounded-down"),
        ("resident_sequences", 658, 0, "25", "overhead-forgotten"),
        ("leaf_budget", 972, 2, "21", "rounded-up"),
        ("chain_outage", 745, 3, "{L} 751", "rounded-up"),
        ("users_on_a_card", 505, 0, "{L} 31", "narrow-weights"),
    ],
)
def test_a_whole_number_past_the_limit_is_no_right_answer(name, seed, number, typed, diagnosis):
    drill = link(name, seed, number)
    letter = drill.options.right if drill.options else ""
    verdict = judge(drill, typed.format(L=letter))
    assert verdict.diagnosis == diagnosis and not verdict.passed


def test_heads_that_split_evenly_are_another_convention():
    for seed in SEEDS:
        drill = find("advice_that_contradicts_itself").drill(seed)
        answer = int(drill.answer)
        kv, heads = 8, 128 if "405B" in drill.story else 64
        even = next(n for n in range(answer, 99) if heads % n == 0 and (kv % n == 0 or n % kv == 0))
        verdict = judge(drill, f"{drill.options.right} {even}")
        assert verdict.passed and judge(drill, f"{drill.options.right} {answer}").passed
        assert [value for value, _ in drill.accepts] == [even] * (even > answer)


def test_the_panel_of_arrivals_agrees_with_the_p99():
    found = 0
    for seed in range(40):
        drill = find("incident").drill(seed)
        if "An hour ago it was" not in drill.follow_up.story:
            continue
        at, then = Words(drill.story), Words(drill.follow_up.story)
        busy = then("was § % busy") / 100 * at("arrivals +§ req/s") / at("req/s, before § req/s;")
        assert drill.follow_up.number.check(busy).passed
        found += 1
    assert found > 3


def late_again(at):
    rows = re.findall(r"([\d.]+) %(?: of requests take)? longer than ([\d.]+ m?s)", at.text)
    shares = {time: float(share) for share, time in rows}
    trigger = re.search(r"nothing after ([\d.]+ m?s)", at.text)[1]
    limit = re.search(r"answer ([\d.]+ m?s) after", at.text)[1]
    return shares[limit] * shares[trigger] / 100


def mean_wait(at) -> tuple[float, float]:
    service = Words(re.search(r": ([\d.,]+ m?s) of work", at.text)[0])(": §", "s")
    return service, 1 / (1 / service - at("§ req/s arrive"))


def wait_alone(at) -> float:
    service, mean = mean_wait(at)
    return mean * math.log(100 * service * at("§ req/s arrive"))


def each_by_itself(at) -> float:
    drafts = at("writes § tokens")
    return (1 + drafts * at("probability §")) / (1 + drafts * at("model takes §"))


def masks_for_all(at) -> float:
    return at("logits in §", "s") + at("decodes § streams") * at("allows: §", "s") / at("are § thr")


def idle_forgotten(at) -> int:
    minutes = at("start takes § minutes") + at("lasts § minutes")
    return math.floor(24 * 60 * at(r"costs \$§/h") / (at(r"hired at \$§/h") * minutes))


def hits_added(at) -> float:
    left = 1 - at("answers § %") / 100 - at("it answers § %") / 100
    return at("up at § req/s") * abs(left)


def uploads(at) -> float:
    sizes = re.findall(r"([\d.]+) % are [\w -]+ and take ([\d.,]+ m?s)", at.text)
    squares = sum(float(share) / 100 * Words(size)("§", "s") ** 2 for share, size in sizes)
    return at("Together § req/s") * squares / 2


def passes(at) -> tuple[float, float]:
    service = at("pass takes §", "s")
    return service, service * at("send § req/s")


def stages(at) -> list[int]:
    return [int(ms) for ms in re.findall(r"(\d+) ms", at.text.split("GPUs:")[1].split(". All")[0])]


def step_of_keys(at) -> float:
    kv = at("§ layers") * at("§ KV heads") * at("head size §") * 2
    read = 2e9 * at(r"\(§ billion") + at("§ sequence") * at("with § tokens") * kv
    return read / (at(r"\(§ TB/s") * 1e12 * at("reach § %") / 100)


def endless(at) -> float:
    return 1 / (1 - at("probability §")) / (1 + at("writes § tokens") * at("model takes §"))


def narrow_weights(at) -> int:
    usable = at("with §, of", "B") * at("may use § %") / 100
    return int((usable - at("§ of weights", "B") / 2) // at("cache takes §", "B"))


def one_rank_high(at) -> float:
    log = sorted(map(int, at.text.split("came:\n")[1].split("\n")[0].split(", ")))
    return log[math.ceil(0.95 * len(log) - 1e-9)]


def halved_cache(at) -> float:
    read = at("§ of weights", "B") + at("§ of cache", "B") / 2
    return at("§ users") * at(r"\(§\)", "B/s") / read


def swapped(at) -> float:
    main = at("answers § %") / 100
    return main * at("and § % of B") + (1 - main) * at("counts: § %")


def hidden_width(at) -> float:
    width = 1 if re.search("int8|fp8", at.text) else 2
    return 2 * at("hidden_layers §") * at("hidden_size §") * width


def saved_share(at) -> float:
    return 1 + at("; § of that", "s") / at("takes § from", "s") * (1 - 1 / at("stage § times"))


def one_sided(at) -> float:
    q = float(re.search(r"report's p([\d.]+)", at.text)[1]) / 100
    return 1.645 * math.sqrt(at("measured § req") * q * (1 - q))


def full_bandwidth(at) -> float:
    token = 4 * at("§ layers") * at("§ KV heads") * at("head size §")
    one, weights = token * at("included, § tokens"), 2e9 * at(r"\(§ billion")
    read = at("may take §", "s") * at("activations; §", "B/s")
    held = 0.9e9 * at(r"§ GB \(10") - 1e9 * at("and § GB go") - weights
    return min((read - weights) // one, held // one)


def both_shares(at) -> tuple[float, float]:
    """The batch with one share forgotten: that of the bandwidth, that of the arithmetic."""
    width = 0.5 if "4 bits" in at.text else 1 if re.search("int8|fp8", at.text) else 2
    figure, prefix = re.search(r": ([\d.]+) ([TP])FLOP/s dense", at.text).groups()
    peak = float(figure) * {"T": 1e12, "P": 1e15}[prefix]
    bare = peak * width / (2 * at(r"\(§ TB/s") * 1e12)
    return bare * at("reach § %") / 100, bare / (at("and § % of the bandwidth") / 100)


def content(at) -> int:
    rows = re.findall(r"([\d.]+)/(\d+|×)", at.text.split("broke off")[1])
    first, gap = at("first token within § s"), at("at most § ms")
    return sum(end != "×" and float(ttft) <= first and float(end) <= gap for ttft, end in rows)


SLIPS = {
    ("second_copy", "trigger-for-the-rest"): late_again,
    ("batch_under_tpot", "data-sheet"): full_bandwidth,
    ("one_server_p99", "p95"): lambda at: mean_wait(at)[1] * math.log(20),
    ("one_server_p99", "p99-of-the-work-and-mean-wait"): lambda at: (
        mean_wait(at)[0] * (math.log(100) - 1) + mean_wait(at)[1]
    ),
    ("few_long_requests", "rest-of-one-upload"): uploads,
    ("equal_services", "in-passes"): lambda at: passes(at)[1] / 2 / (1 - passes(at)[1]),
    ("equal_services", "load-forgotten-above"): lambda at: passes(at)[0] / 2 / (1 - passes(at)[1]),
    ("static_slots", "logarithm-alone"): lambda at: 1 / math.log(at("takes § prompts")),
    ("kv_per_token", "hidden-size"): hidden_width,
    ("averaged_percentiles", "weights-swapped"): swapped,
    ("levers_pull_opposite_ways", "cache-halved"): halved_cache,
    ("experts_left_asleep", "no-overlap"): lambda at: at("§ users") * at("picks §"),
    ("clocked_stages", "last-stage-unclocked"): lambda at: (
        (max(stages(at)) * (len(stages(at)) - 1) + stages(at)[-1]) / 1e3
    ),
    ("p95_of_a_list", "one-rank-high"): one_rank_high,
    ("decode_floor", "keys-alone"): step_of_keys,
    ("speculation", "drafts-without-end"): endless,
    ("users_on_a_card", "narrow-weights"): narrow_weights,
    ("faster_part", "saved-share-added"): saved_share,
    ("percentile_ends", "one-sided"): one_sided,
    ("compute_batch", "arithmetic-share-alone"): lambda at: both_shares(at)[0],
    ("compute_batch", "bandwidth-share-alone"): lambda at: both_shares(at)[1],
    ("chunks_for_the_first_token", "one-chunk-short"): lambda at: (
        (math.ceil(at("prompt of § tokens") / at("chunks of §")) - 1)
        * (at("takes §", "s") + at("chunks of §") * at("prefill takes §", "s"))
    ),
    ("goodput_table", "a-row-too-many"): lambda at: (content(at) + 1) / at("test of § s"),
    ("goodput_table", "a-row-too-few"): lambda at: (content(at) - 1) / at("test of § s"),
}


UNCONFUSED = {
    ("one_server_p99", "wait-alone"): wait_alone,
    ("speculation", "each-by-itself"): each_by_itself,
    ("grammar_mask", "all-streams"): masks_for_all,
    ("warm_or_zero", "no-idle"): idle_forgotten,
    ("chain_lost_gpu", "one-of-eight"): lambda at: at("is § % busy") / 100 * 8 / 7,
    ("two_tiers", "rates-added"): hits_added,
}
NEAR = {  # what stands in for the name where the numbers cannot tell the two apart
    ("one_server_p99", "wait-alone"): None,  # nearly the whole latency, under heavy load
    ("chain_lost_gpu", "one-of-eight"): "a-share-more",  # of seven groups: its message has both
}


@pytest.mark.parametrize(("name", "slip"), UNCONFUSED)
def test_the_slip_never_hears_the_cause_of_another(name, slip):
    heard = []
    for seed in range(1, 201):
        drill = find(name).drill(seed)
        typed = f"{UNCONFUSED[name, slip](Words(f'{drill.story} {drill.question}')):.4g}"
        heard.append(drill.number.check(typed).diagnosis)
    assert set(heard) <= {slip, NEAR.get((name, slip), slip)} and heard.count(slip) > 100


@pytest.mark.parametrize(("name", "slip"), SLIPS)
def test_the_slip_is_named_as_it_was_made(name, slip):
    met = 0
    for seed in SEEDS:
        drill = find(name).drill(seed)
        if slip in {mistake.name for mistake in drill.mistakes}:
            panels = drill.options.texts.values() if drill.options else ()
            typed = SLIPS[name, slip](Words("\n".join((drill.story, drill.question, *panels))))
            verdict = drill.number.check(typed)
            assert verdict.diagnosis == slip, (seed, typed, drill.story, verdict)
            met += 1
    assert met >= 3


def test_a_pool_is_no_server_of_its_own():
    for seed in SEEDS:
        drill = find("busy_share").drill(seed)
        service = Words(drill.story)("work itself takes §", "s")
        assert drill.follow_up.number.check(1 / service).diagnosis == "one-alone"


def test_a_line_put_right_and_its_step_left_as_it_was_written():
    met = 0
    for seed in SEEDS:
        drill = find("worked_answer").drill(seed)
        if "step-as-written" not in {mistake.name for mistake in drill.mistakes}:
            continue
        at = Words(drill.story)
        room = 0.9 * at(r"\(§, of", "B") - 2e9 * at("has § billion")
        token = 4 * at("§ layers") * at("and § key-value") * at("heads of §")
        held, share = room // (at("holds § tokens") * token), at("feed-forward is §")
        rate = held / at("µs = §; rate", "s")
        typed = rate / (1 - share + share / at("part § times"))
        assert drill.number.check(typed).diagnosis == "step-as-written"
        met += 1
    assert met > 3


def count(unsafe: str, *values: float) -> Drill:
    """A count of 10 with one on the safe side allowed, and mistakes of those values."""
    return Drill(
        story="",
        question="How many?",
        hints=("a", "b", "c"),
        steps=(Step("10"),),
        moral="x",
        answer=10,
        tolerance=0,
        absolute=1,
        unsafe=unsafe,
        mistakes=tuple(Mistake(name, value, "Count again.") for name, value in zip("ab", values)),
    )


def test_a_mistake_may_stand_beside_the_answer_on_its_unsafe_side_alone():
    assert count("below", 9, 8).is_sound() and count("above", 11, 12).is_sound()
    assert not count("", 9).is_sound() and not count("above", 9).is_sound()
    assert not count("below", 9.5).is_sound() and not count("below", 10).is_sound()
    near = telling(10, count("", 9, 11).mistakes, absolute=1, unsafe="above")
    assert [mistake.value for mistake in near] == [11]


def test_each_way_to_what_is_left_on_a_card_has_its_own_name():
    for seed in SEEDS:
        drill = find("weight_memory").drill(seed)
        left = drill.follow_up
        at, weights = Words(left.story), drill.answer
        count = re.search(r"on (\d+) ×", left.story)
        memory = int(count[1] if count else 1) * 1e9 * at("of § GB")
        share = at("take § %") / 100
        ways = {
            "all-of-it": memory - weights,
            "share-of-the-rest": share * (memory - weights),
            "weights-forgotten": share * memory,
            "gib-card": share * memory * 1.024**3 - weights,
            "gib-weights": share * memory - weights / 1.024**3,
        }
        for name, value in ways.items():
            assert left.number.check(value).diagnosis == name, (seed, name, left.story)


def effects_of_an_incident():
    return [find("incident").drill(seed).follow_up for seed in range(60)]


def test_a_pause_lies_within_the_time_from_one_to_the_next():
    pauses = [drill for drill in effects_of_an_incident() if "stops for" in drill.story]
    assert len(pauses) > 5
    for drill in pauses:
        at = Words(drill.story)
        pause, every = at("stops for §", "s"), at("every §", "s")
        assert drill.number.check(pause / (every + pause)).diagnosis == "the-pause-beside"
        assert drill.number.check(pause / (every - pause)).diagnosis == "against-the-rest"


def test_a_tenth_of_what_is_left_over_is_no_tenth_of_the_load():
    loads = [drill for drill in effects_of_an_incident() if "An hour ago it was" in drill.story]
    assert len(loads) > 5
    for drill in loads:
        before = Words(drill.story)("was § % busy") / 100
        assert drill.number.check(1 - before / 10).diagnosis == "a-tenth-of-the-load"


def test_one_slow_host_is_one_of_all():
    fleets = [drill for drill in effects_of_an_incident() if "hosts share" in drill.story]
    assert len(fleets) > 5
    for drill in fleets:
        others = Words(drill.story)("§ hosts share") - 1
        assert drill.number.check(1 / others).diagnosis == "against-the-others"
