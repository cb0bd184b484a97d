"""Whiteboard prompts: complete, computed, scored, and never losing an attempt."""

import math
import re

import pytest
from hypothesis import given, strategies as st

from labutils import llm
from labutils.drills.whiteboard import prompt, prompts, rubric, run
from labutils.drills.whiteboard.prompt import Prompt
from labutils.drills.whiteboard.rubric import AXES, level
from labutils.drills.whiteboard.sketch import Sketch
from labutils.exercises.journal.journal import events
from labutils.topics import all_topics

every_prompt = pytest.mark.parametrize("task", prompts(), ids=lambda item: item.id)
ALL_TWOS = dict.fromkeys(AXES, 2)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path))


def test_all_designs_and_questions_are_there():
    wanted = [f"d{k}" for k in range(1, 13)] + [f"r{k:02}" for k in range(1, 10)]
    assert [item.id for item in prompts()] == wanted
    named = {topic for item in prompts() for topic in item.topics}
    assert named >= {f"R{k:02}" for k in range(1, 9)} | {"C22", "M13"}
    assert named <= {topic.id for topic in all_topics()}


@every_prompt
def test_a_prompt_is_complete_and_computed(task):
    page = task.page
    texts = [page.ask, *page.must_hits, *page.model_answer.values()]
    asked = (*page.clarifications, *page.follow_ups)
    texts += [text for item in asked for text in (item.question, item.answer)]
    assert all(len(text) > 3 and text.strip() == text for text in texts)
    assert not re.search(r"\b(nan|inf|None)\b|∞|\{|\}|  ", " ".join(texts))
    assert len(page.model_answer) >= 4 and len(page.clarifications) >= 2
    figures = re.findall(r"\d[\d.,]*", " ".join(page.model_answer.values()))
    assert len(figures) >= (8 if task.id[0] == "d" else 3)


def part(prompt_id: str, heading: str) -> str:
    (task,) = [item for item in prompts() if item.id == prompt_id]
    return task.page.model_answer[heading]


def test_figures_of_model_answers_agree_with_plain_arithmetic():
    numbers = part("d1", "Numbers first")
    least = next(b for b in range(1, 99) if b / (0.004 + 0.0009 * b) > 800)
    assert f"at least {least}" in numbers and f"{32 / (0.004 + 0.0009 * 32):.1f} req/s" in numbers
    stay = 1 + 299 * 0.04
    assert f"{stay:.2f} s" in part("d2", "From people to requests")
    kv, weights = 2 * 32 * 8 * 128 * 2, 2 * 8_030_261_248
    fits = int((0.9 * 80e9 - weights) // (1800 * kv))
    assert f"the weights and {fits} full-grown" in part("d2", "From requests to memory")
    assert f"p{100 * 0.99 ** (1 / 40):.3f}" in part("d4", "What the shards must do")
    assert f"{100 * (1 - 0.99**40):.0f} % of pages" in part("d4", "What the shards must do")
    both = 1 - (1 - 0.01 * 0.02) ** 40
    assert f"{100 * both:.1f} % of pages" in part("d4", "Hedge, with a budget")
    late = 1 - 0.99**40 - 40 * 0.01 * 0.99**39
    assert f"{100 * late:.1f} % of pages" in part("d4", "Do not ask for all")
    assert f"{128_000 * kv / 1e9:.2f} GB" in part("d5", "Memory")
    linear, square = 2 * 128_000, 2 * 128_000**2 * 32 * 32 * 128
    share = square / (linear * (weights / 2) + square)
    found = int(re.search(r"attention is (\d+) %", part("d5", "Prefill"))[1])
    assert abs(found - 100 * share) < 3  # the package leaves out the embedding table
    assert "90,000 req" in part("d6", "What an unbounded queue does")
    assert f"{64 / (0.3 + 199 * 0.02):.2f} req/s" in part("d8", "Do the numbers agree?")
    assert f"{math.ceil(50 * 2 / 6.4)} GPUs" in part("r03", "One headroom")
    assert f"{100 / sum(1 / k for k in range(1, 17)):.0f} % of slot-steps" in part("r05", "Static")


def test_a_poison_request_costs_two_passes_a_level():
    passes = [16, 16, 8, 8, 4, 4, 2, 2, 1, 1]
    cost_ms = sum(4 + 0.9 * size for size in passes)
    assert f"{len(passes)} passes or {cost_ms:.1f} ms" in part("d1", "What goes wrong")


def test_the_fleet_for_chat_holds_with_a_zone_lost():
    kv, weights, users = 131_072, 2 * 8_030_261_248, 100_000
    inside = users / 60 * (1 + 299 * 0.04)
    decision = part("d2", "Decision")
    fleet = int(re.match(r"(\d+) GPUs", decision)[1])
    streams = math.ceil(inside / (fleet * 5 / 6))
    step = (weights + streams * 1650 * kv) / (0.6 * 3.35e12)
    prompt = 1500 * 2 * (weights / 2) + 2 * 1500**2 * 32 * 32 * 128
    new = prompt - (1050 * 2 * (weights / 2) + 2 * 1050**2 * 32 * 32 * 128)
    busy = users / 60 * new / (0.5 * 989e12) / (fleet * 5 / 6)
    assert f"{streams} streams" in decision and f"{1e3 * step:.2f} ms" in decision
    assert f"{100 * busy:.0f} % of its time" in decision and step / (1 - busy) < 0.04
    assert float(re.search(r"([\d.]+) ms a token", decision)[1]) == pytest.approx(
        1e3 * step / (1 - busy), rel=0.01
    )
    waiting = part("d2", "Where the histories wait")
    assert f"{(users - inside) * 1050 * kv / 1e12:.2f} TB of history" in waiting
    free = fleet * (0.9 * 80e9 - weights) - inside * 1650 * kv
    assert f"{free / 1e12:.3f} TB free" in waiting


def test_fairness_charges_what_a_token_reads():
    kv, weights, bandwidth = 131_072, 2 * 8_030_261_248, 0.6 * 3.35e12
    unit = part("d3", "The unit of fairness")
    for context, text in ((2000, "{:.1f} µs behind 2,000"), (16_000, "{:.3f} ms behind 16,000")):
        seconds = (weights / 64 + context * kv) / bandwidth
        assert text.format(seconds * (1e6 if context == 2000 else 1e3)) in unit


def test_the_long_contexts_fill_a_few_per_cent_of_a_machine():
    weights, cache = 2 * 8_030_261_248, 128_000 * 131_072
    work = 128_000 * weights + 2 * 128_000**2 * 32 * 32 * 128
    request = work / (0.5 * 989e12) + 500 * (weights + cache) / (0.6 * 3.35e12)
    assert f"{100 * 300 * request / 86_400:.0f} % of one GPU" in part("d5", "Decision")
    left = 0.1 - (weights + 32 * 2000 * 131_072) / (0.6 * 3.35e12)
    linear, square = weights / (0.5 * 989e12), 2 * 32 * 32 * 128 / (0.5 * 989e12)
    chunk = (math.sqrt(linear**2 + 4 * square * left) - linear) / (2 * square)
    told = int(re.search(r"up to ([\d,]+) tokens", part("d5", "Neighbours"))[1].replace(",", ""))
    assert 0.93 * chunk < told < 1.1 * chunk  # the package leaves out the embedding table
    assert f"{1e3 * left:.2f} ms are left" in part("d5", "Neighbours")


def test_the_first_token_of_the_fleet_for_chat_keeps_its_promise_with_a_zone_lost():
    told = part("d2", "The first token")
    times = [float(ms) / 1e3 for ms in re.findall(r"([\d.]+) ms", told)]
    step, prefill, p95, ttft = times
    rate = float(re.search(r"([\d.]+) req/s", told)[1])
    assert p95 == pytest.approx(math.log(20) / (1 / (step + prefill) - rate), rel=0.01)
    assert p95 + step < ttft < 1.0


def test_a_lost_zone_leaves_whole_hosts():
    hosts, inside, zones = map(int, re.search(
        r"(\d+) hosts of 8, (\d+) in each of (\d) zones", part("d2", "Decision")
    ).groups())  # fmt: skip
    assert hosts == inside * zones
    need = int(re.search(r"what takes (\d+) GPUs", part("d2", "Decision"))[1])
    assert 8 * inside * (zones - 1) >= need > 8 * (inside - 1) * (zones - 1)


def test_the_million_documents_are_a_small_job():
    kv, weights = 131_072, 2 * 8_030_261_248
    prefill = (6000 * weights + 2 * 6000**2 * 32 * 32 * 128) / (0.5 * 989e12)
    batch = int((0.9 * 80e9 - weights) // (6300 * kv))
    step = (weights + batch * 6150 * kv) / (0.6 * 3.35e12)
    hours = 1e6 * (prefill + 300 * step / batch) / 3600
    size = part("d7", "The size of the job")
    assert f"{hours:.0f} GPU-hours" in size and f"{hours / (0.55 * 24):.0f} days" in size


def erlang_c(offered: float, servers: int) -> float:
    blocked = 1.0
    for n in range(1, servers + 1):
        blocked = offered * blocked / (n + offered * blocked)
    return blocked / (1 - offered / servers * (1 - blocked))


def test_the_promise_of_fifty_requests_a_second_depends_on_the_router():
    def wait_p95(rate, servers):
        return max(0.0, math.log(erlang_c(2 * rate, servers) / 0.05) / (servers / 2 - rate))

    told = part("r03", "Is 80 % right?")
    assert f"{100 * erlang_c(100, 128):.1f} % of requests wait" in told
    assert f"the P95 is {wait_p95(50 / 16, 8):.3f} s" in told
    least = next(n for n in range(13, 99) if wait_p95(50 / n, 8) <= 0.5)
    assert f"only {least} GPUs ({100 * 100 / (8 * least):.0f} % busy)" in told


def test_the_step_that_preempts_is_the_first_that_needs_a_ninth_page():
    needed = {step: [math.ceil((n + step - 1) / 4) for n in (7, 11, 9)] for step in range(1, 9)}
    step = min(step for step, pages in needed.items() if sum(pages) > 8)
    held = needed[step - 1]
    assert f"Step {step}." in part("r09", "Plan")
    assert f"(they hold {held[0]} and {held[1]})" in part("r09", "Plan")
    assert f"its {held[2]} pages go back" in part("r09", "Preemption")
    assert f"one prefill of {9 + step - 1} tokens" in part("r09", "Preemption")


@pytest.mark.parametrize("name", ["d9", "d10", "d11", "d12"])
def test_a_design_that_is_drawn_names_its_boxes_calls_and_errors(name):
    board = prompt(name)
    sketch = board.page.sketch
    boxes = [text.partition(": ")[0] for text in sketch.components()]
    calls = re.split(r"\n(?! )", sketch.calls)
    assert len(boxes) >= 5 and len(calls) >= 5
    drawn = sum(any(word in sketch.drawing for word in box.split()) for box in boxes)
    assert drawn >= len(boxes) - 1  # a library is no box
    for call in calls:
        rows = dict(re.findall(r"^  (takes|returns|errors) +(\S.*)", call, re.M))
        assert len(rows) == 3 and len(rows["takes"].split(",")) >= 2
    shown = repr(board.model_answer())
    assert all(f"    {line}".rstrip() in shown for line in sketch.drawing.splitlines())
    assert max(map(len, [*sketch.drawing.splitlines(), *sketch.calls.splitlines()])) <= 74
    assert [line for line in sketch.drawing.splitlines() if line != line.rstrip()] == []
    weakest, heard = next(iter(board.page.examples.items()))
    assert heard[2] in " ".join(repr(board.grade(**{**ALL_TWOS, weakest: 1})).split())


def waits_p95(rate: float, service_s: float, servers: int) -> float:
    over = erlang_c(rate * service_s, servers) / 0.05
    return max(0.0, math.log(over) / (servers / service_s - rate))


def test_the_pools_of_d9_agree_with_plain_arithmetic():
    weights, kv, flops, bandwidth = 2 * 32_762_123_264, 64 * 2 * 8 * 128 * 2, 989e12, 4.8e12

    def prefill(tokens, cached=0):
        linear = (tokens - cached) * weights
        return (linear + 2 * (tokens**2 - cached**2) * 64 * 64 * 128) / (0.5 * flops)

    def step(batch):
        return (weights + batch * 4200 * kv) / (0.6 * bandwidth)

    def shared(service_s, tpot_s):
        for n in range(math.floor(12 * service_s) + 1, 99):
            busy, inside = 12 * service_s / n, math.ceil(12 / n * 399 * tpot_s)
            if step(inside) <= tpot_s * (1 - busy):
                return n

    full = int((0.9 * 141e9 - weights) // (4400 * kv))
    seats = max(n for n in range(1, full + 1) if step(n) <= 0.04)
    decoders = math.ceil(12 * 399 * step(seats) / seats)
    first = 2 - 4000 * kv / 50e9 - step(seats)
    cold, warm = prefill(4000), prefill(4000, 2800)
    workers, few = (
        next(n for n in range(1, 99) if 12 * t < n and waits_p95(12, t, n) <= first - t)
        for t in (cold, warm)
    )
    loads = part("d9", "Two loads")
    assert f"{12 * cold:.1f} GPUs busy" in loads and f"{seats} sequences keep 40 ms" in loads
    assert f"{workers} prefill GPUs by M/M/c" in part("d9", "Sizes")
    assert f"that is {workers + decoders}, and one spare" in part("d9", "Sizes")
    price = (workers + decoders + 2) * 4 / 3600 / (12 * 400) * 1e6
    assert f"${price:.2f} a million" in part("d9", "Sizes")
    assert f"needs {shared(cold, 0.04)} GPUs for the same" in part("d9", "Against one pool")
    loose = math.ceil(12 * 399 * step(full) / full)
    unless = part("d9", "When not to")
    assert f"one pool needs {shared(cold, 0.1)}, two need {workers + loose}" in unless
    assert f"one pool needs {shared(warm, 0.04)} and two need {few + decoders}" in unless
    again, spare = seats * prefill(4200), workers + 1 - 12 * cold
    assert f"{spare:.1f} GPUs free, so it is behind for {again / spare:.0f} s" in part(
        "d9", "What breaks"
    )
    heard = " ".join(text for row in prompt("d9").page.examples.values() for text in row)
    assert f"{cold:.2f} s a prompt" in heard and f"{12 * cold:.1f} GPUs busy" in heard
    assert f"{workers + decoders} GPUs against {shared(cold, 0.04)} that take turns" in heard
    assert f"{shared(cold, 0.1)} against {workers + loose}" in heard
    assert f"{again:.0f} s of prefill for a pool with {spare:.1f} GPUs" in heard
    assert f"{again / spare:.0f} s behind" in heard


def test_the_regions_of_d10_agree_with_plain_arithmetic():
    kv, weights = 131_072, 2 * 8_030_261_248

    def request(cached):
        linear = (1500 - cached) * weights
        prefill = (linear + 2 * (1500**2 - cached**2) * 32 * 32 * 128) / (0.5 * 989e12)
        batch = int((0.9 * 80e9 - weights) // (1800 * kv))
        return prefill + 300 * (weights / batch + 1650 * kv) / (0.6 * 3.35e12)

    warm, cold = request(1050), request(0)
    gpus = [math.ceil(rate * warm / 0.8) for rate in (500, 350, 250)]
    calm, first = 550 * warm, 300 * warm + 250 * cold
    assert "{} + {} + {} = ".format(*gpus) + str(sum(gpus)) in part("d10", "Capacity by region")
    equal = 3 * math.ceil(550 * warm)
    assert f"to carry everything: {equal}," in part("d10", "Capacity by region")
    lost = part("d10", "A region is lost")
    assert f"{gpus[1] + gpus[2]} GPUs are left" in lost and f"needs {calm:.1f}" in lost
    assert f"first minute {first:.1f}. It fits" in lost and first < gpus[1] + gpus[2]
    stay = 0.5 + 299 * 0.04
    assert f"{500 * stay:,.0f} streams are cut" in part("d10", "How it fails over")
    assert f"{500 * 15:,} requests more" in part("d10", "How it fails over")
    quota = part("d10", "Quota in tokens")
    assert f"gets {200_000 / (3796 * stay):.3f} req/s" in quota
    assert f"only {10_000 / 1800 * stay * 300:,.0f} are held" in quota
    counter = part("d10", "Where the counter lives")
    assert "400,000 tokens too many, and then up to 40,000 between" in counter
    assert f"{20_000 // 2100} requests are then decided" in counter
    assert "60,000 tokens" in part("d10", "When the home is silent")
    ratio = 4e6 / (sum(gpus) / warm * 1800)
    assert f"{ratio:.1f} times oversold" in part("d10", "Two kinds of no")
    heard = " ".join(text for row in prompt("d10").page.examples.values() for text in row)
    assert "{} + {} + {} GPUs".format(*gpus) in heard and f"{first:.1f} in the first" in heard
    assert f"{gpus[1] + gpus[2]} are left and interactive needs {calm:.1f}" in heard
    assert f"I would buy {equal}" in heard and f"{500 * stay:,.0f} streams" in heard


def test_the_agents_of_d11_agree_with_plain_arithmetic():
    kv, weights, bandwidth = 131_072, 2 * 8_030_261_248, 0.6 * 3.35e12
    per_layer = 16 * (8192 + 5120 + 5120 + 8192 + 3 * (4096 + 14_336))  # q, k, v, o; gate, up, down
    adapter, cache = 2 * 32 * per_layer, 16_000 * kv

    def seats(adapters):
        return int((0.9 * 80e9 - weights - adapters * adapter) // cache)

    def prefill(cached):
        linear = (16_500 - cached) * weights
        return (linear + 2 * (16_500**2 - cached**2) * 32 * 32 * 128) / (0.5 * 989e12)

    turn = prefill(16_000) + 150 * 0.045
    rate = 600 / (turn + 8)
    inside, some = rate * turn, seats(32)
    harmonic = sum(1 / k for k in range(1, 301))
    met = sum(1 - (1 - 1 / k / harmonic) ** some for k in range(1, 301))
    active = math.ceil(inside / some)
    gpus = active + math.ceil(rate * prefill(16_000)) + 1
    assert f"{inside:.0f} are inside" in part("d11", "What a session does")
    told = part("d11", "Adapters")
    assert f"{adapter / 1e6:.2f} MB" in told and f"from {some} sequences to {seats(300)}" in told
    assert f"the first 32 have {100 * sum(1 / k for k in range(1, 33)) / harmonic:.0f} %" in told
    mixed = part("d11", "What a mixed batch costs")
    base = (weights + some * cache) / bandwidth
    assert f"meet {met:.1f} adapters" in mixed
    assert f"{100 * met * adapter / bandwidth / base:.0f} %" in mixed
    kept = part("d11", "The cache during a tool call")
    assert f"Keep: {math.ceil(600 / some)} GPUs" in kept
    assert f"{math.ceil(rate * prefill(0))} GPUs of nothing else" in kept
    assert f"in the {(gpus - 1) * some - inside:.0f} seats" in kept
    assert f"{650 * kv / 1e6:.1f} MB a turn" in kept
    sizes = part("d11", "Sizes")
    assert f"{active} GPUs of {some} seats" in sizes and f"one spare: {gpus}." in sizes
    assert f"inwards, {100 * rate * cache / gpus / 25e9:.0f} %" in sizes
    assert f"{600 / gpus:.0f} sessions lose" in part("d11", "What breaks")
    heard = " ".join(text for row in prompt("d11").page.examples.values() for text in row)
    assert f"{100 * inside / 600:.0f} % are inside the model: {inside:.0f} of 600" in heard
    assert f"{some} to a GPU: {active} for decoding" in heard
    assert (
        f"{math.ceil(600 / some)} GPUs, computed again {math.ceil(rate * prefill(0))} more" in heard
    )
    assert f"would take {some - seats(300)} of {some} seats" in heard
    assert f"reads {met:.1f} adapters a step" in heard


def test_the_examples_of_the_rubric_are_true():
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    said = " ".join(text for axis in AXES.values() for text in axis.examples)
    fits = llm.max_sequences(model, 80e9, 2000)
    step = llm.decode_step(model, device, fits, 2000)
    assert f"{model.kv_bytes(2000) / 1e9:.2f} GB a user; beside the weights {fits} fit" in said
    assert f"{step.kv_bytes / 1e9:.0f} GB of cache, {1e3 * step.time_s:.0f} ms at peak" in said
    assert f"that is {step.tokens_per_s_per_request:.0f} tokens a second each" in said
    by_short = llm.max_sequences(model, 80e9, 200)
    assert f"{by_short:,} would fit" in said
    assert f"critical batch of {llm.compute_ridge_batch(device):.0f}" in said
    assert llm.decode_step(model, device, by_short, 200).binding == "flops"
    assert "2,000/213: ten GPUs" in said and math.ceil(2000 / fits) == 10
    assert f"${30 / 3600 / 80_000 * 1e6:.2f} a million" in said
    assert f"so ${30 / 3600 / 80_000 * 1e6 / 0.4:.2f}" in said


@pytest.mark.parametrize(
    ("scores", "moves", "reached"),
    [
        (dict.fromkeys(AXES, 1), True, "not yet mid"),
        ({**dict.fromkeys(AXES, 1), "cost": 3}, False, "mid"),
        (ALL_TWOS, False, "senior"),
        ({**dict.fromkeys(AXES, 3), "estimate": 1}, True, "mid"),
        (dict.fromkeys(AXES, 3), False, "senior"),
        (dict.fromkeys(AXES, 3), True, "staff"),
        ({**ALL_TWOS, "cost": 3, "limit": 3}, True, "senior"),
        ({**ALL_TWOS, "cost": 3, "limit": 3, "commit": 3}, True, "staff"),
    ],
)
def test_levels(scores, moves, reached):
    assert level(scores, moves_the_limit=moves) == reached


def test_scores_are_checked():
    board = prompt("d3")
    assert "expected one for each of clarify" in repr(board.grade(clarify=2))
    assert "cost = 4: expected 0, 1, 2 or 3" in repr(board.grade(**{**ALL_TWOS, "cost": 4}))
    assert [e for e in events() if e["event"] == "whiteboard_grade"] == []
    shown = repr(board.grade(**{**ALL_TWOS, "cost": 0}))
    assert "14 of 24: mid" in shown and AXES["cost"].examples[1] in " ".join(shown.split())


def test_an_attempt_from_question_to_grade_is_recorded():
    board = prompt(" D2 ")
    assert "100,000 people" in repr(board)
    assert "(a) How long are prompts" in repr(board.clarify())
    assert "1,500 and 300 tokens" in " ".join(repr(board.clarify("a", "(c)")).split())
    assert "There is no (z)" in repr(board.clarify("z"))
    assert "(a) People → requests" in repr(board.must_hits())
    ticked = repr(board.tick("a, c (d)"))
    assert "3 of 6" in ticked and "(b) A token budget" in ticked and "(c)" not in ticked
    assert "GPUs for decoding" in " ".join(repr(board.model_answer()).split())
    assert "on screen before" in " ".join(repr(board.tick("abcdef")).split())
    assert "There are follow-ups 1 to 3, not 4" in repr(board.follow_up(4))
    assert "What binds next?" in " ".join(repr(board.follow_up(1)).split())
    found = [(e["event"], e.get("ticked"), e["after_answer"], e["asked"]) for e in events()]
    assert found == [
        ("whiteboard", 3, False, 2),
        ("whiteboard_answer", None, True, 2),
        ("whiteboard", 6, True, 2),
    ]
    assert {event["id"] for event in events()} == {"board.d2"}


@given(st.lists(st.text(max_size=6) | st.integers() | st.none(), max_size=3))
def test_nothing_that_is_handed_in_raises(odd):
    board = prompt("r07")
    for card in (board.clarify(*odd), board.tick(*odd)):
        assert repr(card)
    assert repr(board.follow_up(odd))


def test_dialogue_leads_through_and_can_be_left():
    said = []
    answers = iter(["a", "", "", "a b", "", "", "", "", "", "2", "9", *"3333333", "y"])
    run(prompt("r04"), ask=lambda _: next(answers), say=said.append)
    assert next(answers, None) is None
    assert "2 of 4" in " ".join(said) and "23 of 24: staff" in said[-1]
    left = []
    run(prompt("d1"), ask=lambda _: "quit", say=left.append)
    assert len(left) == 2


def test_unknown_ids_and_faulty_prompts_are_named():
    with pytest.raises(ValueError, match=r"prompt_id = 'd13': expected one of d1, d2"):
        prompt("d13")
    with pytest.raises(ValueError, match="id = 'x1': expected d1"):
        Prompt("x1", "A title", (), 45, prompts()[0].write)
    with pytest.raises(ValueError, match="d13: expected a docstring"):
        Prompt("d13", "", (), 45, prompts()[0].write)
    with pytest.raises(ValueError, match="expected ASCII of at most 74 columns"):
        Sketch("-" * 75, "", "")


def test_rubric_shows_every_example():
    shown = " ".join(repr(rubric()).split())
    assert all(example in shown for axis in AXES.values() for example in axis.examples)
