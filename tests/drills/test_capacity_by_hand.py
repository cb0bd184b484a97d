"""The drills on capacity, cost, scaling and diagnosis, solved from the words that they print.

A drill whose story leaves out a number, prints it rounded, or whose reference follows another
formula fails here: nothing below uses the course's physics.
"""

import math
import re

import pytest

from labutils.drills.catalog import find
from labutils.ground.units import parse

SEEDS = range(0, 1000, 67)
TIME = r"[\d.,]+ (?:ns|µs|ms|s)\b"


class Words:
    """The figures of a text, each found by what stands around it (§ stands for the figure)."""

    def __init__(self, text: str):
        self.text = text

    def __call__(self, around: str, unit: str = "") -> float:
        figure = {"s": TIME, "B": r"[\d.,]+ [kMGT]?B", "B/s": r"[\d.,]+ [kMGT]?B/s"}.get(unit)
        found = re.search(
            around.replace("§", f"({figure or '[0-9][0-9.,]*[0-9]|[0-9]'})"), self.text
        )
        assert found, (around, self.text)
        return parse(found[1], unit) if unit else float(found[1].replace(",", ""))


def words(drill) -> list[Words]:
    """The words of every link; the options belong to them."""
    found = []
    while drill is not None:
        panels = "\n".join(drill.options.texts.values()) if drill.options else ""
        found.append(Words(f"{drill.story}\n{panels}"))
        drill = drill.follow_up
    return found


def up(x: float) -> int:
    return math.ceil(x * (1 - 1e-12))


def rented(text: Words) -> int:
    return 8 if "8 L4" in text.text else int(text(r"§ (?:H100|A100)"))


def million_tokens(at, then):
    price, rate = at(r"\$§/h"), at("makes § tok/s")
    cost = rented(at) * price / (3600 * rate * at("for § % of the time") / 100) * 1e6
    return cost, cost


def break_even(at, then):
    saved = at(r"tokens at \$§/Mtok") - at(r"would add \$§/Mtok")
    tokens = at("§ GPUs at") * at(r"\$§/h each") * 24 / saved * 1e6
    return tokens, tokens / then("sustains § tok/s") / 86_400


def gpus_at_peak(at, then):
    need = at("sees § req/s") * at("and § times") * at(r"answers §\.") / at("up § tok/s")
    plan = up(need / (at("beyond § %") / 100))
    left = up(need / (then("up to § %") / 100))
    return plan, next(n for n in range(3, 10**6, 3) if n >= plan and n * 2 / 3 >= left)


def spare_while_starting(at, then):
    start = at("takes § s for") + at("§ s to pull") + at("§ s to load") + at("§ s to warm")
    growth, one = at("climbs by § req/s") / 60, at("carries § req/s")
    return up(growth * start / one), then("for § replicas") * one / growth


def faster_part(at, then):
    total, part, factor = at("takes § from", "s"), at("; § of that", "s"), at("stage § times")
    left = total / then("request § times") - (total - part)
    return total / (total - part + part / factor), part / left


def budget_burn(at, then):
    burn = at("and § broke") / at("hour § req") / (1 - at("days, § % of") / 100)
    return burn, then("that § %") / 100 * at("over § days") * 86_400 / burn


def static_slots(at, then):
    lengths = [int(n) for n in re.findall(r"\d+", then.text.split("first")[1])]
    batch = int(then("log, § slots"))
    longest = max(lengths[:batch]) + max(lengths[batch:])
    share = 1 / sum(1 / k for k in range(1, int(at("takes § prompts")) + 1))
    return share, sum(lengths) / (batch * longest)


def replicas_in_flight(at, then):
    def plan(promise):
        slots = min((promise - at("step takes § ms")) * 1e3 // at("plus § µs"), at("holds § seq"))
        step = (at("step takes § ms") + slots * at("plus § µs") / 1e3) / 1e3
        stay = at("comes after §", "s") + (at("answer has § tok") - 1) * step
        return up(at("gets § req/s") * stay / slots)

    return plan(at("promise § ms")), plan(then("promise: § ms"))


def goodput_table(at, then):
    rows = re.findall(r"([\d.]+)/(\d+|×)", at.text.split("broke off")[1])
    first, gap = at("first token within § s"), at("at most § ms")
    good = [r for r in rows if r[1] != "×" and float(r[0]) <= first and float(r[1]) <= gap]
    assert len(rows) == 30
    least = then("gone: § %") + then("token, § %") - 100
    return len(good) / at("test of § s"), least / 100


def early_plateau(at, then):
    width = 1 if "int8" in at.text else 2
    peak = parse(re.search(r"[\d.]+ [TP]FLOP/s", at.text)[0], "FLOP/s")
    weights = at("§ billion weights") * 1e9 * width
    caches = then("§ streams run") * then("run, § tokens") * then("takes §/tok", "B")
    reached = then("reaches § %") / 100 * at("bf16, §", "B/s")
    return peak * width / 2 / at("bf16, §", "B/s"), (weights + caches) / reached


def looser_cap(at, then):
    slots = (then("says §", "s") - then("takes § ms") / 1e3) / (then("plus § µs") / 1e6)
    tokens = at("for § tokens")
    inside = at("server § req/s") * tokens * at("to §, and stays", "s")
    return inside, slots / then("says §", "s") / tokens


def longer_answers(at, then):
    def rate(first, tokens):
        return at("keeps § req") / (first + (tokens - 1) * at("every § ms") / 1e3)

    old = rate(at("token was §", "s"), at("answers of § tok"))
    busy = old * then("takes § ms") / 1e3
    return rate(at("fell to §", "s"), at("have § tok")), busy


def top_edge(at, then):
    edges = [float(e) for e in re.findall(r"≤ ([\d.]+) s", at.text)]
    counts = [float(c.replace(",", "")) for c in re.findall(r"s: ([\d,]*\d)", at.text)]
    total = at("all: §")
    most = sum(e * (c - b) for e, c, b in zip(edges, counts, [0, *counts]))
    mean = then("mean of §", "s")
    return counts[-1] / total, (total * mean - most) / (total - counts[-1])


def worked_answer(at):
    room = 0.9 * at(r"\(§, of", "B") - 2e9 * at("has § billion")
    token = 2 * at("§ layers") * at("and § key-value") * at("heads of §") * 2
    held = room // (at("holds § tokens") * token)
    rate = held / (at("step takes § ms") / 1e3 + held * at("plus § µs") / 1e6)
    share = at("feed-forward is §")
    return (rate / (1 - share + share / at("part § times")),)


def missing_context(at, then):
    room = at(r"engine uses § %") / 100 * at("card has §", "B") - 2e9 * at("§ billion weights")
    token = 2 * at("§ layers") * at("layers, § key") * at("heads of §") * 2
    return None, room // ((then("grows to § tok") + then("adds §")) * token)


def missing_answer_length(at, then):
    part = then("“§ % of") / 100
    mean = part * then("reports of § tok") + (1 - part) * then("chats of §")
    return None, up(at("peak § req/s") * mean / (at("at § tok/s") * at("use § %") / 100))


def missing_stay(at, then):
    stay = at("token takes §", "s") + (then("has § tok") - 1) * then("every § ms") / 1e3
    return None, at("request. § req/s") * stay


def missing_rate_after(at, then):
    backlog = (at("minutes § req/s") - at("completes § req/s")) * at("For § minutes") * 60
    return None, backlog / (at("completes § req/s") - then("“§ req/s"))


def missing_part(at, then):
    part = then("“§, says", "s")
    return None, at("and take §;", "s") - part + part / at("becomes § times")


def missing_busy_share(at, then):
    busy = then("For § hours") / 24 * then("at § %") / 100
    cost = at("§ GPUs") * at(r"at \$§/h") / (3600 * at("makes § tok/s") * busy)
    return None, cost * 1e6


def missing_leaves(at, then):
    return None, 1 - (1 - at("but for § %") / 100) ** then("“§ shards")


def missing_objective(at, then):
    burn = at("req/s, § %") / (100 - then("“§ %"))
    return None, at("since. § %") / 100 * at("these § days") * 86_400 / burn


def chain_decode(at, longer, more, narrow):
    weights, streams = 2e9 * at("§ billion"), at("serves § streams")
    rate = at(r"caches\), §", "B/s") * at("which § %") / 100
    token, context = at("takes § a token", "B"), longer("conversation: § tok")
    room = 0.9 * at(r": § \(0\.9", "B") - weights
    most, twice = room // (context * token), narrow("and § streams")
    return (
        (weights + streams * at("streams of § tok") * token) / rate,
        (weights + streams * context * token) / rate,
        most,
        twice * rate / (weights + twice * context * token / 2),
    )


def chain_pipeline(at, doubled, target, longer):
    stages = {
        name: [float(workers), parse(seconds, "s")]
        for name, workers, seconds in re.findall(
            rf"(\w+), (\d+) (?:CPU workers|threads|GPU slots|decode slots), ({TIME})", at.text
        )
    }
    assert len(stages) == 4
    least = lambda: min(stages, key=lambda name: stages[name][0] / stages[name][1])  # noqa: E731
    rate = lambda: stages[least()][0] / stages[least()][1]  # noqa: E731
    first = rate()
    stages[least()][0] *= 2
    second, narrow = rate(), least()
    need = up(target("grow to § req/s") * stages[narrow][1] / (target("than § %") / 100))
    for name in stages:
        stages[name][0] = longer(rf"{name} §")
    stages["generation"][1] *= longer("takes § times")
    return first, second, need, rate()


def chain_outage(at, outage, back, bound):
    n, one, rate = (
        at("^§ replicas"),
        at("complete § req/s"),
        at("; § req/s arrive|more; § req"[:14]),
    )
    left = (n - 1) * one
    backlog = (rate - left) * outage("takes § minutes") * 60
    deadline = bound("after § s")
    return rate / left, backlog, backlog / (n * one - rate), math.floor(deadline * left)


def chain_price(at, launch, later):
    price, weights = at(r"for \$§/h"), 2e9 * at("§ billion")
    rate, context = at("reaches § %") / 100 * at("% of §", "B/s"), at("about § tokens")

    def cost(streams):
        step = (weights + streams * context * at("cache § a token", "B")) / rate
        return price / 3600 * step / streams * 1e6

    few, many = at("§ streams of about"), launch("launch: § streams")
    return cost(few), cost(many), price / 3600 / later("for § tok/s") * 1e6


def chain_answer(at, faster, longer):
    retrieval, prompt = at("takes § to", "s"), at("of § tokens is") / at("read at § tok/s")
    answer = (at("; § tokens are written") - 1) * at("every § ms") / 1e3
    short = answer / faster("write § times")
    now = longer("takes § from now", "s")
    return retrieval + prompt + answer, retrieval + prompt + short, now + 3 * prompt + short


SOLVED = {
    solve.__name__: solve
    for solve in (
        *(million_tokens, break_even, gpus_at_peak, spare_while_starting, faster_part),
        *(budget_burn, static_slots, replicas_in_flight, goodput_table, early_plateau),
        *(looser_cap, longer_answers, top_edge, worked_answer),
        *(missing_context, missing_answer_length, missing_stay, missing_rate_after),
        *(missing_part, missing_busy_share, missing_leaves, missing_objective),
        *(chain_decode, chain_pipeline, chain_outage, chain_price, chain_answer),
    )
}


@pytest.mark.parametrize("name", SOLVED)
def test_each_answer_follows_from_the_printed_words(name):
    for seed in SEEDS:
        drill = find(name).drill(seed)
        for answer in SOLVED[name](*words(drill)):
            if answer is not None:
                assert drill.number.check(answer).passed, (seed, answer, drill.answer, drill.story)
                slack = max(0.004 * abs(drill.answer), drill.absolute)
                assert abs(answer - drill.answer) <= slack
            drill = drill.follow_up
        assert drill is None


def panel(texts, start: str, unit: str = "1") -> float:
    """What the panel shows whose text starts so."""
    (text,) = (text for text in texts if text.startswith(start))
    return parse(text.split(": ")[1].removesuffix(" of requests"), unit)


def panel_of_time(texts, start: str) -> float:
    (text,) = (text for text in texts if text.startswith(start))
    return parse(text.split(": ")[1].split(",")[0], "s")


def lies(residuals: dict[str, float]) -> set[str]:
    """The relations that the board breaks: off by more than a per cent."""
    return {name for name, ratio in residuals.items() if abs(ratio - 1) > 0.012}


def test_exactly_the_chosen_panel_of_a_queue_breaks_the_relations():
    touched = {
        "Wait": {"waiting", "all"},
        "Time": {"serving", "all"},
        "Waiting": {"waiting", "sum"},
        "In service": {"serving", "sum"},
        "In flight": {"sum", "all"},
    }
    for seed in SEEDS:
        drill = find("board_flow").drill(seed)
        texts = list(drill.options.texts.values())
        rate, wait, service = (
            panel(texts, "Requests", "req/s"),
            panel(texts, "Wait b", "s"),
            panel(texts, "Time", "s"),
        )
        queue, busy, inside = (panel(texts, name) for name in ("Waiting", "In service", "In fl"))
        broken = lies(
            {
                "waiting": rate * wait / queue,
                "serving": rate * service / busy,
                "sum": (queue + busy) / inside,
                "all": rate * (wait + service) / inside,
            }
        )
        chosen = drill.options.texts[drill.options.right]
        assert broken == next(v for k, v in touched.items() if re.match(rf"{k}\b", chosen))
        assert drill.answer == pytest.approx(
            {
                "Wait b": queue / rate,
                "Time i": busy / rate,
                "Waitin": rate * wait,
                "In ser": rate * service,
                "In fli": queue + busy,
            }[chosen[:6]],
            rel=0.01,
        )


def test_the_lying_panel_of_a_step_is_below_the_floor_of_the_weights():
    for seed in SEEDS:
        drill = find("board_decode").drill(seed)
        at, texts = words(drill)[0], list(drill.options.texts.values())
        bytes_ = 2e9 * at("§ billion") + at("same § seq") * at("about § tokens") * at(
            "takes § a token", "B"
        )
        step = bytes_ / panel(texts, "Memory", "B/s")
        streams = panel(texts, "Sequences")
        should = {
            "Decode": step,
            "Time p": step,
            "Output of one": 1 / step,
            "Output of the": streams / step,
        }
        units = {"Decode": "s", "Time p": "s", "Output of one": "tok/s", "Output of the": "tok/s"}
        off = {n for n, v in should.items() if abs(panel(texts, n, units[n]) / v - 1) > 0.02}
        assert len(off) == 1
        assert drill.options.texts[drill.options.right].startswith(*off)
        assert drill.answer == pytest.approx(should[off.pop()], rel=0.01)


def test_the_lying_panel_of_a_memory_is_a_figure_in_gib():
    for seed in SEEDS:
        drill = find("board_memory").drill(seed)
        at, texts = words(drill)[0], list(drill.options.texts.values())
        weights, both = 2e9 * at("§ billion"), 0.9 * at(r"has §", "B")
        should = {
            "Weights:": weights,
            "Weights and": both,
            "KV pool, size": both - weights,
            "KV pool, in": panel(texts, "Tokens") * at("bf16, § of", "B"),
        }
        off = {n for n, v in should.items() if abs(panel(texts, n, "B") / v - 1) > 0.03}
        assert len(off) == 1
        assert drill.options.texts[drill.options.right].startswith(*off)
        (name,) = off
        assert drill.answer == pytest.approx(should[name], rel=1e-3)
        assert panel(texts, name, "B") * 1.073741824 == pytest.approx(should[name], rel=0.01)


def test_the_fleets_percentile_follows_from_all_counts_together():
    for seed in SEEDS:
        drill = find("board_fleet").drill(seed)
        texts = list(drill.options.texts.values())
        merged: dict[float, int] = {}
        for text in texts:
            for edge, count in re.findall(r"≤ ([\d.]+) s: ([\d,]*\d)", text):
                merged[float(edge)] = merged.get(float(edge), 0) + int(count.replace(",", ""))
        total = max(merged.values())
        off = []
        for q in (50, 95, 99):
            edge = next(e for e in sorted(merged) if 100 * merged[e] >= q * total)
            if panel(texts, f"Fleet, p{q}", "s") != edge:
                off.append((f"Fleet, p{q}", edge))
        ((name, edge),) = off
        assert panel(texts, name, "s") in merged  # an edge too: the sums alone give it away
        assert drill.options.texts[drill.options.right].startswith(name) and drill.answer == edge


def test_the_log_says_what_the_late_panel_should_read():
    for seed in SEEDS:
        drill = find("board_top_edge").drill(seed)
        at, texts = words(drill)[0], list(drill.options.texts.values())
        (log,) = (text for text in texts if text.startswith("Access"))
        late = sorted((float(x) for x in log.split(": ")[1].split(", ")), reverse=True)
        total = int(at("^§ requests"))
        share = 100 * len(late) / total
        p99 = late[total - math.ceil(0.99 * total - 1e-9)]
        chosen, reading = drill.options.texts[drill.options.right], drill.follow_up.answer
        assert drill.answer is None and chosen in drill.follow_up.story
        if "p99" in chosen:
            assert reading == p99
            assert panel(texts, "First token later", "%") == pytest.approx(share, abs=0.006)
        else:
            assert reading == pytest.approx(share)
            assert panel(texts, "First token, p99", "s") == pytest.approx(p99)


def test_the_counts_fix_the_whole_board_of_a_budget():
    for seed in SEEDS:
        drill = find("board_budget").drill(seed)
        at, texts = words(drill)[0], list(drill.options.texts.values())
        bad = at("requests, § of") / at("hour: § requests")
        burn = bad / (1 - at("Objective: § %") / 100)
        window, left = at("over § d") * 86_400, at("left: § %") / 100
        gone = left * window / burn
        should = {"Bad": (100 * bad, "%"), "Burn": (burn, "1"), "Budget gone": (gone, "s")}
        chosen = drill.options.texts[drill.options.right]
        (name,) = (name for name in should if chosen.startswith(name))
        assert drill.answer is None and chosen in drill.follow_up.story
        assert drill.follow_up.answer == pytest.approx(should[name][0])
        shown = {key: panel_of_time(texts, key) for key in ["Budget gone"]} | {
            key: panel(texts, key, should[key][1]) for key in ("Bad", "Burn")
        }
        off = {key for key in should if abs(shown[key] / should[key][0] - 1) > 0.03}
        assert off == {name}
        if name == "Budget gone":  # so that “Budget left” is not at fault
            assert shown[name] * burn / window > 1.05
