"""The page of an exported engine: it loads nothing, says what is recorded, and what is not."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
import torch

import labutils.engine
from labutils.engine import LlamaModel, small_spec
from labutils.serving.trials import Rates, TrialPlan
from labutils.serving.trials.reveal import Reveal, Row, Steadiness
from labutils.workspace.my_engine import my_engine
from labutils.workspace.my_engine.bench import COURSE, NAIVE, YOURS, bench
from labutils.workspace.my_engine.facts import facts_of
from labutils.workspace.my_engine.measured import (
    KEPT,
    keep_envelope,
    keep_race,
    kept_envelope,
    kept_race,
)
from labutils.workspace.my_engine.page import page
from labutils.workspace.my_engine.prove import prove
from labutils.workspace.my_engine.store import Store

MINE = '''
def admits(self, request):
    """Mine."""
    assert "</code></pre><img src=x onerror=alert(1)>" != '"&amp;'
    return self.pool.fits(request) and len(self.running) < self.max_sequences
'''
BROKEN = """
def _forward(self, chunks):
    raise LookupError("<b>no such row</b>\\x1b[2J")
"""
REVEAL = Reveal(
    (
        Row(0.7, "ttft_p50_s", ((0.00123, 0.00125), (0.00121, 0.00127)), 0.17),
        Row(0.7, "ttft_p99_s", ((0.0047, 0.0061),), 0.21, "a single p99 has no spread"),
        Row(1.5, "backlog_per_s", ((455.0, 464.0),), 0.08),
    ),
    Steadiness(0.011, 0.013),
)
SEALED = SimpleNamespace(digest="0badcafe", capacity_per_s=803.4, plan=TrialPlan(requests=217))


class Read(HTMLParser):
    """Every tag in its place, and the text between them; ``ValueError`` for a tag that is not."""

    def __init__(self, text: str):
        super().__init__()
        self.open, self.tags, self.text, self.rows = [], [], "", []
        self.feed(text)
        self.close()
        if self.open:
            raise ValueError(f"still open: {self.open}")

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise ValueError(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        self.text += data
        if {"td", "th"} & {*self.open}:
            self.rows[-1][-1] += data.replace("\u00a0", " ")

    def row(self, name: str) -> list[str]:
        """The cells behind the first that is called ``name``."""
        return next(cells for first, *cells in self.rows if first == name)


def raced_and_predicted(store):
    """Race the engine in ``store`` on a tiny model, and keep that and an envelope with it."""
    spec = small_spec(layers=1, hidden_size=24, num_heads=2, num_kv_heads=1, head_dim=12,
                      ffn_size=20, vocab_size=61)  # fmt: skip
    model = LlamaModel(spec, dtype=torch.float64, init_std=0.3)
    room = my_engine(store, quiet=True)
    rates = Rates(copy_bandwidth_bytes_per_s=1e9, matrix_flops_per_s=1e12)
    race = bench(room, requests=13, rounds=3, model=model, rates=rates)
    keep_race(room, race, store)
    keep_envelope(room, SEALED, REVEAL, store)
    return race


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """An engine with one function of the learner's, raced and predicted."""
    store = Store(tmp_path_factory.mktemp("my") / "engine")
    store.keep("scheduler", "Scheduler.admits", MINE, "lab 4")
    store.raced = raced_and_predicted(store)
    return store


@pytest.fixture(scope="module")
def facts(store):
    return facts_of(store, prove(my_engine(store, quiet=True)), name="Ada </title><script>& Co\x1b")


@pytest.fixture(scope="module")
def text(facts):
    return page(facts)


def test_it_is_well_formed_and_can_load_nothing(text):
    read = Read(text)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(one["content"] for _, one in read.tags if "http-equiv" in one)
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")
    assert not {tag for tag, _ in read.tags} & {"script", "img", "link", "iframe", "a", "base"}
    names = {name for _, attributes in read.tags for name in attributes}
    assert not names & {"src", "href", "style"} and not [one for one in names if one[:2] == "on"]
    assert "://" not in text and "url(" not in style and "@import" not in style
    pictures = [one for tag, one in read.tags if tag == "svg"]
    assert len(pictures) == 2 and all(len(one["aria-label"]) > 60 for one in pictures)


def test_what_a_learner_writes_is_text(text):
    read = Read(text)
    assert "Ada </title><script>& Co\\x1b" in read.text and "\x1b" not in text
    assert """assert "</code></pre><img src=x onerror=alert(1)>" != '"&amp;\'""" in read.text


def test_it_counts_lines_as_the_map_does(text, facts):
    read = Read(text)
    assert read.row("all but the model") == [
        str(facts.map.lines), str(facts.map.yours), f"{100 * facts.map.share:.0f} %",
    ]  # fmt: skip
    own = [row for row in read.rows if re.match(r"\w+\.py", row[0])]
    counted = [row for row in own if row[3] != "given"]
    assert sum(int(row[1]) for row in counted) == facts.map.lines
    assert sum(int(row[2]) for row in counted) == facts.map.yours == 2
    assert facts.map.finding.replace("yours", "mine") in read.text.replace("\u00a0", " ")


def test_it_tells_the_proof_that_was_made(text, facts):
    read, parts = Read(text), facts.proof.parts
    assert read.row("") == [part.job for part in parts]
    assert read.row("steps") == [str(part.expected.steps) for part in parts]
    assert read.row("tokens found") == [str(part.expected.cached_tokens) for part in parts]
    assert read.row("result") == ["equal"] * 3 and facts.here.machine in read.text


def test_its_race_is_the_kept_one(store, text):
    where, race = kept_race(store)
    assert race == store.raced
    read, (head, *rows) = Read(text), race.rows()
    cells = dict(zip((row[0] for row in rows), rows))
    for at, name in enumerate(head[1:], start=1):
        shown = next(row[1:] for row in reversed(read.rows) if row[0] == name)
        assert shown == [cells[one][at] for one in ("floor", COURSE, YOURS, NAIVE)]
    ruler = next(one["aria-label"] for tag, one in read.tags if tag == "svg")
    for timing in race.timings.values():
        assert f"{timing.median_s:.3g} s" in ruler
    bar = next(one for tag, one in read.tags if one.get("class") == "mine")
    widest = max(max(one.high_s for one in race.timings.values()), race.floor_s)
    assert bar["width"] == f"{100 * race.timings[YOURS].median_s / widest:.2f}%"
    assert where.versions in read.text and race.model in read.text
    assert f"{race.same_answers} of 13 answers" in read.text


def test_its_envelope_is_the_opened_one(store, text):
    _, opened = kept_envelope(store)
    assert opened.reveal == REVEAL and opened.sealed == "0badcafe"
    read = Read(text)
    first = read.row("time to the first token, p50 (ms)")
    assert first == ["1.22", "1.26", "−3 %", "± 17 %"]
    assert read.row("time to the first token, p99 (ms)")[3] == (
        "not judged: a single p99 has no spread"
    )
    assert read.row("growth of the backlog (requests/s)") == ["455", "464", "−2 %", "± 8 %"]
    said = " ".join(read.text.replace("\u00a0", " ").split())
    assert " ".join(REVEAL.verdict().split()) in said and "803 requests a second" in said


def test_its_steps_are_the_engines(text, facts):
    read = Read(text)
    boxes = [one["class"] for tag, one in read.tags if one.get("class") in ("decode", "prefill")]
    assert len(boxes) == sum(len(step.rows) for step in facts.steps) > 40
    assert sum(yields for step in facts.steps for _, _, yields in step.rows) == 7 * 9
    dots = sum(one.get("class") == "dot" for _, one in read.tags)
    assert dots == sum(new > 1 and tells for step in facts.steps for _, new, tells in step.rows)
    assert any(step.preempted for step in facts.steps)


def test_what_has_not_been_run_is_said(tmp_path):
    store = Store(tmp_path / "engine")
    facts = facts_of(store, prove(my_engine(store, quiet=True)))
    read = Read(page(facts))
    assert read.text.count("Not run yet.") == 2
    for command in ("labutils engine bench", "labutils engine envelope"):
        assert f"{command} measures it; then export again." in read.text
    assert not store.folder.exists() and "0 of" in read.text


def test_figures_of_other_functions_are_not_shown(store, tmp_path):
    other = Store(tmp_path / "engine")
    other.keep("scheduler", "Scheduler.admits", MINE.replace("assert", "assert True or"), "lab 4")
    (other.folder / KEPT).write_bytes((store.folder / KEPT).read_bytes())
    text = page(facts_of(other, prove(my_engine(other, quiet=True))))
    assert text.count("when other functions stood in the engine") == 2
    assert "0badcafe" not in text and 'class="mine"' not in text
    with_a_comment = MINE.replace("    assert", "    # why\n    assert")
    other.keep("scheduler", "Scheduler.admits", with_a_comment, "lab 4")
    assert "0badcafe" in page(facts_of(other, prove(my_engine(other, quiet=True))))


def test_an_engine_that_fails_is_said_to_fail(tmp_path):
    store = Store(tmp_path / "engine")
    store.keep("loop", "Engine._forward", BROKEN, "lab 6")
    text = page(facts_of(store, prove(my_engine(store, quiet=True))))
    assert text.count("LookupError: &lt;b&gt;no such row&lt;/b&gt;\\x1b[2J") == 4
    assert "The proof does not hold." in text and "The engine failed on this job" in text
    assert "Its tokens are those of the reference" not in text and Read(text)


def test_an_engine_of_no_texts_is_not_kept(store, tmp_path, capsys):
    other = Store(tmp_path / "engine")
    keep_race(labutils.engine, store.raced, other)
    assert "not kept" in capsys.readouterr().out and not other.folder.exists()


@pytest.mark.parametrize("damage", ("", "[]", '{"race": 3}', "[" * 100_000))
def test_a_damaged_record_is_none(store, tmp_path, damage):
    other = Store(tmp_path / "engine")
    other.folder.mkdir()
    (other.folder / KEPT).write_text(damage)
    assert kept_race(other) is None and kept_envelope(other) is None
    whole = json.loads((store.folder / KEPT).read_text())
    del whole["race"]["found"]["timings"][YOURS]
    (other.folder / KEPT).write_text(json.dumps(whole))
    assert kept_race(other) is None and kept_envelope(other)
