"""The drills on servers and on watching them, solved with plain arithmetic from printed words.

A drill whose story leaves out a number, prints it rounded, or whose reference follows another
formula fails here. What can be counted is counted: events one by one, requests one by one, ages
and lengths on a grid.
"""

import re
from itertools import pairwise

import numpy as np
import pytest

from labutils.drills.catalog import find
from labutils.drills.judging.judging import judge
from tests.rotation import in_turn

from .checked_by_hand import names_its_slips
from .test_caches_by_hand import links

SEEDS = range(200 if in_turn(__file__) else 40)


def border(is_enough, low: float, high: float) -> float:
    """Where ``is_enough`` turns true between the two."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def held_stream(at, pings, zipped):
    rate, begins = at("then § tok/s"), at("the first § after", "s")
    tokens, held = int(at("tok/s, § tokens")), at("holds § bytes")

    def first_word(size: float) -> float:
        number, kept = 0, size
        while kept < held and number < tokens - 1:
            number, kept = number + 1, kept + size
        return begins + number / rate

    comment, every = re.search("`(.+)` and two", pings.text)[1], pings("comment every § s")
    sent = 0
    while sent * len(comment + "\n\n") < held:
        sent += 1
    assert sent * every > pings("for § s\\.\n")  # closed before
    assert zipped("answer has § tokens") == tokens
    wrong = (
        {"as-it-is-written": begins, "whole-answer": begins + (tokens - 1) / rate},
        {"as-it-is-sent": every, "one-a-second": sent},
        {"as-before": first_word(at("event of § bytes"))},
    )
    return [
        first_word(at("event of § bytes")), sent * every, first_word(zipped("is only § bytes"))
    ], wrong  # fmt: skip


def blocked_loop(at, many, parts):
    every, into, block = at("streams every § ms"), at("no time\\. § ms"), at(": § ms on")
    assert many("each with § ms") == block == parts("must the § ms")

    def gaps(start: float, count: int) -> list[float]:
        """Between tokens that are passed on, if so many parts begin at ``start``."""
        ends = [start + block * (part + 1) / count for part in range(count)]
        passed = []
        for number in range(int((start + block) // every) + 3):
            written = number * every
            busy = start < written < ends[-1]
            passed.append(next(end for end in ends if end >= written) if busy else written)
        return [after - before for before, after in pairwise(passed)]

    promise, period = parts("at most § ms"), 1000 / many("evenly, § a second")
    starts = [every - 1e-6 + every * number / 10 for number in range(10)]
    count = 1
    while max(max(gaps(start, count)) for start in starts) > promise + 1e-5:
        count += 1
    moments = period * (np.arange(20_000) + 0.5) / 20_000
    wrong = (
        {"handler-alone": block / 1000, "one-interval-more": (block + every) / 1000},
        {"those-who-are-held": block / 2000},
        {"rounded-down": count - 1},
    )
    late = np.maximum(block - moments, 0).mean()
    return [max(gaps(into, 1)) / 1000, late / 1000, count], wrong


def drain_limit(at, least, mixed):
    each = at("tokens, § ms each") / 1000
    whole, grace = at("has § tokens") * each, at("gives it § s in all")
    before = at("first § s of them")
    rests = whole * (np.arange(20_000) + 0.5) / 20_000
    may = least("most § % may") / 100
    need = before + np.sort(rests)[int(20_000 * (1 - may))]
    longest = mixed("and § tokens") * mixed("tokens, § ms each") / 1000
    assert mixed("gives § s again") == grace and mixed("first § s pass") == before
    grid = longest * (np.arange(500) + 0.5) / 500
    lengths, ages = grid[:, None], grid[None, :] - longest / 1000 + 1e-9
    runs, cut = ages < lengths, lengths - ages > grace - before
    wrong = (
        {"all-of-the-grace": 100 * (rests > grace).mean()},
        {"nobody-cut": before + whole},
        {"rests-as-lengths": 100 * (grid > grace - before).mean()},
    )
    share = 100 * (runs & cut).sum() / runs.sum()
    return [100 * (rests > grace - before).mean(), need, share], wrong


def slow_reader(at, sockets, line):
    made, event = at("tokens at § tok/s"), at("event of § bytes")
    carries, bound = at("carries §", "B/s"), at("once § events")
    hidden = sockets("sides hold §", "B")
    assert line("the § events") == bound and line("and the § are", "B") == hidden

    def reached(most: float) -> float:
        """When that many events lie between engine and reader, each carried in its turn."""
        written = carried = 0
        done = 0.0  # when the line has carried the events so far
        while written - carried < most:
            written += 1
            while carried < written and max(done, (carried + 1) / made) + event / carries <= (
                written / made
            ):
                done = max(done, (carried + 1) / made) + event / carries
                carried += 1
        return written / made

    longest = line("have § tokens")
    enough = border(
        lambda bytes_s: longest * (1 - bytes_s / event / made) <= bound + hidden / event,
        0.0, made * event,
    )  # fmt: skip
    first, ends = reached(bound), at("answer of § tokens") / made
    wrong = (
        {"reading-forgotten": bound / made, "end-of-the-answer": ends},
        {"as-before": bound / (made - carries / event)},
        {"as-fast-as-it-is-written": made * event},
    )
    choice = "It is cut" if first < ends else "Its answer is written"
    return [first, reached(bound + hidden / event), enough], wrong, {0: choice}


def closed_or_open(at, late):
    users, each = int(at("plays § users")), at("An answer takes § ms") / 1000
    run, stall = 60 * at("for § minutes"), at("freezes for § s")

    def sent(seconds: float) -> float:
        """How many requests the users send who began one after the other."""
        return sum((seconds - each * user / users) // each + 1 for user in range(users))

    rate, most, limit = late("production § req/s"), late("most § req/s"), late("longer than § s")
    done, over, number = stall, 0, 0
    while True:
        comes = number / rate
        begun = max(done, comes)
        if number and begun - comes <= limit:
            break
        over, number, done = over + 1, number + 1, begun + 1 / most
    wrong = (
        {"those-in-flight": users, "one-user": stall / each},
        {"the-freeze": 100 * stall / run, "as-the-test-logs": 100 * users / sent(run - stall)},
    )
    return [sent(run) - sent(run - stall), 100 * over / (rate * run)], wrong


def page_at_burn(at, spent, after):
    may, bad = 1 - at("days: § % of requests") / 100, at("on § % of the requests") / 100
    name, times = re.search(r"in the last (?:(\d) )?hours? is ([\d.]+) times", at.text).groups()
    window = 3600 * int(name or 1)
    assert after("looks § min back") * 60 == window

    def share(now: float, end: float = 1e9) -> float:
        """Of bad requests in the window that ends ``now``; the release was at 0."""
        bad_time = max(0.0, min(now, end) - max(0.0, now - window))
        return bad * bad_time / window

    line = float(times) * may
    called = border(lambda now: share(now) >= line, 0.0, window)
    repaired = called + 60 * spent("^§ minutes after")
    quiet = border(lambda u: share(repaired + u, repaired) < line, 0.0, window)
    month, hundred = 30 * 86_400, 100 * bad / may
    wrong = (
        {"whole-window": window, "until-all-is-spent": month * may / bad},
        {"until-the-call": hundred * called / month,
         "from-the-call-on": hundred * (repaired - called) / month},
        {"whole-window": window, "as-long-as-it-took": called},
    )  # fmt: skip
    return [called, hundred * repaired / month, quiet], wrong


def late_shares(at, given):
    rows = re.findall(r"^ {4}(\w): (\d+) req/s, ([\d.]+) % late$", at.text, flags=re.M)
    count = {name: 1000 * int(rate) for name, rate, _ in rows}
    late = {name: count[name] * float(share) / 100 for name, _, share in rows}
    promise = at("most § % of all")
    share = 100 * sum(late.values()) / sum(count.values())
    shown = sum(float(row[2]) for row in rows) / len(rows)
    slow = re.search(r"may (\w) get", given.text)[1]
    others = sum(late.values()) - late[slow], sum(count.values()) - count[slow]

    def mixed(part: float) -> float:
        """Late in a million, with that part at the slow one."""
        return 1e6 * (part * late[slow] / count[slow] + (1 - part) * others[0] / others[1])

    most = 100 * border(lambda part: mixed(part) > 1e4 * promise, 0.0, 1.0)
    verdict = (
        "It shows the promise as it is" if (share <= promise) == (shown <= promise)
        else "It shows the promise as kept" if shown <= promise
        else "It shows the promise as broken"
    )  # fmt: skip
    wrong = (
        {"one-replica-one-vote": shown, "without-the-slowest": 100 * others[0] / others[1]},
        {"as-now": 100 * count[slow] / sum(count.values())},
    )
    return [share, most], wrong, {0: verdict}


def refused_again(at, spread):
    takes, new = at("server takes § req/s"), at("chance\\. § req/s")
    found = re.search(r"up to (\d) times", at.text)
    again = int(found[1]) if found else 1
    attempts = [new] + [0.0] * again
    for _ in range(4_000):  # seconds; a client's tries are a second apart
        refused = max(0.0, 1 - takes / sum(attempts))
        attempts = [new, *(refused * comes for comes in attempts[:-1])]
    rate, room, down = spread(": § req/s come"), spread("takes § req/s"), spread("For § s it")

    def height(width: float) -> float:
        """The most that come back in a second: refused evenly, sent back over ``width``."""
        moments = np.linspace(0, down + width, 400)
        return max(rate * (min(t, down) - max(0.0, t - width)) / width for t in moments)

    wide = border(lambda width: height(width) + rate <= room, 0.5, 1e5)
    assert wide > down and spread("after § s and") > down
    wrong = (
        {"everybody-every-time": new * (again + 1), "nobody-comes-back": new},
        {"whole-capacity": rate * down / room, "as-long-as-the-outage": down},
    )
    return [sum(attempts), wide], wrong


SERVERS = (
    *(held_stream, blocked_loop, drain_limit, slow_reader),
    *(closed_or_open, page_at_burn, late_shares, refused_again),
)


@pytest.mark.parametrize("solve", SERVERS, ids=lambda solve: solve.__name__)
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
            assert len(mistakes) >= 4
            slips = wrong[link]
            for name in slips.keys() & mistakes.keys():
                assert mistakes[name] == pytest.approx(slips[name], abs=allowed), (seed, name)
                verdict = drill.number.check(slips[name])
                assert verdict.diagnosis == name, (seed, name, verdict)
            drill = drill.follow_up
        assert drill is None


@pytest.mark.parametrize("solve", SERVERS, ids=lambda solve: solve.__name__)
def test_the_slips_that_are_computed_here_are_named_somewhere(solve):
    names_its_slips(solve)


@pytest.mark.parametrize(
    ("name", "number", "form"),
    [
        ("held_stream", 0, "{m:.5g} ms"),
        ("held_stream", 0, "about {x:.4g} seconds"),
        ("held_stream", 1, "{x:,.0f} s"),
        ("held_stream", 1, "{min:.5g} minutes"),
        ("held_stream", 2, "{x:.4g} s"),
        ("blocked_loop", 0, "{m:.4g} ms"),
        ("blocked_loop", 1, "about {m:.4g} ms"),
        ("blocked_loop", 2, "{x:.0f} parts"),
        ("drain_limit", 0, "{x:.4g} %"),
        ("drain_limit", 0, "{x:.4g} percent"),
        ("drain_limit", 1, "{x:.4g} seconds"),
        ("drain_limit", 2, "{x:.4g}%"),
        ("slow_reader", 0, "{L} {x:.4g} s"),
        ("slow_reader", 1, "{x:.4g} seconds"),
        ("slow_reader", 2, "{k:.4g} kB/s"),
        ("slow_reader", 2, "{x:,.0f} bytes a second"),
        ("closed_or_open", 0, "{x:,.0f} requests"),
        ("closed_or_open", 1, "{x:.4g} %"),
        ("page_at_burn", 0, "{min:.4g} min"),
        ("page_at_burn", 0, "{min:.4g} minutes"),
        ("page_at_burn", 1, "{x:.4g} %"),
        ("page_at_burn", 2, "{min:.4g} minutes"),
        ("late_shares", 0, "{L} {x:.4g} %"),
        ("late_shares", 1, "{x:.4g} percent"),
        ("refused_again", 0, "{x:.4g} attempts/s"),
        ("refused_again", 0, "{x:.4g} attempts a second"),
        ("refused_again", 1, "{x:.4g} s"),
    ],
)
def test_an_answer_in_the_words_of_its_question_is_read(name, number, form):
    for seed in range(0, 200, 11):
        drill = find(name).drill(seed)
        for _ in range(number):
            drill = drill.follow_up
        letter, x = drill.options.right if drill.options else "", drill.answer
        text = form.format(x=x, k=x / 1000, m=1000 * x, min=x / 60, L=letter)
        assert judge(drill, text).passed, (text, judge(drill, text).message)


def test_a_choice_of_these_drills_is_not_always_the_same():
    for name in ("slow_reader", "late_shares"):
        drills = [find(name).drill(seed) for seed in range(40)]
        right = [drill.options.texts[drill.options.right] for drill in drills]
        assert max(map(right.count, right)) <= 30, name


def test_both_ends_of_a_compressed_stream_come_up():
    drills = [find("held_stream").drill(seed).follow_up.follow_up for seed in range(40)]
    never_fills = sum("never fills" in drill.steps[-1].text for drill in drills)
    assert 4 <= never_fills <= 36
