"""Answers as people write them, put to real drills: what is meant counts, and nothing else.

In a form ``x`` is the right answer in the drill's unit, ``m`` a thousand times it, ``k``, ``M``,
``G`` and ``T`` it divided by powers of a thousand, ``Ki`` by 1,024, ``p`` a hundred times, ``L``
the right letter.
"""

import random
import string

import pytest

from labutils.drills.catalog import find, templates
from labutils.drills.judging.as_written import (
    letter,
    letter_and_rest,
    minutes_in_letters,
    on_a_clock,
    readable,
)
from labutils.drills.judging.formulas_typed import worked_out
from labutils.drills.judging.judging import given_value, judge
from labutils.drills.judging.rough import can_be_rough, rough_number
from labutils.exercises.definition.verdict import Status
from labutils.ground.units import parse

SEED = 3

RIGHT = {
    "million_tokens": """{x:.4g} | ${x:.4g} | $ {x:.4g} | {x:.4g} $ | {x:.4g} USD | {x:.4g} dollars
        ${x:.4g} per million | ${x:.4g} per million tokens | ${x:.4g}/Mtok | {x:.4g} $/Mtok
        ${x:.4g}/M tokens | ${x:.4g} per M tokens | ${x:.4g} per 1M tokens | about ${x:.4g}
        ~${x:.4g} | price = ${x:.4g} | (${x:.4g}) | ${x:.4g}/million | {x:.4g} usd
        {x:.4g} dollars per million tokens | ${x:.4g} per million output tokens
        USD {x:.4g} | USD {x:.4g} per million | 2*{x:.4g}/2 | $ {x:.4g} per million tokens""",
    "break_even": """{x:.0f} | {M:.5g}M | {M:.5g} M | {M:.5g} million | {x:,.0f} | {G:.5g}B
        {M:.5g}M tokens | {M:.5g}M tokens a day | {M:.5g}M tokens per day | {M:.5g}M/day
        {M:.5g} million tokens a day | {M:.5g}M tok | {M:.5g}M tok/day | {G:.5g}B/day
        {G:.5g}B tokens/day | {G:.5g} billion | {x:.5e} | about {M:.4g}M | ~{M:.4g}M a day
        {M:.5g} Mtok | {M:.5g} Mtok/day | {M:.5g}M per day | {k:.5g}k | tokens = {M:.5g}M
        {M:.5g}*10^6 | {M:.5g}*10^6 tokens a day | {M:.5g}e6/day | ({M:.5g}M tokens a day)""",
    "kv_per_token": """{x:.0f} | {x:.0f} B | {x:.0f} bytes | {k:.5g} kB | {k:.5g} kB/token
        {x:.0f} bytes per token | {x:.0f} B/tok | {Ki:.6g} KiB | {Ki:.6g} KiB/token | {k:.5g}k
        {k:.5g}K | {k:.5g} KB | {M:.5g} MB | {M:.5g} MB per token | {x:,.0f} bytes | {x:.0f}B
        {x:.0f} bytes a token | {x:.0f} bytes each token | kv = {x:.0f} B | {Ki:.6g} KB
        {Ki:.6g}KB/token | {x:.4e} B""",
    "flop_per_byte": """{x:.4g} | {x:.4g} FLOP/B | {x:.4g} FLOPs/B | {x:.4g} FLOPS/B
        {x:.4g} flop/byte | {x:.4g} FLOPs per byte | {x:.4g} ops/byte | {x:.4g} op/B
        {x:.4g} operations per byte | {x:.4g} operations/byte | {x:.4g} Flop/B | ~{x:.3g}
        {x:.4g} ops per byte | {x:.4g} flops/byte | ({x:.4g})""",
    "latency_from_gauges": """{x:.4g} | {x:.4g} s | {x:.4g}s | {m:.5g} ms | {x:.4g} seconds
        {x:.4g} sec | {x:.4g} s. | ({x:.4g} s) | t = {x:.4g} s | T={x:.4g}s | W = {x:.4g} s
        {x:.4g} s per request | {x:.4g} s/request | {x:.4g} seconds per request | about {x:.4g} s
        it is {x:.4g} s | answer: {x:.4g} s | "{x:.4g} s" | {m:,.5g} ms | {x:.4g} s a request
        {x:.4g} s ({m:.5g} ms) | {m:.5g}ms | {m:.5g} msec | 22/2 | 22/2 s | 5.5*2 s | 1.1e1 s
        (5 + 6)*1 s | 2*(5.5) | 22/2 = 11 | 22/2 s = 11 s | t = 22/2 | 121^.5 | 10*(1 + 0.1) s
        (1.1)*(10) | 33/(1 + 2) seconds | 5.5 * 2 seconds per request | 44/4 s/request""",
    "busy_share": """{x:.4g} | {p:.4g} % | {p:.4g}% | {p:.4g} percent | {p:.4g} per cent
        {p:.4g} pct | {p:.4g} pct. | {x:.4g} ({p:.4g} %) | rho = {x:.4g} | ({p:.4g} %)
        about {p:.3g} % | ~{p:.3g}% | 7.79/11 | 7.79 / 11 | .708 | {p:.4g} Percent
        1 - 3.21/11 | 1-3.21/11 | (11 - 3.21)/11 | 100*7.79/11 % | 7.79/11 = 0.708""",
    "in_flight": """{x:.0f} | {x:.0f} req | {x:.0f} requests | {x:.0f} connections
        {x:.0f} open connections | about {x:.0f} | L = {x:.0f} | {x:.0f} connections open
        ({x:.0f}) | 80/2 | 2*20 | 2*20 connections | ~{x:.0f} requests | {x:.1f}
        (30 + 10)*1 | 5*8 open connections | 2^5 + 8 | L = 5*8 = 40 | 80/2 req""",
    "two_rates": """{x:.4g} | {x:.5g} tok/s | {x:.5g} tokens/s | {x:.5g} tps | {x:.5g} t/s
        {x:.5g} tokens per second | {k:.4g}k tok/s | {x:.5g} tok/sec | {x:.5g}/s | {k:.4g}k
        {k:.4g} ktok/s | {k:.4g}k tps | about {x:.4g} tps | {x:,.0f} tokens/s | ({x:.5g} tok/s)
        2*{x:.5g}/2 tps | {x:.5g}*3/3 | rate = {x:.5g} t/s | (1 + 1)*{x:.5g}/2 tok/s""",
    "gpus_at_peak": "{x:.0f} | {x:.0f} GPUs | about {x:.0f} GPUs | {x:.0f} gpus",
    "cache_transfer": """{L} {m:.4g} ms | {L}, {m:.4g} ms | ({L}) {m:.4g} ms | {L}: {m:.4g} ms
        {L},{m:.4g}ms | {m:.4g} ms, {L} | {m:.4g} ms {L} | {L}={m:.4g} ms | {L} and {m:.4g} ms
        {L} with {x:.4g} s | option {L}, {m:.4g} ms | {L}; {x:.4g} s | {x:.4g} s; {L}
        {m:.4g} ms ({L}) | {L}) {m:.4g} ms | answer {L}, {x:.4g}""",
    "averaged_percentiles": """{L} {x:.4g} % | {L} {x:.4g} | {x:.4g} %, {L} | {L}, {x:.4g} percent
        {L} {x:.4g} pct | {x:.4g} per cent, {L}""",
    "weight_memory": """{G:.4g} GB | {G:.4g}GB | {G:.4g}G | {G:.4g} G | {M:.6g} MB | {x:.5e} B
        2*{G:.4g}/2 GB | 2*{G:.4g}/2 GB = {G:.4g} GB | {G:.4g}*10^9 B | {G:.4g}*10**9
        W = {G:.4g} GB | ({G:.4g} GB) | {G:.4g} GB. | about {G:.4g} GB | {x:.0f}""",
    "chain_price": """{L} ${x:.5g} | {L} {x:.5g} | ${x:.5g}, {L} | {L} {x:.5g} USD
        {L}, {x:.5g} dollars""",
    "price_by_class": """{c:.4g} cents | {c:.4g} cents per million | {c:.4g} ¢ | about {c:.3g} cents
        {c:.4g}¢ per million tokens""",
    "eight_bit_phases": """{L} {x:.4g} times as fast | {L}, {x:.4g}x | {L} - {x:.4g}
        {L} – {x:.4g} times | {x:.4g} times, {L}""",
    "cold_cache": "{p:.4g} % busy | {p:.4g}% busy | {x:.4g} busy",
    "p95_of_a_list": "{x:.0f} | {x:.0f} ms | {x:.0f}ms | p95 = {x:.0f} ms | {x:.0f} ms.",
}  # fmt: skip

# Form -> the state in which it is refused: none of these is what was asked for.
REFUSED = {
    "million_tokens": {
        "${x:.4g}/h": "unit", "{x:.4g} s": "unit", "{x:.4g} tok": "unit", "12,5": "unreadable",
        "${x:.4g} per request": "unit", "cheap": "unreadable", "$": "unreadable",
    },
    "break_even": {
        "{M:.5g}M tok/s": "unit", "{M:.5g} MB": "unit", "{M:.5g}M bananas": "unreadable",
        "{M:.5g}M per hour": "unit", "{M:.5g}M/s": "unit", "${M:.5g}M": "unit",
    },
    "kv_per_token": {
        "{x:.0f} tok": "unit", "{x:.0f} B/s": "unit", "{x:.0f} bit": None,
        "{x:.0f} bytes per head": "unreadable", "{x:.0f} FLOP": "unit",
    },
    "flop_per_byte": {
        "{x:.4g} FLOP": "unit", "{x:.4g} B": "unit", "{x:.4g} FLOP/s": "unit", "{x:.4g} %": None,
    },
    "latency_from_gauges": {
        "{x:.4g} requests/s": "unit", "{x:.4g} %": "unit", "{x:.4g} ms": "scale", "1,5": None,
        "{x:.4g} m": "unreadable", "10-12 s": "unreadable", "22/0": "unreadable", "9^99": None,
        "22/(1-1)": "unreadable", "(22": "unreadable", "22)/2": "unreadable", "2(11)": "unreadable",
        "9^9^9": "unreadable", "((((9^99)^99)^99)^99": "unreadable", "22/2 = 12": None,
        "{x:.4g} s (5 s)": "unreadable", "__import__('os')": "unreadable", "nan": "unreadable",
        "inf": "unreadable", "1e999": "unreadable", "{x:.4g} tok": "unit", "22//2": "unreadable",
    },
    "busy_share": {
        "{p:.4g} ms": "unit", "{p:.4g}": "scale", "{x:.4g} %": "scale", "half": "unreadable",
        "{p:.4g} degrees": "unreadable", "0.71 (17 %)": "unreadable",
    },
    "in_flight": {
        "{x:.0f} ms": "unit", "{x:.0f} tokens": "unit", "{x:.0f} megs": "unreadable",
        "{x:.0f}/s": "unit", "{x:.0f} horses": "unreadable",
    },
    "two_rates": {
        "{x:.5g} tok": "unit", "{x:.5g} ms": "unit", "{x:.5g} tpm": "unreadable",
        "{x:.5g} req/s": "unit", "{x:.5g} tokens per minute": None,
    },
    "weight_memory": {"{G:.4g}": None, "{G:.4g} GB/s": "unit", "{G:.4g} Gb": None},
}  # fmt: skip


def written(form, drill):
    """A form with this drill's numbers."""
    x = drill.answer
    powers = {"c": 100 * x} | {name: x / 1000**n for n, name in enumerate("kMGT", 1)}
    right = drill.options.right if drill.options else ""
    return form.format(x=x, m=1000 * x, p=100 * x, Ki=x / 1024, L=right, **powers)


def forms(table):
    for name, text in table.items():
        for form in text.replace("\n", "|").split("|") if isinstance(text, str) else text.items():
            yield (name, form.strip()) if isinstance(form, str) else (name, *form)


@pytest.mark.parametrize("name,form", [one for one in forms(RIGHT) if one[1]])
def test_what_is_right_is_right_however_it_is_written(name, form):
    drill = find(name).drill(SEED)
    text = written(form, drill)
    verdict = judge(drill, text)
    assert verdict.passed, (text, drill.answer, verdict.message)


@pytest.mark.parametrize("name,form,status", list(forms(REFUSED)))
def test_what_is_not_meant_is_refused_for_what_it_is(name, form, status):
    drill = find(name).drill(SEED)
    text = written(form, drill)
    verdict = judge(drill, text)
    assert not verdict.passed, text
    assert status is None or verdict.status is Status(status), (text, verdict)


def test_there_are_three_hundred_forms():
    assert len([one for one in forms(RIGHT) if one[1]]) + len(list(forms(REFUSED))) >= 300


@pytest.mark.parametrize(
    "text, value",
    [
        ("1 - 0.95^4", 1 - 0.95**4),
        ("24/(0.55+127*.03)", 24 / (0.55 + 127 * 0.03)),
        ("-2^2 + 5*1", 1),
        ("2^-3*8", 1),
        ("2*3^2/9 - (4-3)", 1),
    ],
)
def test_a_formula_is_worked_out_as_everybody_reads_it(text, value):
    assert float(worked_out(text)) == pytest.approx(value)


@pytest.mark.parametrize(
    "text", ["10-12 s", "5", "1/0", "0^-1", "(-4)^.5", "2 3*", "3(4)", "*2", "9^9^9"]
)
def test_what_is_no_formula_or_comes_to_nothing(text):
    assert worked_out(text) is None


def test_a_kb_of_1024_is_right_with_a_note():
    drill = find("kv_per_token").drill(SEED)
    text = written("{Ki:.6g} KB", drill)
    assert "1,024" in judge(drill, text).note
    assert not judge(drill, text.replace("KB", "kB")).passed
    assert judge(drill, written("{k:.5g} KB", drill)).note == ""


@pytest.mark.parametrize(
    "text, seconds",
    [
        ("3:51", 231),
        ("03:51", 231),
        ("3:51.5", 231.5),
        ("3:51 min", 231),
        ("3:51 m:s", 231),
        ("about 3:51", 231),
        ("~3:51", 231),
        ("0:07", 7),
        ("95:30", 5730),
        ("3:51:02", 13_862),
        ("12:00:00", 43_200),
        ("3:51:02.5", 13_862.5),
        ("3:51:02 h:mm:ss", 13_862),
        ("3:51 h", 13_860),
        ("3:51 hours", 13_860),
        ("0:00", 0),
    ],
)
def test_a_clock_s_figures_are_a_time(text, seconds):
    assert parse(on_a_clock(text), "s") == seconds


@pytest.mark.parametrize(
    "text", ["3:5", "3:60", "3:51:60", "3:60:00", ":51", "3:", "3:51 req", "1:2"]
)
def test_what_is_no_clock(text):
    assert on_a_clock(text) is None


FORMS_OF_6_09 = ["6:09", "06:09", "0:06:09", "t = 6:09", "(6:09)", "6:09 min", "about 6:09"]


@pytest.mark.parametrize("text", FORMS_OF_6_09)
def test_minutes_and_seconds_are_read_where_a_time_is_asked_and_it_is_said(text):
    drill = find("backlog_drain").drill(SEED)
    assert drill.answer == pytest.approx(369.23, abs=0.01)
    verdict = judge(drill, text)
    assert verdict.passed and "is read as 6 min 9 s" in verdict.note
    assert given_value(drill, text) == 369
    assert judge(drill, "6 min 9 s").note == ""


@pytest.mark.parametrize(
    "text", ["6m9s", "6m 9s", "6m 9 s", "0h 6m 9s", "6 m 9 s", "t = 6m 9s", "about 6m 9s"]
)
def test_an_m_beside_an_s_or_an_h_is_minutes(text):
    drill = find("backlog_drain").drill(SEED)
    assert judge(drill, text).passed and given_value(drill, text) == 369
    assert judge(drill, "6m").status is Status.unreadable


def test_hours_and_minutes_in_letters():
    assert minutes_in_letters("2h 3m") == "2 h 3 min"
    assert minutes_in_letters("2h3m4.5s") == "2 h 3 min 4.5 s"
    assert minutes_in_letters("3m") is None and minutes_in_letters("5 s") is None


def test_what_the_question_counts_may_come_by_the_second():
    drill = find("who_waits_instead").drill(SEED).follow_up
    right, x = drill.options.right, f"{drill.answer:.5g}"
    for form in ("chats/s", "chats a second", "chats per second", "chats / s"):
        assert judge(drill, f"{right} {x} {form}").passed, form
    assert judge(drill, f"{right} {x} tokens/s").status is Status.unit
    assert judge(drill, f"{right} {x} horses/s").status is Status.unreadable


def test_a_letter_behind_a_time_with_its_unit():
    assert letter_and_rest("0.04 s d", "s") == ("d", "0.04 s")
    assert letter_and_rest("40 ms h", "s") == ("h", "40 ms")
    assert letter_and_rest("1 d 2 h", "s") is None
    assert letter_and_rest("c - 84 ms", "s") == ("c", "84 ms")
    assert letter_and_rest("c -84 ms", "s") == ("c", "-84 ms")


def test_money_on_top_may_be_called_more():
    drill = find("price_by_class").drill(SEED).follow_up
    assert judge(drill, f"{drill.options.right}, ${drill.answer:.5g} more").passed


def test_a_clock_that_is_wrong_says_how_it_was_read():
    drill = find("backlog_drain").drill(SEED)
    verdict = judge(drill, "6:09 h")
    assert verdict.status is Status.scale and "read as 6 h 9 min" in verdict.note
    verdict = judge(drill, "7:31")
    assert not verdict.passed and "read as 7 min 31 s" in verdict.note
    assert judge(drill, "6:71").status is Status.unreadable


@pytest.mark.parametrize("form", ["{L} 0:01", "{L}: 0:01", "0:01, {L}", "0:01 {L}"])
def test_a_clock_beside_a_letter(form):
    drill = find("cache_transfer").drill(SEED)
    verdict = judge(drill, form.format(L=drill.options.right))
    assert verdict.status is not Status.unreadable and "0:01 is read as 1 s" in verdict.note


@pytest.mark.parametrize("name", ["busy_share", "in_flight", "two_rates", "million_tokens"])
def test_a_clock_is_no_answer_where_no_time_is_asked(name):
    verdict = judge(find(name).drill(SEED), "3:51")
    assert verdict.status is Status.unreadable and not verdict.note


def test_a_unit_behind_a_time_is_no_letter():
    assert letter_and_rest("12 d", "s") is None and letter_and_rest("12 h", "s") is None
    assert letter_and_rest("12, d", "s") == ("d", "12")
    assert letter_and_rest("12 d", "req") == ("d", "12")


@pytest.mark.parametrize("text", ["b", "B", "(b)", "b)", "b.", '"b"', "option b", " 'b' "])
def test_a_letter_alone(text):
    assert letter(text) == "b"
    drill = next(d for d in (t.drill(SEED) for t in templates()) if d.answer is None)
    right = text.lower().replace("b", drill.options.right)
    assert judge(drill, right).passed


@pytest.mark.parametrize("text", ["bb", "i", "", "b c", "because"])
def test_no_letter(text):
    assert letter(text) is None


def test_what_is_read_already_stays_as_it_is():
    for text, unit in (("40 ms", "s"), ("1/8", "1"), ("2 h 20 min", "s"), ("16 GB", "B")):
        assert readable(text, unit, "How long does a GB take?") is text


def test_a_hostile_text_is_never_evaluated_and_never_raises():
    draw = random.Random(4)
    drill = find("cache_transfer").drill(SEED)
    letters = "0123456789.,eE+-*/^()$% =abh×·≈" + string.ascii_letters
    for _ in range(1500):
        text = "".join(draw.choices(letters, k=draw.randrange(1, 100)))
        assert judge(drill, text).message
    for text in ("9" * 60 + "^99", "(" * 79, "1*" * 39 + "1", "1/" * 40, "=" * 80, "b " * 40):
        assert not judge(drill, text).passed


def test_the_example_shows_the_unit_of_the_story_and_not_the_answer():
    from labutils.drills.asking.wording import Prompt

    def shown(template, drill):
        return Prompt(template, drill, 0, False, True)._example_number()

    for name, unit in (("weight_memory", "GB"), ("chain_price", "$"), ("cache_transfer", " s")):
        assert unit in shown(find(name), find(name).drill(SEED)), name
    for template in templates():
        for seed in range(3):
            drill = template.drill(seed)
            if drill.answer is None:
                continue
            example = shown(template, drill)
            assert drill.unit != "s" or example.endswith(" ms" if " ms" in drill.story else " s")
            assert not judge(drill, example).passed, (template.id, seed, example)


def test_the_example_of_a_follow_up_has_the_unit_in_which_its_story_began():
    from labutils.drills.asking.asking import Asking

    asking = Asking(find("hottest_card"), SEED, terminal=True)
    assert " ms" in asking.drill.story and " ms" not in asking.drill.follow_up.story
    asking.reveal()
    assert " ms, right within" in asking.follow_up().prompt().plain()


def test_rough_mode_knows_the_mistakes_first():
    named = found = 0
    for name in ("rate_for_a_p99", "quantile_from_buckets", "resident_sequences", "speculation"):
        for seed in range(12):
            drill = find(name).drill(seed)
            if not can_be_rough(drill):
                continue
            for mistake in drill.mistakes:
                if float(f"{mistake.value:.1g}") != float(f"{drill.answer:.1g}"):
                    found += 1
                    named += not rough_number(drill).check(mistake.value).passed
    assert found > 60 and named == found


def test_near_one_the_distance_from_one_counts_in_rough_mode():
    busy, faster = rough_number(find("busy_share").drill(3)), find("faster_part").drill(3)
    assert busy.expected == pytest.approx(0.708, abs=1e-3)
    assert busy.check(0.7).passed and busy.check(0.65).passed and not busy.check(1).passed
    assert busy.check(0.95).status is Status.close and "distance from 1" in busy.check(0.95).message
    seeds = [d for d in (find("faster_part").drill(s) for s in range(40)) if 1.05 < d.answer < 1.5]
    assert len(seeds) > 5 and not any(rough_number(d).check(1).passed for d in seeds)
    assert rough_number(faster).check(1.7).passed


def test_a_rough_answer_hears_about_how_far_it_is_off_and_no_number():
    drill = find("few_long_requests").drill(11)
    for factor, far in ((2.3, "two to ten"), (5, "two to ten"), (0.08, "more than ten")):
        said = rough_number(drill).check(factor * drill.answer).message
        assert far in said and not any(letter.isdigit() for letter in said)
    assert rough_number(drill).check(-3).message == "Your answer is too small."


@pytest.mark.parametrize("answer", ["4.03s (M/G/1)", "4.03 s (rest of a service)", "4029 ms (W)"])
def test_a_remark_in_brackets_behind_the_unit_is_passed_over(answer):
    assert judge(find("few_long_requests").drill(11), answer).passed
    assert judge(find("busy_share").drill(3), "0.708 (M/M/1)").passed


@pytest.mark.parametrize("answer", ["4.03 (ms)", "4.03 (m)", "4.03 s (4.3 s)", "4.03 (M/G/1)"])
def test_brackets_that_may_say_something_else_are_not(answer):
    verdict = judge(find("few_long_requests").drill(11), answer)
    assert verdict.status is Status.unreadable and "Write no brackets" in verdict.message


def test_a_factor_of_the_story_is_named_before_the_decimal_point():
    drill = find("latency_from_gauges").drill(318)
    engines = next(f for f in drill.number.factors if f >= 3 and f.is_integer())
    verdict = judge(drill, drill.answer / engines)
    if verdict.status is not Status.misconception:
        assert f"{engines:g} times too small, and that is a number of the story" in verdict.message


def test_no_minutes_in_a_question_for_percent():
    drill = find("second_copy").drill(931)
    verdict = judge(drill, f"{drill.answer / 60:.6g} %")
    assert "minutes" not in verdict.message
