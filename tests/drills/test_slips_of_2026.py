"""Slips in the drills on engines and fleets, computed from the words of the stories.

Each is what a candidate writes who makes just that slip: it never passes, and where the drill names
it, the name is its own.
"""

import math

import pytest

from labutils.drills.catalog import find
from labutils.drills.judging.judging import judge
from tests.drills.test_capacity_by_hand import Words, words

SEEDS = range(5, 2000, 67)


def layout_without_caches(at: Words, *_) -> float:
    """Reading the weights alone, in the layout whose cards the next question names."""
    copies = int(_[0]("layout with § cards"))
    near = "two hosts" not in at.text or copies == 4
    where = "among any number" if "among any number" in at.text else "within a host"
    times = (
        (at("An exchange takes § µs"), at("message at § GB/s, among"))
        if where == "among any number"
        else (at("within a host takes § µs"), at("message at § GB/s; one"))
        if near
        else (at("all 8 cards takes § µs"), at("plus the message at § GB/s. A"))
    )
    rate = at("and § TB/s") * 1e12 * at("reach § %") / 100
    message = at("§ streams at once") * copies / 8 * at("hidden size §") * 2
    exchange = times[0] * 1e-6 + message / (times[1] * 1e9)
    return 2e9 * at("§ billion") / (copies * rate) + 2 * at("§ layers") * exchange


def half_of_the_tokens(at, halves):
    free = halves("compute for §", "s") / halves("the § layers") - 4 * halves("layers, of §", "s")
    return free / halves("a layer take §", "s") / 2


def on_top_of_even(at, *_):
    hot = at("expert gets § %") / 100
    return at("and § for everything", "s") + at("takes § for the", "s") * (
        1 + at("each of § cards") * hot
    )


def gpu_alone(at, *_):
    return at("logits in §", "s")


def when_its_token_comes(at, *_):
    done, promise = at("finishes § req/s"), at("Promised are §", "s")
    wait = promise - at("after § more", "s")
    return wait * done / (at("nine § req/s") - done) + promise


def output_forgotten(at, *_):
    own = at("prompt of § tok") + at("and § tokens written")
    victims = math.ceil(at("priority: a prompt of § tok") / own)
    return victims * own / at("runs at § tok/s")


def noise_of_the_new(at, *_):
    old, new = at("^§ %") / 100, at("fails § %") / 100
    seen = at("gets § %") / 100 * at("of the § req/s")
    return 9 * new * (1 - new) / (new - old) ** 2 / seen


def in_quadrature(at, *_):
    limit, slower = at("is § ms, and"), at("take § %") / 100
    new = 0.01 * 2 ** (limit * slower / (1 + slower) / at("every § ms"))
    return (9 * 0.01 * 0.99 + 4 * new * (1 - new)) / (new - 0.01) ** 2


def one_gpu_warms(at, warming):
    return warming("its § most") / at("complete § req/s")


def over_writing(at, afternoon, *_):
    extra = at("takes § of a GPU", "s") / at("and § to write", "s")
    return afternoon("are § % busy") / 100 * (1 + afternoon("§ % of the") / 100 * extra)


def room_in_points(at, afternoon, cap):
    return cap("be § % busy") - afternoon("are § % busy")


def to_the_brim(at, afternoon, cap):
    reading = at("takes § of a GPU", "s")
    whole = reading + at("and § to write", "s")
    return 100 * (100 / afternoon("are § % busy") - 1) * whole / reading


def hired(at, spot, factor: float) -> float:
    return 24 * at("^§ H100") * at("jobs work § %") / 100 * spot(r"at \$§/h") * factor


def lost_added(at, spot):
    return hired(at, spot, 1 + spot("; § % of") / 100)


def lost_the_wrong_way(at, spot):
    return hired(at, spot, 1 - spot("; § % of") / 100)


def free_as_before(at, again, *_):
    groups, left = at("in § groups"), 1 - at("is § % busy") / 100
    tokens = again("held § streams") * again("streams of § tok")
    return tokens / (groups - 1) / (left * again("reads § tok/s"))


def start_left_out(at, *_):
    minutes = at("lasts § minutes") + at("after § minutes")
    return math.floor(24 * 60 * at(r"costs \$§/h") / (at(r"hired at \$§/h") * minutes))


def over_the_whole_start(at, late):
    free = (1 - late("at § % of") / 100) * at("for § tokens")
    return free / at("holds § of them") / at("which takes §", "s")


def busy_all_the_time(at, *_):
    chats = at("come at § req/s") * at("hold it for §", "s")
    reports = at("reports at § req/s") * at("req/s for §", "s")
    return (at("waited §", "s") - chats * at("wait § on average", "s")) / reports


def usual_for_left(at, together, *_):
    wanted, fill = at("sends § req/s") * at("prompts of § tok"), at("fills by § tok")
    lasts = at("room for § tok") / (wanted - fill)
    reads, used = together("prompts at § tok"), together("takes § %") / 100
    return (together("Monday § tenants") * wanted - used * reads) * lasts / reads


def free_drafts(at, grown):
    read = at("two: § to read", "s") + grown("§ streams run") * grown("too: §", "s")
    one, batch = at("and § of arith", "s"), grown("§ streams run")
    check = max(read, at("computes § positions") * batch * one)
    return at("round brings § tok") * max(read, batch * one) / check


def rated_at_the_launch(at, launch, *_):
    read = 2e9 * at(r"\(§ billion") + launch("§ streams") * at("about § tok") * at("cache §", "B")
    rate = launch("§ streams") * at("% of §", "B/s") / read
    return at(r"\$§/h") / 3600 / rate * 1e6


SLIPS = {
    ("layout_of_eight", 0, "caches-forgotten"): layout_without_caches,
    ("expert_exchange", 1, "one-half"): half_of_the_tokens,
    ("hottest_card", 0, "on-top-of-even"): on_top_of_even,
    ("grammar_mask", 0, "gpu-alone"): gpu_alone,
    ("speculation_batch", 1, "drafts-are-free"): free_drafts,
    ("waiting_limit", 0, "when-its-token-comes"): when_its_token_comes,
    ("preempted", 0, "one-too-few"): output_forgotten,
    ("canary_failures", 0, "noise-of-the-new"): noise_of_the_new,
    ("canary_p99", 0, "spreads-in-quadrature"): in_quadrature,
    ("cold_cache", 1, "one-gpu"): one_gpu_warms,
    ("hedged_prefills", 1, "reading-over-writing"): over_writing,
    ("hedged_prefills", 2, "room-in-points"): room_in_points,
    ("hedged_prefills", 2, "to-the-brim"): to_the_brim,
    ("price_by_class", 1, "lost-added"): lost_added,
    ("price_by_class", 1, "lost-the-wrong-way"): lost_the_wrong_way,
    ("chain_lost_gpu", 1, "free-as-before"): free_as_before,
    ("warm_or_zero", 0, "no-start"): start_left_out,
    ("signal_in_time", 1, "over-the-whole-start"): over_the_whole_start,
    ("who_waits_instead", 0, "busy-all-the-time"): busy_all_the_time,
    ("chain_burst", 1, "usual-for-left"): usual_for_left,
    ("chain_price", 1, "rated-bandwidth"): rated_at_the_launch,
}


def asked(name: str, seed: int, link: int):
    """A link's drill, and the words of the whole story."""
    first = drill = find(name).drill(seed)
    for _ in range(link):
        drill = drill.follow_up
    return drill, words(first)


@pytest.mark.parametrize(("name", "link", "slip"), SLIPS)
def test_the_slip_does_not_pass_and_has_its_own_name(name, link, slip):
    met = 0
    for seed in SEEDS:
        drill, told = asked(name, seed, link)
        typed = SLIPS[name, link, slip](*told)
        verdict = drill.number.check(typed)
        assert not verdict.passed or abs(typed / drill.answer - 1) < 1e-9, (seed, typed, told)
        if slip in {mistake.name for mistake in drill.mistakes}:
            assert verdict.diagnosis == slip, (seed, typed, drill.answer, verdict)
            met += 1
    assert met >= 5


def test_each_limit_of_a_client_binds_at_times():
    found = set()
    for seed in SEEDS:
        drill, (at, returned) = asked("quota_in_tokens", seed, 1)
        tokens = at("prompts of § tokens") + at("to have § tokens")
        quota = at("allows § tokens") / 60 / tokens
        pool = returned("at most § requests") / returned("one lasts §", "s")
        right = "quota" if quota < pool else "own limit"
        assert right in drill.options.texts[drill.options.right]
        assert judge(drill, f"{drill.options.right} {min(quota, pool):.4g}").passed
        assert not judge(drill, f"{drill.options.right} {max(quota, pool):.4g}").passed
        found.add(right)
    assert len(found) == 2


def test_half_of_a_fleet_is_never_left_where_half_of_it_is_taken():
    assert not any("takes 50 %" in asked("chain_burst", s, 1)[0].story for s in range(60))


def test_two_causes_of_one_number_are_both_told():
    for seed in SEEDS:
        drill, (at, _) = asked("windowed_cache", seed, 0)
        if "Gemma" not in at.text:
            continue
        doubled, halved = (drill.number.check(x * drill.answer) for x in (2, 0.5))
        if "fp8" in at.text and doubled.diagnosis == "query-heads":
            assert "two bytes" in doubled.message
        if "bf16" in at.text and halved.diagnosis == "keys-only":
            assert "one byte" in halved.message
    for seed in SEEDS:
        drill, (at, _) = asked("expert_exchange", seed, 0)
        away = 1 - 8 / at("on § cards")
        said = next((m.message for m in drill.mistakes if m.name == "all-leave"), "bf16")
        assert ("bf16" in said) == (away == 0.75) or said == "bf16"


def test_a_tenth_of_a_card_and_a_byte_a_weight_come_to_the_same():
    met = 0
    for seed in SEEDS:
        drill, (at, _) = asked("adapter_room", seed, 0)
        spare, weights = 0.1e9 * at(r"§ GB of 10⁹"), 1e9 * at(r"\(§ billion")
        slip = next((m for m in drill.mistakes if m.name == "whole-card"), None)
        token = 4 * at("§ layers") * at("§ KV heads") * at("head size §")
        if slip and abs(spare - weights) < at("sequence has § tokens") * token:
            assert "one byte a weight" in slip.message
            met += 1
    assert met > 3


def test_one_more_than_fits_may_be_rounding_or_the_start():
    both = 0
    for seed in range(200):
        drill = find("warm_or_zero").drill(seed)
        slip = next((m for m in drill.mistakes if m.name == "no-start"), None)
        if slip and slip.value == drill.answer + 1:
            both += "rounded up, or" in slip.message
            assert "rounded up, or" in slip.message
    assert both > 5
