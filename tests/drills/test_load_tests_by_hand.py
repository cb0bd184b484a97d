"""The drills on load tests and their reports, solved with plain arithmetic from printed words.

A drill whose story leaves out a number, prints it rounded, or whose reference follows another
formula fails here. What can be counted is counted: requests in a line, texts in a cache.
"""

import math
import re

import pytest

from tests.rotation import in_turn

from .checked_by_hand import agrees, names_its_slips
from .test_capacity_by_hand import Words

SEEDS = range(200 if in_turn(__file__) else 40)


def events_a_token(at, engine):
    decode = at("last token after §,", "s") - at("first token after §,", "s")
    shown, tokens = at("§ per output token", "s"), at("exactly § tokens")
    events = decode / shown / tokens
    counted = {2: "Two", 3: "Three", 0.5: "One event for every two"}
    right = next(words for each, words in counted.items() if abs(events / each - 1) < 0.05)
    floor = 2 * at_billion(engine) / (1e12 * engine(r"\(§ TB/s"))
    verdict = "impossible: no" if shown < floor else "is possible"
    return [(decode / (tokens - 1), right), (floor, verdict)], (
        {"as-reported": shown, "first-token-inside": at("last token after §,", "s") / tokens},
        {"a-byte-a-weight": floor / 2},
    )


def at_billion(words) -> float:
    return 1e9 * words(r"\(§ billion")


def missing_tokens_made(at, engine, rates):
    whole, first = at("last token after §,", "s"), at("first token after §,", "s")
    made, text = engine("asked for § tokens"), at("length § tokens")
    answered, seconds = at("sent and § answered"), at("in § s")
    per_token = (whole - first) / (made - 1)
    return [
        (None, "did the engine write"),
        (per_token, ""),
        (answered * made / seconds, "too long, and the tokens a second too few"),
    ], (
        {},
        {"tokens-of-the-text": (whole - first) / (text - 1)},
        {"as-reported": answered * text / seconds, "one-stream": 1 / per_token},
    )


def client_gives_up(at, failed, patient):
    q, limit = int(re.search(r"Which p(\d+) does", at.text)[1]) / 100, at("not answered § s after")
    sent, finished = at("sends § requests"), at("finishes § a second")
    own, count = at("a request takes § s"), at("test of § minutes") * 60 * at("sends § requests")
    # Number k is sent at k / sent, and its turn is at k / finished.
    later = 1 / finished - 1 / sent
    answered = (limit - own) / later
    of_all = own + q * count * later
    reported = own + q * answered * later
    lost = 100 * (1 - answered / count)
    return [(reported, "stays as it is"), (lost, ""), (of_all, "")], (
        {"the-limit": limit, "everybody-waits": of_all},
        {"those-answered": 100 - lost},
        {"as-before": reported, "the-last-one": own + count * later},
    )


def prompt_too_fast(at, cold, circle):
    weights, prompt = at_billion(at), at("prompts of § tokens")
    peak, shown = 1e12 * at("says § TFLOP"), at(r"by the report: §\.", "s")
    floor = 2 * weights * prompt / peak
    verdict = "found in a cache" if shown < floor else "does not prove"
    reached = cold("reaches § % of") / 100 * peak
    computed = (shown - cold("Besides, § of", "s")) * reached / (2 * weights)
    pool = circle("has § for texts", "B")
    fit = math.floor(pool / (prompt * circle("keeps § bytes")))
    assert hits_in_a_circle(2 * fit, fit) == 0 and hits_in_a_circle(fit, fit) == fit
    return [(floor, verdict), (prompt - computed, ""), (fit, "None")], (
        {"one-operation-a-weight": floor / 2},
        {"the-computed-ones": computed},
        {"rounded-up": fit + 1},
    )


def hits_in_a_circle(texts: int, places: int) -> int:
    """Hits of the third time round, where what was used longest ago goes."""
    kept: list[int] = []
    for _ in range(3):
        hits = 0
        for text in range(texts):
            hits += text in kept
            kept = [*(one for one in kept if one != text), text][-places:]
    return hits


def even_in_name(at, log):
    tokens, stream = at("asks for § tokens"), at("and § µs more") / 1e6
    median, p90 = at("end to end § ms") / 1e3, at("median, § ms at the p90") / 1e3
    more = (p90 - median) / (tokens * stream)
    verdict = "No: even gaps leave" if more > 1 else "Nothing here speaks against it"
    rate, short = at("rate: §`"), log("shorter than § ms") / 1e3
    # (1 - rate dt) ** (short / dt): no request in any of the small pieces of the gap.
    longer = (1 - rate * short / 1e6) ** 1e6
    return [(more, verdict), (100 * (1 - longer), "")], (
        {"in-flight": rate * median},
        {"in-proportion": 100 * rate * short},
    )


def defend_one_load(at, objection, both):
    speed, layers = 1e12 * at(r"\(§ TB/s"), at("each, § layers")
    few, quick = at("a step reads §,", "B"), at("caches, and takes §", "s")
    much, slow = both("s, § in", "B"), both(r", [^,]* in §\.", "s")
    most = (quick - few / speed) / layers
    slope = (slow - quick) / (much - few)
    by_share = quick / few * objection("a step reads §", "B")
    return [
        (most, "A second load"),
        (by_share, "cannot tell the two apart"),
        ((quick - slope * few) / layers, "as much more or as much less"),
    ], (
        {"for-all-layers": quick - few / speed, "nothing-is-read": quick / layers},
        {"the-same-step": quick, "at-the-peak": much / speed},
        {"at-the-peak": most},
    )


def board_timeouts(at, wider):
    panels = {text.split(": ")[0]: Words(text) for text in at.options.texts.values()}
    first, gap = (
        panels[name](": §", "s")
        for name in ("To the first token, mean", "Per token after the first, mean")
    )
    whole, rate = (
        panels[name](": §")
        for name in ("From sending to the last token, mean", "Output tokens a second")
    )
    answered, failed = panels["Answered"](": § req"), panels["Given up"](": § req")
    tokens, seconds = at("exactly § tokens"), at("In § s a")
    limit, mean = at("within § s is"), first + (tokens - 1) * gap
    made = answered * tokens / seconds
    assert answered + failed == at("sent § requests")
    lies = abs(whole / mean - 1) > 0.01
    assert lies != (abs(rate / made - 1) > 0.01)
    if lies:
        assert whole == pytest.approx(
            (answered * mean + failed * (limit + 0.5)) / (answered + failed), rel=2e-3
        )
    later = wider("is set to § s") + 0.5
    answers = [
        (mean, "From sending") if lies else (made, "Output tokens"),
        ((answered * mean + failed * later) / (answered + failed), "A bound from below"),
    ]
    return answers, ({"as-shown": whole if lies else rate}, {"the-answers-alone": mean})


def percentile_of_survivors(at, whole):
    rank, sent, failed = at("promise: § %"), at("sent § requests"), at("user; § of them")
    answered = sent - failed
    share = rank * answered / sent
    return [(share, f"So {rank:.0f} of 100 users"), (rank * sent / answered, "")], (
        {"as-the-summary": rank, "failed-taken-off": rank - 100 * failed / sent},
        {"the-same": rank, "the-wrong-way": share},
    )


SOLVED = (
    *(events_a_token, missing_tokens_made, client_gives_up, prompt_too_fast),
    *(even_in_name, defend_one_load, board_timeouts, percentile_of_survivors),
)


@pytest.mark.parametrize("solve", SOLVED, ids=lambda solve: solve.__name__)
def test_answers_letters_and_slips_follow_from_the_printed_words(solve):
    agrees(solve, SEEDS)


@pytest.mark.parametrize("solve", SOLVED, ids=lambda solve: solve.__name__)
def test_the_slips_that_are_computed_here_are_named_somewhere(solve):
    names_its_slips(solve)
