"""The drills on engines (layouts, experts, caches, precision, limits), solved from their words.

A drill whose story leaves out a number, prints it rounded, or whose reference follows another
formula fails here: nothing below uses the course's physics. Where a sum can be told as a story,
it is: tokens, cards and requests are counted one by one.
"""

import math
import re
from collections import deque

import pytest

from labutils.drills.catalog import find
from labutils.ground.units import parse
from tests.drills.test_capacity_by_hand import Words, words

SEEDS = range(0, 2000, 67)


def shape(at: Words) -> tuple[float, float]:
    """Weights, and cache bytes of a token in bf16."""
    token = 4 * at("§ layers") * at("§ KV heads") * at("head size §")
    return 1e9 * at("§ billion"), token


def peak(at: Words) -> float:
    return parse(re.search(r"[\d.]+ [TP]FLOP/s", at.text)[0], "FLOP/s")


def adapter_room(at, many):
    weights, token = shape(at)
    sides = re.findall(r"\(([\d,]+) × ([\d,]+)( each)?\)", at.text)
    change = 0
    for m, n, twice in sides:
        m, n = (int(x.replace(",", "")) for x in (m, n))
        rank = int(at("holds an m × §"))
        change += (2 if twice else 1) * (m * rank + rank * n) * 2
    assert len(sides) == 3
    adapter = change * at("§ layers")
    room = 0.9e9 * at("§ GB of") - 2 * weights - at("§ adapters stay") * adapter
    misses = many("card, § [MG]B each") and 1 - many("§ % of the requests") / 100
    size = many("card, § each", "B")
    assert size == pytest.approx(adapter, rel=1e-3)
    return room // (at("sequence has § tok") * token), many("delivers §", "B/s") / misses / size


def layout_of_eight(at, longer):
    weights, token = shape(at)
    rate = at("and § TB/s") * 1e12 * at("reach § %") / 100
    streams, context = at("included: § streams"), at("§ tokens of context")
    near = (at("takes § µs") * 1e-6, at("message at § GB/s") * 1e9)
    far = near
    if "among all 8" in at.text:
        far = (at("8 cards takes § µs") * 1e-6, at("plus the message at § GB/s") * 1e9)

    def step(cards, context):
        mine = streams * cards / 8
        delay, link = far if cards == 8 else near
        exchange = delay + mine * at("hidden size §") * 2 / link
        read = (2 * weights + mine * context * token) / cards / rate
        fits = 2 * weights + mine * context * token < 0.9e9 * cards * at(r"\(§ GB of")
        return read + 2 * at("§ layers") * exchange if fits else math.inf

    limit = at("longer than §", "s")
    kept = [cards for cards in (8, 4, 2) if step(cards, context) <= limit]
    assert len(kept) == 1 and 2 * weights / rate > limit  # a pipeline reads all, one after another
    assert longer("with § cards") == kept[0]
    return step(kept[0], context), step(kept[0], longer("doubles: § tok"))


def expert_exchange(at, halves):
    layers, cards, host = at("Its § layers"), at("on § cards"), at("hosts of §")
    values = at("card brings § tok") * at("token to § of") * at("vector, § values")
    sent = sum(values for card in range(int(cards)) if card >= host) / cards  # not to one's host
    link = 400e9 / 8 * at("which § % is") / 100
    start = at("exchange takes §", "s")
    there, back = start + sent / link, start + 2 * sent / link
    one, layers = halves("layer take §", "s"), halves("of the § layers")
    left = halves("compute for §", "s") / layers - 4 * start
    assert one == pytest.approx(3 * sent / link / at("card brings § tok"), rel=0.01)
    return layers * (there + back), left / one


def hottest_card(at, copied):
    experts, cards = int(at("with § experts")), int(at("each of § cards"))
    hot = at("expert gets § %") / 100
    picks = [hot] + [(1 - hot) / (experts - 1)] * (experts - 1)
    own, rest = at("takes § for the", "s"), at("experts and § for", "s")
    each = experts // cards
    loads = [sum(picks[card * each : (card + 1) * each]) for card in range(cards)]
    first = rest + own * max(loads) / (sum(loads) / cards)
    loads[0] -= hot / 2
    loads[1] += hot / 2
    assert copied("beside the § experts") == each
    return first, rest + own * max(loads) * cards


def chain_latent(at, heads, sequences):
    width = {"bf16": 2, "fp8": 1}[re.search(r"cache is in (\w+)", at.text)[1]]
    numbers = at("vector of § numbers") + at("key of § numbers")
    one = at("has § layers") * numbers * width * at("sequence has § tok")
    weights, card = 1e9 * heads("has § billion"), 0.9e9 * heads("§ GB of")
    by_heads = (card - weights / 8) // one
    dealt = 1e9 * sequences("§ billion of the weights")
    return one, by_heads, 8 * ((card - (weights - dealt) - dealt / 8) // one)


def windowed_cache(at, grown):
    layers, few = int(at("§ layers")), int(at("In § of the layers"))
    value = {"bf16": 2, "fp8": 1}[re.search(r"cache in (\w+)", at.text)[1]]
    a_layer = 2 * at("§ KV heads") * at("head size §") * value

    def cache(tokens):
        seen = [min(tokens, at("the last § tok")) if n < few else tokens for n in range(layers)]
        return sum(seen) * a_layer

    room = 1e9 * grown("engine has § GB")
    return cache(at("sequence has § tok")), room // cache(grown("length, § tok"))


def eight_bit_phases(at, prefill):
    weights, token = shape(at)
    caches = at("§ streams decode") * at("with § tok") * token
    took, attention = prefill("takes §", "s"), prefill("§ % of that") / 100
    products = took * (1 - attention)
    return (2 * weights + caches) / (weights + caches), took - products / 2


def four_bit_ridge(at, products):
    width = (4 + 8 / at("for every § weights")) / 8
    flops, speed = peak(at), 1e12 * at(r"\(§ TB/s")
    computing = 2 * at("decodes § streams") / flops
    gain = max(2 / speed, computing) / max(width / speed, computing)
    return gain, peak(products) / speed / (2 / width)


def fetch_or_recompute(at, noon):
    token = 4 * at("§ layers") * at("§ KV heads") * at("head size §")
    each = 1 / at("at § tok/s") - token / at("then §", "B/s")
    asked = noon(r"§ conversations of") * noon("conversations of § tok") * token
    return at("§ until", "s") / each, (asked - noon("and its §", "B/s")) / asked


def chain_agents(at, dropped, tools, doubled):
    room, context = at("caches of § tok"), at("context has § tok")
    writing, tool = at("writes for §", "s"), at("waits §", "s")
    read = dropped("reads § tok/s") * dropped("most § %") / 100  # tokens a second
    turns = lambda tool: room // context / (writing + tool)  # noqa: E731

    def same(context):
        """The tool time at which the agents with a place ask for just that reading."""
        return room // context * context / read - writing

    assert tools("writing takes §", "s") == writing and doubled("doubles, to §") == 2 * context
    assert turns(same(context)) == pytest.approx(read / context)
    return turns(tool), read / context, same(context), same(2 * context)


def grammar_mask(at, hidden):
    def masks(count):
        free = [0.0] * int(at("There are § threads"))
        for _ in range(int(count)):  # the next free thread takes the next mask
            free.sort()
            free[0] += at("allows: §", "s")
        return max(free)

    together = at("logits in §", "s") + masks(at("§ of the streams"))
    return together, max(hidden("then takes §", "s"), masks(hidden("streams, § of")))


def speculation_batch(at, grown):
    read, one = at("two: § to read", "s"), at("and § of arith", "s")
    drafts, drafting = at("writes § drafts"), at("stream, § whatever", "s")
    tokens = at("round brings § tok")

    def gain(streams, cache=0.0):
        reading = read + streams * cache
        plain = max(reading, streams * one)
        checking = max(reading, streams * (drafts + 1) * one)
        return (tokens / (drafting + checking)) / (1 / plain)

    most = max(n for n in range(1, 3000) if gain(n) >= 1)
    return most, gain(grown("and § streams"), grown("too: § for", "s"))


def waiting_limit(at, limited):
    done, coming = at("finishes § req/s"), at("nine § req/s")
    wait = at("Promised are §", "s") - at("token after §", "s")
    first = wait / (coming / done - 1)
    limit = limited("waited § without", "s")
    assert abs(still_waiting(done, coming, limit) - coming * limit) < 2 + coming / done
    return first, coming * limit


def still_waiting(done: float, coming: float, limit: float) -> int:
    """Requests in the queue after a long overload, each of them followed."""
    queue, start, now = deque(), 0.0, 0.0
    for number in range(int(40 * limit * coming) + 2000):
        now = number / coming
        queue.append(now)
        while start <= now:
            while queue and start - queue[0] >= limit:
                queue.popleft()
            if queue:
                queue.popleft()
            start += 1 / done
    return sum(now - came < limit for came in queue)


def preempted(at, often):
    own = at("prompt of § tok") + at("and § tokens written")
    wanted = at("priority: a prompt of § tok") + at("room for § tok")
    freed = again = 0
    while freed < wanted:
        freed, again = freed + own, again + own
    cost = again / at("runs at § tok/s")
    return cost, often("most § %") / 100 * 3600 / cost


SOLVED = {
    find("adapter_room"): adapter_room,
    find("layout_of_eight"): layout_of_eight,
    find("expert_exchange"): expert_exchange,
    find("hottest_card"): hottest_card,
    find("chain_latent"): chain_latent,
    find("windowed_cache"): windowed_cache,
    find("eight_bit_phases"): eight_bit_phases,
    find("four_bit_ridge"): four_bit_ridge,
    find("fetch_or_recompute"): fetch_or_recompute,
    find("chain_agents"): chain_agents,
    find("grammar_mask"): grammar_mask,
    find("speculation_batch"): speculation_batch,
    find("waiting_limit"): waiting_limit,
    find("preempted"): preempted,
}


@pytest.mark.parametrize("template", SOLVED, ids=lambda item: item.id)
def test_each_answer_follows_from_the_printed_words(template):
    for seed in SEEDS:
        drill = template.drill(seed)
        for answer in SOLVED[template](*words(drill)):
            assert drill.number.check(answer).passed, (seed, answer, drill.answer, drill.story)
            assert answer == pytest.approx(drill.answer, rel=4e-3), (seed, drill.story)
            if drill.unsafe:
                assert answer == drill.answer, (seed, drill.story)
            drill = drill.follow_up
        assert drill is None
