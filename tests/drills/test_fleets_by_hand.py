"""The drills on fleets, classes, quotas and releases, solved from the words that they print.

Nothing below uses the course's functions for capacity, queues or money. Where a second way leads
to the same number it is taken, so that a wrong formula cannot agree with itself: waits by the
formula for each class instead of the conserved sum, buckets and spares by simulation.
"""

import math
import random
import re

import pytest

from labutils.drills.catalog import find
from labutils.ground.units import parse

from .test_capacity_by_hand import up, words

SEEDS = range(3, 900, 53)


def who_waits_instead(at, growing):
    chats, chat = at("come at § req/s"), at("hold it for §", "s")
    reports, report = at("reports at § req/s"), at("req/s for §", "s")
    load = chats * chat + reports * report
    assert at("alike waited §", "s") == pytest.approx(
        at("and chats wait §", "s") * (1 - chats * chat) / (1 - load), rel=0.02
    )
    # two classes that do not interrupt: the second waits 1/(1 - load) times as long as the first
    return at("and chats wait §", "s") / (1 - load), (1 - reports * report) / chat


def quota_in_tokens(at, returned):
    quota, prompt = at("allows § tokens") / 60, at("prompts of § tokens")
    pool = returned("at most § requests") / returned("one lasts §", "s")
    asked = quota / (prompt + at("`max_tokens` = §"))
    return asked, min(quota / (prompt + at("to have § tokens")), pool)


def chain_burst(at, together, smaller):
    size, fill = at("room for § tokens"), at("fills by § tokens")
    rate, prompt = at("sends § req/s"), at("prompts of § tokens")
    tenants, speed = together("Monday § tenants"), together("prompts at § tokens")
    left = speed * (1 - together("traffic takes § %") / 100)
    limit = smaller("to wait § s")

    def burst(bucket):
        """The second of the first refusal and the tokens in the queue then, request by request."""
        now, content = 0.0, bucket
        while content >= prompt:
            content, now = min(bucket, content - prompt + fill / rate), now + 1 / rate
        return now, (tenants * rate * prompt - left) * now

    lasts, queue = burst(size)
    low, high = prompt, size
    while high - low > 1:  # the largest bucket within the limit
        middle = (low + high) / 2
        fluid = middle / (rate * prompt - fill) * (tenants * rate * prompt - left)
        low, high = (middle, high) if fluid <= limit * speed else (low, middle)
    return lasts, queue / speed, low


def chain_start_up(at, meanwhile, disc, bears):
    width = {"bf16": 2, "fp8": 1}[re.search(r"stored in (\w+)", at.text)[1]]
    size = at(r"\(§ billion") * 1e9 * width
    others = at("waits § s for its node") + at("takes § s to capture")
    start = others + size * 8 / (at("link of § Gbit") * 1e9 * at("reach § %") / 100)
    notice = meanwhile("after § s and")
    more = meanwhile("jumps to § req/s") - meanwhile("complete § req/s")
    quick = others + size / (disc("read at § GB/s") * 1e9)
    return start, more * (notice + start), quick, bears("room for § req") / (notice + quick)


def signal_in_time(at, later):
    each = at("holds § of them") / at("room for § tokens") * at("which takes §", "s")
    start = parse(re.search(r"serves (.+?) after the order", at.text)[1], "s")
    climb = at("climbs by § req/s") / 60
    busy = later("only at § %") / 100
    order = max(x for x in range(100) if x / 100 + climb * start * each < 1)
    return order, (1 - busy) / each / start * 60


def warm_or_zero(at, promise):
    minutes = at("takes § minutes") + at("lasts § minutes") + at("after § minutes")
    day = 24 * parse(re.search(r"card costs (\$[\d.]+/h)", at.text)[1], "$/h")
    hired = parse(re.search(r"hired at (\$[\d.]+/h)", at.text)[1], "$/h")
    sessions = max(n for n in range(1, 200) if n * minutes / 60 * hired <= day)
    return sessions, 100 / promise("session is § requests")


def chain_lost_gpu(at, streams, failures, spares):
    groups = int(at("runs in § groups"))
    after = at("group is § % busy") / 100 * groups / (groups - 1)
    tokens = streams("held § streams") * streams("streams of § tokens")
    back = tokens / ((1 - after) * streams("reads § tok/s") * (groups - 1))
    life, repair = failures("runs § hours"), 24 * spares("away for § days")
    away = 8 * repair / life  # repairs over hours between failures: the odds of one group

    def rare(extra):  # as many odds as there are groups, weighted: no closed form of the binomial
        weights = [math.comb(groups + extra, k) * away**k for k in range(groups + extra + 1)]
        return sum(weights[extra + 1 :]) / sum(weights) <= 0.001

    return after, back, 8760 * 8 * groups / life, next(s for s in range(groups) if rare(s))


def evacuated_region(at, cold):
    rows = re.findall(r"(\w+) ([\d,]+), ([\d,]+) and ([\d,]+)", at.text)
    day = {name: [float(x.replace(",", "")) for x in row] for name, *row in rows}
    home = re.match(r"In (\w+) a request", cold.text)[1]
    own, first, second = day.pop(home), *day.values()
    hours = [(o, max(a, b) / 2) for o, a, b in zip(own, first, second)]
    work = [cold("takes § s of one") * o + cold("takes § s. GPUs") * m for o, m in hours]
    return max(map(sum, hours)), up(max(work) / (cold("may be § %") / 100))


def small_model_first(at, times):
    dollars = [float(x) for x in re.findall(r"\$([\d.]+\d)", at.text)]
    large_in, large_out, small_in, small_out, check = dollars
    prompt, written = at(": § tokens in"), at("in, § out")
    small, large = (
        (prompt * a + written * b) / 1e6 for a, b in ((small_in, small_out), (large_in, large_out))
    )
    stays = times("and § % stay") / 100
    first = times("answer takes §", "s") + times("check §", "s")
    then = first + times("large answer §", "s")
    return 100 * (small + check) / large, stays * first + (1 - stays) * then


def canary_failures(at, shorter):
    old, new = at("^§ % of") / 100, at("fails § %") / 100
    seen = at("gets § % of") / 100 * at("of the § req/s")

    def excess(count, rate):  # in standard deviations of the old number
        return count * (rate - old) / math.sqrt(count * old * (1 - old))

    count = 9 * old * (1 - old) / (new - old) ** 2
    assert excess(count, new) == pytest.approx(3)
    low, high, little = old, 1.0, shorter("canary § minutes") * 60 * seen
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if excess(little, middle) > 3 else (middle, high)
    return count / seen, 100 * low


def canary_p99(at, control):
    limit, half = at("is § ms, and"), at("every § ms")
    old = 0.01
    new = old * 0.5 ** ((limit / (1 + at("take § % longer") / 100) - limit) / half)

    def needed(line, own):
        return ((3 * math.sqrt(line) + 2 * math.sqrt(own)) / (new - old)) ** 2

    noise, theirs = old * (1 - old), new * (1 - new)
    return needed(noise, theirs), needed(2 * noise, noise + theirs) / control("traffic: § req/s")


def hot_prefix(at, copies):
    replicas, rate, hot = at("^§ replicas"), at("get § req/s"), at("§ % of the requests") / 100
    own = rate * hot * at("replica for §", "s")
    rest = rate * (1 - hot) / replicas * at("another one for §", "s")
    most = copies("more than § %") / 100
    return own + rest, next(k for k in range(1, 99) if own / k + rest <= most)


def price_by_class(at, elsewhere):
    cards, price = at("^§ H100"), at(r"\$§/h each")
    chat, jobs = at("works § % of") / 100, at("jobs work § % of") / 100
    hours = 24 * cards
    bill = hours * price * jobs / (chat + jobs)
    tokens = hours * jobs * 3600 * at("batches, § tok/s a GPU")
    hired = hours * jobs / (1 - elsewhere("; § % of the hired") / 100)
    return bill / tokens * 1e6, hired * elsewhere(r"at \$§/h")


def hedged_prefills(at, afternoon, cap):
    reading, writing = at("takes §", "s"), at("prompt and §", "s")
    late = 1 - at("is the p§ of") / 100
    requests = 1000.0
    work = requests * (reading + writing)
    busy, share = afternoon("GPUs are § %") / 100, afternoon("§ % of the requests") / 100
    room = work * cap("may be § %") / 100 / busy - work
    return (
        100 * requests * late * reading / work,
        busy * (work + requests * share * reading) / work,
        100 * room / reading / requests,
    )


def cold_cache(at, warming):
    done = at("by § GPUs") * at("complete § req/s")
    return at("of § req/s") / done, warming("its § most wanted") / done


SOLVED = {
    find("who_waits_instead"): who_waits_instead,
    find("quota_in_tokens"): quota_in_tokens,
    find("chain_burst"): chain_burst,
    find("chain_start_up"): chain_start_up,
    find("signal_in_time"): signal_in_time,
    find("warm_or_zero"): warm_or_zero,
    find("chain_lost_gpu"): chain_lost_gpu,
    find("evacuated_region"): evacuated_region,
    find("small_model_first"): small_model_first,
    find("canary_failures"): canary_failures,
    find("canary_p99"): canary_p99,
    find("hot_prefix"): hot_prefix,
    find("price_by_class"): price_by_class,
    find("hedged_prefills"): hedged_prefills,
    find("cold_cache"): cold_cache,
}


@pytest.mark.parametrize("template", SOLVED, ids=lambda item: item.id)
def test_each_answer_follows_from_the_printed_words(template):
    for seed in SEEDS:
        drill = template.drill(seed)
        for answer in SOLVED[template](*words(drill)):
            verdict = drill.number.check(answer)
            assert verdict.passed, (seed, answer, drill.answer, drill.story)
            slack = max(min(0.02, drill.tolerance) * abs(drill.answer), drill.absolute)
            assert abs(answer - drill.answer) <= slack, (seed, answer, drill.answer, drill.story)
            drill = drill.follow_up
        assert drill is None


def test_a_priority_moves_waiting_from_one_class_to_the_other():
    """The conserved sum of the drill, in a simulated queue with services of its own spread."""
    draw = random.Random(7)
    drill = find("who_waits_instead").drill(SEEDS[1])
    at = words(drill)[0]
    rates = at("come at § req/s"), at("reports at § req/s")
    means = at("hold it for §", "s"), at("req/s for §", "s")
    story = []
    for kind, (rate, mean) in enumerate(zip(rates, means)):
        now = 0.0
        while now < 150_000:
            now += draw.expovariate(rate)
            story.append((now, kind, draw.uniform(0, 2 * mean)))
    first_come, by_class = (_waits(sorted(story), favours) for favours in (False, True))
    loads = [rate * mean for rate, mean in zip(rates, means)]
    sums = [sum(a * b for a, b in zip(loads, waits)) for waits in (first_come, by_class)]
    assert sums[1] == pytest.approx(sums[0], rel=0.03)
    assert by_class[0] < first_come[0] and by_class[1] > first_come[1]


def _waits(story, favours: bool) -> list[float]:
    """Mean waits of both kinds on one server that takes the first kind first, or as they come."""
    now, place, waiting, waits = 0.0, 0, [], ([], [])
    while place < len(story) or waiting:
        if not waiting:
            now = max(now, story[place][0])
        while place < len(story) and story[place][0] <= now:
            waiting.append(story[place])
            place += 1
        came, kind, service = min(waiting, key=lambda it: (it[1] if favours else 0, it[0]))
        waiting.remove((came, kind, service))
        waits[kind].append(now - came)
        now += service
    return [sum(each) / len(each) for each in waits]
