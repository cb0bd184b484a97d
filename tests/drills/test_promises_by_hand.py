"""The drills on promises, layouts and drafts, solved with plain arithmetic from printed words.

A drill whose story leaves out a number, prints it rounded, or whose reference follows another
formula fails here. What can be counted is counted: requests one by one, steps one by one,
drafts by the ten thousand.
"""

import re
from bisect import bisect_left

import pytest

from labutils.drills.catalog import find
from labutils.drills.judging.judging import judge
from tests.rotation import in_turn

from .checked_by_hand import names_its_slips
from .test_caches_by_hand import links
from .test_capacity_by_hand import up

SEEDS = range(200 if in_turn(__file__) else 40)


def fair_counters(at, clock, dear):
    price, memory = at("answer counts §"), at("at most § tokens together")
    longest = at("Prompts have at most § tokens")
    # One tenant starts at the lower count: prompts of every length, answers in what is left.
    shapes = [(longest * part / 8, memory - longest * part / 8) for part in range(9)]
    apart = max(prompt + price * answers for prompt, answers in shapes)
    counted = clock("reads § tok/s") + price * clock("writes § tok/s")
    weight = dear("prompt counts §")
    dearer = max(weight * prompt + answers for prompt, answers in shapes)
    wrong = (
        {"at-one-moment": apart, "tokens-uncounted": 2 * memory},
        {"half-an-engine": 2 * apart / (counted / 2)},
        {"larger-of-the-two": 2 * max(weight * longest, memory)},
    )
    return [2 * apart, 2 * apart / counted, 2 * dearer], wrong


def ageing_queue(at, rush):
    every, low, high = at("by 1 every § s"), at("with number §,"), at("with number §\\. While")
    age = next(age for age in range(10**4) if high - age / every <= low)
    work, ahead, most = rush("second § s"), rush("and § s of work"), rush("within § s")
    gap = high - low

    def starts(fall: float) -> float:
        """When it starts, if whatever is overtaken in this many seconds a number is served."""
        return ahead + work * gap * fall

    low_end, high_end = 0.0, most
    for _ in range(60):
        middle = (low_end + high_end) / 2
        low_end, high_end = (middle, high_end) if starts(middle) <= most else (low_end, middle)
    wrong = (
        {"down-to-zero": high * every, "one-step-less": (gap - 1) * every},
        {"as-fast-as-the-clock": (most - ahead) / gap, "equal-in-time": most / gap},
    )
    return [age, low_end], wrong


def draft_shares(at, rejected):
    rows = re.findall(r"^ {4}(\w+) +([\d.]+) +([\d.]+)$", at.text, flags=re.M)
    shares = {word: (round(100 * float(p)), round(100 * float(q))) for word, p, q in rows}
    # Of 10,000 drafts 100 q are this word, and of those 100 min(p, q) stay.
    kept = {word: min(100 * q, 100 * p) for word, (p, q) in shares.items()}
    missing = {word: 100 * p - kept[word] for word, (p, _) in shares.items()}
    word = re.search("“(\\w+)”", rejected.text)[1]
    assert sum(missing.values()) == 10_000 - sum(kept.values())  # one for each rejected draft
    wrong = (
        {"the-rejected": sum(missing.values()) / 1e4},
        {"own-share": shares[word][0] / 100, "not-normalised": missing[word] / 1e4},
    )
    return [sum(kept.values()) / 1e4, missing[word] / sum(missing.values())], wrong


def defend_refusals(at, objection, arrival):
    chats, documents = int(at("brings § chats")), int(at("chats and § documents"))
    each, chat, document = at("takes it § ms"), at("within § s, a doc"), at("document within § s")
    due = {"chat": 1000 * chat, "document": 1000 * document}
    assert chats == documents
    turns = ["chat", "document"] * chats
    ordered = sorted(turns, key=due.get)

    def kept(line, *, refuse: bool) -> int:
        now = count = 0
        for kind in line:
            late = now + each > due[kind]
            now += 0 if refuse and late else each
            count += not late
        return count

    best, plain, first = kept(ordered, refuse=True), *(
        kept(line, refuse=False) for line in (ordered, turns)
    )  # fmt: skip
    assert objection("turn § users") == 2 * chats - best
    wrong = (
        {"late-ones-served": plain, "in-turn": first},
        {"as-with-refusals": best},
        {"by-deadline": plain},
    )
    return [best, plain, first], wrong


def chain_chunk(at, prompt, grown):
    fixed, token = 1000 * at("step takes § ms"), at("and § µs more")
    read, streams, context = at("and § ns"), at("§ streams decode"), at("with § tokens of context")
    promise = 1000 * at("a token every § ms")

    def step(chunk: float, context: float = context) -> float:
        """A step in µs."""
        return fixed + token * (streams + chunk) + streams * context * read / 1000

    def first_token(length: int, chunk: int, context: float = context) -> float:
        seconds = 0.0
        while length > 0:
            seconds += step(min(chunk, length), context) / 1e6
            length -= chunk
        return seconds

    most = max(chunk for chunk in range(1, 3000) if step(chunk) <= promise)
    chunk, length = int(prompt("chunk to § tokens")), int(prompt("prompt of § tokens"))
    longer, limit = grown("grown to § tokens"), grown("within §", "s")
    chunks = range(1, length)
    in_time = bisect_left(chunks, True, key=lambda n: first_token(length, n, longer) <= limit)
    least = chunks[in_time]
    fits = step(least, longer) <= promise
    assert grown("beside the § ms") == promise / 1000 and grown("prompt of § tokens") == length
    wrong = (
        {"streams-forgotten": int((promise - fixed) / token), "rounded-up": most + 1},
        {"alone": (fixed + length * token) / 1e6},
        {"as-many-as-before": chunk},
    )
    return [most, first_token(length, chunk), least], wrong, {2: "Yes" if fits else "No: such"}


def shed_or_not(at, later):
    reads, taken = at("prompts at § tok/s"), at("they take § % of the") / 100
    own, waiting, promise = (
        at("prompt of § tokens"), at("Prompts of § tokens"), at("within §", "s")
    )  # fmt: skip
    rate = reads * (1 - taken)
    after = (waiting + own) / rate
    queue, coming = later("later § tokens"), later("bring § tok/s")
    seconds = 0
    while (queue + own) / rate > promise + 1e-9:
        queue, seconds = queue + coming - rate, seconds + 1
    wrong = (
        {"streams-forgotten": (waiting + own) / reads, "own-prompt-alone": own / rate},
        {"until-it-is-empty": up(later("later § tokens") / (rate - coming))},
    )
    return [after, seconds], wrong, {0: "Let it in" if after <= promise else "Refuse"}


def exchange_floor(at, two, _):
    layers, hidden = at("§ layers"), at("hidden size §")
    floor, rate = at("exchange takes §", "s"), 1e9 * at("at § GB/s")
    tokens, work = two("^§ streams decode"), two("works for §", "s")
    message = tokens * hidden * 2
    eight = 2 * layers * (floor + message / rate)
    pair = 2 * layers * (two("exchange takes §", "s") + message / (1e9 * two("at § GB/s")))
    share = 100 * eight / (work / 4 + eight)
    wrong = (
        {"one-byte": floor * rate / hidden},
        {"two-cards": 100 * pair / (work + pair), "over-the-work": 400 * eight / work},
        {"time-alone": (work / 4 + eight) / (work + pair)},
    )
    paid = 8 * (work / 4 + eight) / (2 * (work + pair))
    return [floor * rate / hidden / 2, share, paid], wrong


def acceptance_that_pays(at, measured):
    streams, drafts = at(": § streams decode"), int(at("writes § drafts"))
    plain, check = at("stream, takes § ms"), at("rows takes § ms")
    share = at("takes § of a plain step")
    assert at("one over § rows") == (drafts + 1) * streams
    assert measured("over § rows") == 2 * streams

    def gain(accepted: float, drafts: int, check: float) -> float:
        """Tokens over plain steps, each run of kept drafts with its own chance."""
        runs = [accepted**kept * (1 - accepted) for kept in range(drafts)] + [accepted**drafts]
        tokens = sum(chance * (kept + 1) for kept, chance in enumerate(runs))
        return tokens * plain / (check + drafts * share * plain)

    border = next(x / 1e4 for x in range(10**4) if gain(x / 1e4, drafts, check) >= 1)
    accepted, pair = measured("probability §"), measured("rows takes § ms")
    gains = {
        "No drafts": 1.0,
        "One draft": gain(accepted, 1, pair),
        f"{drafts} drafts": gain(accepted, drafts, check),
    }
    wrong = (
        {"each-by-itself": (check / plain + drafts * share - 1) / drafts},
        {"as-before": gains[f"{drafts} drafts"], "own-token-forgotten": gains["One draft"]
         * accepted / (1 + accepted)},
    )  # fmt: skip
    return [border, gains["One draft"]], wrong, {1: max(gains, key=gains.get)}


PROMISED = (
    *(fair_counters, ageing_queue, draft_shares, defend_refusals, chain_chunk, shed_or_not),
    *(exchange_floor, acceptance_that_pays),
)


@pytest.mark.parametrize("solve", PROMISED, ids=lambda solve: solve.__name__)
def test_each_answer_and_choice_follows_from_the_printed_words(solve):
    for seed in SEEDS:
        drill = find(solve.__name__).drill(seed)
        answers, wrong, *choices = solve(*links(drill))
        for link, answer in enumerate(answers):
            # Half of the tolerance: the rest belongs to the learner's rounding.
            allowed = max(drill.tolerance * drill.answer / 2, drill.absolute / 2, 1e-9)
            allowed = 1e-9 if drill.unsafe else allowed
            assert answer == pytest.approx(drill.answer, abs=allowed), (seed, link, drill.story)
            if choices and link in choices[0]:
                assert drill.options.texts[drill.options.right].startswith(choices[0][link]), seed
            mistakes = {item.name: item.value for item in drill.mistakes}
            slips = wrong[link] if link < len(wrong) else {}
            for name in slips.keys() & mistakes.keys():
                assert mistakes[name] == pytest.approx(slips[name], abs=allowed), (seed, name)
                verdict = drill.number.check(slips[name])
                assert verdict.diagnosis == name, (seed, name, verdict)
            drill = drill.follow_up
        assert drill is None


@pytest.mark.parametrize("solve", PROMISED, ids=lambda solve: solve.__name__)
def test_the_slips_that_are_computed_here_are_named_somewhere(solve):
    names_its_slips(solve)


@pytest.mark.parametrize(
    ("name", "number", "form"),
    [
        ("fair_counters", 0, "{x:,.0f}"),
        ("fair_counters", 0, "{k:g}k"),
        ("fair_counters", 0, "about {x:,.0f} units"),
        ("fair_counters", 1, "{x:.4g} seconds"),
        ("ageing_queue", 0, "{x:g} s"),
        ("ageing_queue", 0, "{x:g} seconds"),
        ("ageing_queue", 1, "about {x:.4g} s"),
        ("draft_shares", 0, "{p:.4g} %"),
        ("draft_shares", 0, "{p:.4g} percent"),
        ("draft_shares", 0, "p = {x:.4g}"),
        ("draft_shares", 1, "{p:.4g}%"),
        ("defend_refusals", 0, "{L} {x:.0f}"),
        ("defend_refusals", 0, "{x:.0f} requests, {L}"),
        ("defend_refusals", 1, "{L}, {x:.0f} requests"),
        ("defend_refusals", 2, "{x:.0f} requests"),
        ("chain_chunk", 0, "{L} {x:.0f} tokens"),
        ("chain_chunk", 1, "{L}, {m:.5g} ms"),
        ("chain_chunk", 2, "{L} {x:,.0f} tokens"),
        ("shed_or_not", 0, "{L} {x:.4g} s"),
        ("shed_or_not", 1, "{x:.0f} s"),
        ("shed_or_not", 1, "{x:.0f} seconds"),
        ("exchange_floor", 0, "{x:.4g} tokens"),
        ("exchange_floor", 1, "{p:.4g} %"),
        ("exchange_floor", 2, "{x:.4g}x"),
        ("exchange_floor", 2, "{x:.4g} times as much"),
        ("acceptance_that_pays", 0, "{p:.0f} %"),
        ("acceptance_that_pays", 0, "{x:.2f}"),
        ("acceptance_that_pays", 1, "{L} {x:.4g} times as fast"),
    ],
)
def test_an_answer_in_the_words_of_its_question_is_read(name, number, form):
    for seed in range(0, 200, 11):
        drill = find(name).drill(seed)
        for _ in range(number):
            drill = drill.follow_up
        letter = drill.options.right if drill.options else ""
        x, percent = drill.answer, drill.answer * (1 if drill.unit == "%" else 100)
        text = form.format(x=x, k=x / 1000, m=1000 * x, p=percent, L=letter)
        assert judge(drill, text).passed, (text, judge(drill, text).message)


def test_a_choice_of_these_drills_is_not_always_the_same():
    for name, link in (("chain_chunk", 0), ("chain_chunk", 2), ("shed_or_not", 0),
                       ("acceptance_that_pays", 1)):  # fmt: skip
        right = []
        for seed in range(40):
            drill = find(name).drill(seed)
            for _ in range(link):
                drill = drill.follow_up
            right.append(drill.options.texts[drill.options.right])
        assert max(map(right.count, right)) <= 30, (name, link)
