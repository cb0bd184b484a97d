"""The drills on caches, budgets and pipelines, solved with plain arithmetic from printed words.

A drill whose story leaves out a number, prints it rounded, or whose reference follows another
formula fails here: nothing below uses the course's physics.
"""

import math
import re

import pytest

from labutils.drills.catalog import find
from labutils.drills.judging.judging import judge
from labutils.ground.units import parse

from .test_capacity_by_hand import Words, up

SEEDS = range(1, 1000, 37)


def links(drill) -> list[Words]:
    """The words of every link, story and question."""
    found = []
    while drill is not None:
        found.append(Words(f"{drill.story}\n{drill.question}"))
        drill = drill.follow_up
    return found


def hit_rate_falls(at, then):
    before, after = at("answers § % of") / 100, at("cache answers §\\ %\\.") / 100
    rate = at("of § req/s")
    least = 100 * (1 - then("may be § % busy") / 100 * then("completes § req/s") / rate)
    times = (1 - after) / (1 - before)
    return [times, least], {"hits-compared": before / after, "growth-alone": times - 1}


def cached_p99(at, then):
    shown = {int(p): parse(t, "s") for p, t in re.findall(r"p(\d+) ([\d.]+ m?s)", at.text)}
    hits, of_all = at("answers § % of"), at(r"What is the p§ of")
    # Line up 100,000 requests, the hits in front.
    place = of_all * 1000 - hits * 1000
    rank = round(place / ((100 - hits) * 10))
    wanted = then("wants a p(?:95|99) of §", "s")
    kept = next(p for p, time in shown.items() if time == wanted)
    misses = (100 - of_all) / (1 - kept / 100)
    return [shown[rank], 100 - misses], {
        "own-percentile": shown[of_all],
        "a-hit": at("within §", "s"),
    }


def checked_hits(at, then):
    search, check, write = at("search takes §", "s"), at("question, § more", "s"), at(
        "generated, which takes §", "s"
    )  # fmt: skip
    found, passed = at(r"§ % of the requests find") / 100, at("more; § % of the") / 100
    thousand = [search] * 1000
    checked = found * 1000
    total = sum(thousand) + checked * check + (1000 - checked * passed) * write
    some = then("only § % of") / 100
    least = (search + some * check) / some / write
    hit = found * passed
    wrong = {
        "check-forgotten": search + (1 - hit) * write,
        "rejected-unchecked": search + hit * check + (1 - hit) * write,
    }
    return [total / 1000, least], wrong


def key_expiry(at, then, last):
    gap, life = at("every § s on"), at("time to speak of; § s after")
    hits = life / gap
    wanted = last("as at first. § % of") / 100
    answers = [hits / (hits + 1), 1 - math.exp(-life / gap), gap * wanted / (1 - wanted)]
    return answers, {"renewed": 1 - math.exp(-hits), "fill-among-them": (hits - 1) / hits}


def expired_at_once(at, then, last):
    others = at("asked for by § req/s") * at("It takes § to", "s")
    processes = then("runs on § hosts") * then("with § processes")
    spare = last("computes § req/s") * (1 - last("and is § % busy") / 100)
    return [others + 1, processes, last("stores § entries") / spare], {"first-forgotten": others}


def wrong_hits(at, then, last):
    asked, hits = at("asked § times"), at("answers § % of that") / 100
    wrong = at(r"sample of these: § %") / 100
    fewer, n = then("answers § % of the requests") / 100, int(then(r"requests\. § of its answers"))
    largest = 1 - 0.05 ** (1 / n)
    share = last("at most § wrong") / (asked * fewer)
    sample = 1
    while (1 - share) ** (2 * sample) > 0.05:
        sample *= 2
    while (1 - share) ** sample > 0.05:
        sample += 1
    return [asked * hits * wrong, asked * fewer * largest, sample], {"all-hits": asked * hits}


def parallel_branches(at, then, last):
    rows = {name.strip(): (int(low), int(high)) for name, low, high in
            re.findall(r"([a-z ]+): (\d+) to (\d+)", at.text)}  # fmt: skip
    start, end = rows.pop("question")
    alone = sum(
        all(not low <= ms < high for low, high in rows.values()) for ms in range(start, end)
    )
    low, high = rows["keyword search"]
    sooner = high - max(low + (high - low) / then("search § times"), rows["vector search"][1])
    gain = last(r"traces: in § %") / 100 * last("cuts § ms")
    between = rows["rerank"][0] - high + rows["generate"][0] - rows["rerank"][1]
    wrong = {
        "end-forgotten": (alone - (end - rows["generate"][1])) / 1000,
        "between-alone": between / 1000,
    }
    return [alone / 1000, (end - sooner) / 1000, gain / 1000], wrong


def visits_of_a_stage(at, then, last):
    rows = re.findall(r"(\w+): ([\d.]+) visits? of ([\d.]+ m?s), (\d+) ", at.text)
    stages = {name: (int(n) / parse(t, "s"), float(visits)) for name, visits, t, n in rows}
    rates = {name: done / visits for name, (done, visits) in stages.items()}
    cached = rates | {"searching": rates["searching"] / (1 - then("search answers § %") / 100)}
    name = re.search(r"does (\w+) take in all", last.text)[1]
    assert name == min(cached, key=cached.get)
    slots = next(int(n) for row, _, _, n in rows if row == name)
    need = last("grow to § req/s") / rates[name] * slots / (last("busier than § %") / 100)
    wrong = {"visited-once": min(done for done, _ in stages.values())}
    return [min(rates.values()), min(cached.values()), up(need)], wrong


def promises_of_stages(at, then, last):
    teams, misses = at("among § stages"), 100 - at("part in § %")
    most, taken = 100 - then("promises § %"), last("part in § % of")
    others = (most - taken) / last(r"The other § stages")
    wrong = {"as-if-independent": 100 * (1 - misses / 100) ** teams}
    return [100 - teams * misses, most / teams, others], wrong


def two_tiers(at, then, last):
    rate, inner = at("looked up at § req/s"), at("answers § % of its") / 100
    outer = at("it answers § % of what") / 100
    asked, life = last("looked up § times"), last("keeps it for § s")
    processes = last("to § processes")
    # A cycle of one process: a miss, then a life of hits; its length is life + mean gap.
    cycle = life + processes / asked
    left = rate * (1 - inner) * (1 - outer)
    wrong = {"outer-forgotten": rate * (1 - inner), "hits-multiplied": rate * (1 - inner * outer)}
    return [left, 1 / (1 - outer), processes / cycle], wrong


def zipf_head(at, then):
    items, kept, size = (int(at(w)) for w in ("ask for § documents", "keeps the § most", "§ kB"))
    wanted, so_far, sums = then("answers § % of") / 100, 0.0, []
    for rank in range(1, items + 1):
        so_far += 1 / rank
        sums.append(so_far)
    enough = next(k for k, part in enumerate(sums, 1) if part >= wanted * so_far)
    wrong = {"share-of-documents": kept / items}
    return [sums[kept - 1] / so_far, enough * size * 1000], wrong


def growing_conversation(at, then, last):
    system, turns = int(at("has § tokens")), int(at("has § turns"))
    user, answer = int(at("writes § tokens")), int(at("answers with §"))
    past, sent, longest, written = system, 0, 0, system
    for turn in range(turns):
        past += user
        sent, longest = sent + past, past
        written += user + (answer if turn else 0)
        past += answer
    price = last(r"at \$§ for a million") / 1e6
    bill = written * 1.25 * price + (sent - written) * 0.1 * price
    wrong = {
        "last-prompt-each-time": turns * longest,
        "each-token-once": longest,
        "last-answer-too": sent + turns * answer,
    }
    return [sent, system + turns * user, bill * last("are § conversations")], wrong


SOLVED = (
    *(hit_rate_falls, cached_p99, checked_hits, key_expiry, expired_at_once, wrong_hits),
    *(parallel_branches, visits_of_a_stage, promises_of_stages, two_tiers, zipf_head),
    growing_conversation,
)


@pytest.mark.parametrize("solve", SOLVED, ids=lambda solve: solve.__name__)
def test_each_answer_follows_from_the_printed_words(solve):
    for seed in SEEDS if solve is not zipf_head else SEEDS[:6]:
        drill = find(solve.__name__).drill(seed)
        answers, wrong = solve(*links(drill))
        mistakes = {item.name: item.value for item in drill.mistakes}
        for name in wrong.keys() & mistakes.keys():
            assert mistakes[name] == pytest.approx(wrong[name], rel=1e-6), (seed, name)
        for answer in answers:
            # Half of the tolerance: the rest belongs to the learner's rounding.
            allowed = max(drill.tolerance * drill.answer / 2, 1e-9)
            allowed = 1e-9 if drill.unsafe else max(allowed, drill.absolute / 2)
            assert answer == pytest.approx(drill.answer, abs=allowed), (seed, drill.question)
            drill = drill.follow_up
        assert drill is None


@pytest.mark.parametrize("solve", SOLVED, ids=lambda solve: solve.__name__)
def test_the_mistakes_that_are_computed_here_are_named_somewhere(solve):
    drill = find(solve.__name__).drill(SEEDS[0])
    named = {item.name for seed in SEEDS[:6] for item in find(solve.__name__).drill(seed).mistakes}
    assert set(solve(*links(drill))[1]) <= named


@pytest.mark.parametrize(
    ("name", "number", "form"),
    [
        ("visits_of_a_stage", 0, "{L} {x:.4g} questions/s"),
        ("visits_of_a_stage", 1, "{x:.4g} questions a second, {L}"),
        ("two_tiers", 0, "about {x:.4g} embeddings per second"),
        ("two_tiers", 2, "{x:.4g} look-ups/s"),
        ("hit_rate_falls", 1, "{x:.4g} percent"),
        ("expired_at_once", 0, "{x:.0f} computations"),
        ("wrong_hits", 1, "{x:,.0f} wrong answers a day"),
        ("stale_index", 0, "{m:g} minutes"),
    ],
)
def test_an_answer_in_the_words_of_its_question_is_read(name, number, form):
    for seed in SEEDS:
        drill = find(name).drill(seed)
        for _ in range(number):
            drill = drill.follow_up
        letter = drill.options.right if drill.options else ""
        text = form.format(x=drill.answer, m=drill.answer / 60, L=letter)
        assert judge(drill, text).passed, (text, judge(drill, text).message)


def test_a_percentile_may_be_written_with_its_p():
    drill = find("leaf_budget").drill(3)
    assert judge(drill, f"p{drill.answer:.5g}").passed
    assert not judge(
        find("two_tiers").drill(3), f"{find('two_tiers').drill(3).answer} horses/s"
    ).passed


def test_minutes_without_their_unit_are_a_matter_of_clocks():
    for seed in SEEDS:
        drill = find("expired_at_once").drill(seed).follow_up.follow_up
        said = judge(drill, f"{drill.answer / 60:.6g}")
        assert "seconds, minutes and hours" in said.message, said.message
