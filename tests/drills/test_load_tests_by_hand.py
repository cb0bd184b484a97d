"""The drills on load tests and their reports, solved with plain arithmetic from printed words.

A drill whose story leaves out a number, prints it rounded, or whose reference follows another
formula fails here.
"""

import pytest

from labutils.drills.catalog import find
from tests.rotation import in_turn

from .test_caches_by_hand import links

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


def missing_tokens_made(at, told, rates):
    whole, first = at("last token after §,", "s"), at("first token after §,", "s")
    made, text = told("asked for § tokens"), at("length § tokens")
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


SOLVED = (events_a_token, missing_tokens_made)


@pytest.mark.parametrize("solve", SOLVED, ids=lambda solve: solve.__name__)
def test_answers_letters_and_slips_follow_from_the_printed_words(solve):
    for seed in SEEDS:
        drill = find(solve.__name__).drill(seed)
        answers, wrong = solve(*links(drill))
        for (answer, chosen), slips in zip(answers, wrong, strict=True):
            if drill.answer is None:
                assert answer is None
            else:
                assert answer == pytest.approx(drill.answer, rel=drill.tolerance / 2 or 1e-9), seed
            if drill.options:
                assert chosen and chosen in drill.options.texts[drill.options.right], seed
            named = {item.name: item.value for item in drill.mistakes}
            for slip in set(slips) & set(named):
                assert named[slip] == pytest.approx(slips[slip], rel=0.01), (seed, slip)
            drill = drill.follow_up
        assert drill is None


@pytest.mark.parametrize("solve", SOLVED, ids=lambda solve: solve.__name__)
def test_the_slips_that_are_computed_here_are_named_somewhere(solve):
    _, wrong = solve(*links(find(solve.__name__).drill(0)))
    for link, slips in enumerate(wrong):
        named = set()
        for seed in range(40):
            drill = find(solve.__name__).drill(seed)
            for _ in range(link):
                drill = drill.follow_up
            named |= {item.name for item in drill.mistakes}
        assert set(slips) <= named, link
