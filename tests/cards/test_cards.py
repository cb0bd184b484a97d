"""Reference cards: figures against plain arithmetic, texts that read everywhere, a page."""

import math
import re
from html.parser import HTMLParser

import pytest

from labutils.authoring.pages.card_page import card_page
from labutils.authoring.sources.course import read_course
from labutils.cards import all_cards, card, glossary
from labutils.cards.card import ReferenceCard
from labutils.ground.units import format_quantity as fmt
from labutils.topics import all_topics
from tests.conftest import ROOT

every_card = pytest.mark.parametrize("item", all_cards(), ids=lambda item: item.id)


def cell(card_id: str, first: str, column: int = -1) -> str:
    (row,) = [row for row in card(card_id).rows if row[0].startswith(first)]
    return row[column]


def test_examples_of_queues_agree_with_arithmetic():
    rate, capacity = 450, 550
    assert f"{1e3 / (capacity - rate):g} ms on average" in cell("queues", "Time inside")
    assert f"{1e3 * math.log(100) / (capacity - rate):.2f} ms" in cell("queues", "Quantile")
    load = rate / capacity
    assert f"{1e3 * load / (1 - load) * 2.5 / capacity:.2f} ms" in cell("queues", "Wait, M/G/1")
    a, c = rate / (capacity / 8), 8
    head = sum(a**k / math.factorial(k) for k in range(c))
    full = a**c / math.factorial(c) * c / (c - a)
    wait = full / (head + full) / (capacity - rate)
    assert f"{1e3 * wait:.3f} ms" in cell("queues", "Wait, M/M/c")
    assert "90,000 req" in cell("queues", "Above") and "10 min to drain" in cell("queues", "Above")


def test_examples_of_tails_and_tokens_agree_with_arithmetic():
    assert f"{100 * (1 - 0.99**100):.0f} % of pages" in cell("tails", "Slow pages")
    assert f"{1 / (0.3 + 0.35):.2f}" in cell("tails", "Speed-up of the whole")
    assert f"{sum(0.8**k for k in range(6)):.2f}" in cell("tails", "Tokens from one")
    weights, kv = 8_030_261_248 * 2, 2 * 32 * 8 * 128 * 2
    assert f"{weights / 1e9:.2f} GB" in cell("tokens", "Weights")
    fit = int((0.9 * 80e9 - weights) // (4096 * kv))
    assert cell("tokens", "Sequences that fit").startswith(f"{fit} of")
    alone = (weights + 1024 * kv) / 3.35e12
    assert f"{1e3 * alone:.3f} ms alone" in cell("tokens", "Decode step")
    many = (weights + 32 * 1024 * kv) / 3.35e12
    assert f"{32 / many:,.0f} tok/s" in cell("tokens", "Tokens per second")
    price = 2.5 / 3600 / (32 / many) * 1e6
    assert f"\\${price:.2f}." in cell("tokens", "Price")


def test_examples_of_orders_and_machines_agree_with_arithmetic():
    rest, idle, without_short = 10 * (0.9 * 0.02**2 + 0.1 * 0.4**2) / 2, 0.42, 0.82
    long_wait = rest / without_short / idle
    expected = {
        "Stay": (rest / idle + 0.02, rest / idle + 0.4),
        "The same, server": (0.02 / idle, 0.4 / idle),
        "The same, shortest job": (rest / without_short + 0.02, long_wait + 0.4),
        "The same, shortest rem": (
            5 * 0.02**2 / without_short + 0.02,
            long_wait + 0.02 + 0.38 / without_short,
        ),
    }
    for row, (short, long) in expected.items():
        shown = [fmt(time, "s") for time in (short, long, 0.9 * short + 0.1 * long)]
        assert cell("orders", row).startswith(f"{shown[0]} and {shown[1]}; mean {shown[2]}.")
    gain = {n: n / (1 + 0.04 * (n - 1) + 0.0006 * n * (n - 1)) for n in range(1, 99)}
    assert f"{gain[16]:.1f} with 16, {gain[32]:.1f} with 32" in cell("orders", "$N$ machines")
    best = max(gain, key=gain.get)
    assert f"{gain[best]:.1f} with {best}; {gain[80]:.1f} with 80" in cell("orders", "Where")


def test_examples_of_watching_agree_with_arithmetic():
    assert "shows as 500 ms and lies above 100 ms" in cell("watching", "Quantile from")
    p99s = 0.1 * 990 / 990, 0.5 + 1.5 * (990 - 800) / 200  # of each, by hand
    of_all = 0.5 + 1.5 * (1980 - 1800) / 200
    told = f"p99s is {sum(p99s) / 2:.3f} s, the p99 of all {of_all:g} s"
    assert told in cell("watching", "Quantile of") and sum(p99s) / 2 < of_all
    assert f" {(30 + 12 + 28) / 4}/s" in cell("watching", "Rate")
    assert f"{100 * 210 / 1200} %" in cell("watching", "Late")
    burn = 0.02 / (1 - 0.999)
    assert (
        f"99.9 %: {burn:.0f}; the budget of a month lasts {720 / burn:.0f} h. At 95 % it is "
        in (cell("watching", "Burn"))
    )
    assert cell("watching", "Page").startswith(f"{100 * 14.4 / 720:.0f} % of a month")
    assert f"after {14.4 * 0.001 * 3600 / 0.5:.1f} s" in cell("watching", "Page")
    assert "2 % late, not 29 %" in cell("watching", "What a kept")
    assert "burns 20 times" in cell("planning", "9.") and "72 % are late" in cell("planning", "9.")


def test_what_chapter_13_and_lab_8_build_stands_on_the_cards_with_its_source():
    assert "429" in cell("playbook", "11.") and "Late or refused" in cell("playbook", "12.")
    assert "SIGTERM" in cell("checklist", "12.") and "client leaves" in cell("checklist", "11.")
    assert "nginx and AWS 60 s" in cell("defaults", "silence", 1)
    assert "Kubernetes 30 s" in cell("defaults", "drain", 1)
    assert "nginx" in card("defaults").sources[0] and "Workbook" in card("watching").sources[1]
    homes = {row[2] for row in card("reading").rows}
    assert {"13", "lab 8"} <= homes
    earned = {term.chapter for term in glossary()}
    assert {"13", "lab 8"} <= earned and glossary("burn rate")[0].chapter == "13"


def test_hardware_and_limits_agree_with_their_tables():
    assert cell("models", "Llama-3.1-70B", 3) == f"{2 * 80 * 8 * 128 * 2 / 1024:g} KiB"
    assert cell("accelerators", "H100 SXM", 6) == f"{989 / 3.35:.0f} FLOP/B"
    assert cell("accelerators", "B300", 4) == "4.5 PFLOP/s"
    assert cell("accelerators", "A100", 4) == cell("accelerators", "H200", 5) == "–"
    assert cell("limits", "Llama-2-70B", 2) == f"{2 + 299 * 0.2:.1f} s"
    assert f"TPOT of {1e3 * 2.5 / 499:.2f} ms" in card("limits").note


def test_a_link_moves_a_cache_and_a_model_in_one_direction():
    cache, weights = 2048 * 2 * 32 * 8 * 128 * 2, 2 * 70_553_706_496
    for first, way in (
        ("NVLink 4", 450e9),
        ("Infinity", 448e9),
        ("PCIe 5.0", 64e9),
        ("Ethernet or InfiniBand, 400", 50e9),
    ):
        assert cell("links", first, 2) == fmt(way, "B/s")
        assert cell("links", first, 3) == fmt(cache / way, "s")
        assert cell("links", first, 4) == fmt(weights / way, "s")
    assert cell("links", "NVLink 5", 1) == "1.8 TB/s, both directions"
    assert cell("links", "Ethernet or InfiniBand, 800", 1) == "800 Gbit/s"


def test_the_plan_adds_up():
    slots = int(cell("planning", "5.").split()[0])
    assert cell("planning", "4.").startswith("100 on average") and slots > 100
    assert cell("planning", "6.").startswith(f"{math.ceil(slots / 8)} machines")


@every_card
def test_a_card_reads_everywhere(item):
    shown = repr(item)
    assert not re.search(r"\\|\$[^\d]|\{|\}|\bnan\b|\bNone\b", shown), shown
    assert all(text.strip() for row in item.rows for text in row)
    assert set(item.topics) <= {topic.id for topic in all_topics()}
    markdown = item._repr_markdown_()
    assert markdown.count("\n|") >= len(item.rows) + 1


def test_ids_differ_and_unknown_ones_are_named():
    assert len({item.id for item in all_cards()}) == len(all_cards())
    with pytest.raises(ValueError, match=r"card_id = 'tokns': expected one such as tokens"):
        card("tokns")
    with pytest.raises(ValueError, match="a cell for each of"):
        ReferenceCard("x", "X", (), ("one", "two"), (("only",),))


def test_the_glossary_is_in_order_and_leads_to_chapters():
    terms = glossary()
    words = [term.word.lower() for term in terms]
    assert words == sorted(words) and len(set(words)) == 156
    labels = {c.header.slug: c.label.lower() for c in read_course(ROOT).chapters}.values()
    for term in terms:
        assert term.chapter in labels or term.chapter == "drills", term
    assert [term.word for term in glossary("GOODPUT")] == ["goodput"]
    assert repr(glossary("zebra")) == "no such word"


def test_the_page_loads_nothing_and_holds_every_card():
    page = card_page("Fake & co")
    assert "Fake &amp; co: reference cards" in page
    assert not re.search(r"https?://(?!www\.w3\.org)|<script|<link|@import|url\(", page)

    class Ids(HTMLParser):
        found: list

        def handle_starttag(self, tag, attrs):
            self.found += [value for name, value in attrs if name == "id"]

    ids = Ids()
    ids.found = []
    ids.feed(page)
    assert ids.found == [*(item.id for item in all_cards()), "glossary"]
    assert page.count("<math") > 40 and "$" not in re.sub(r"\$\d", "", page)
