"""The page of an engine: whose lines, the proof, the race, the envelope, a picture of its steps."""

from html import escape

from labutils.serving.trials.load_figures import BACKLOG

from .bench import COURSE, NAIVE, YOURS, Bench
from .facts import Facts
from .markup.drawings import Bar, packed, ruler
from .markup.page_parts import document, section, shown, table, table_of_columns, together
from .texts.course_engine import GIVEN_FILES
from .texts.functions import code_lines_of, source_of

TITLE = "A small LLM engine: continuous batching over a paged KV cache"
WHAT = {
    "request": "one object per request, from its arrival to its end",
    "pages": "which request holds which page, what is shared, what is evicted",
    "scheduler": "which request computes what in the next step",
    "packing": "from a plan to tensors",
    "attention": "keys and values in memory, and attention over them",
    "sampling": "which token comes next",
    "loop": "the engine around all of it",
    "model": "the transformer",
    "model_rope": "its rotary positions",
}
CONTENDERS = {
    "floor": "the floor", COURSE: "the course's", YOURS: "mine", NAIVE: "one at a time",
}  # fmt: skip
QUANTITIES = {
    "ttft_p50_s": "time to the first token, p50", "ttft_p99_s": "time to the first token, p99",
    "tpot_p50_s": "time per further token, p50", "tpot_p99_s": "time per further token, p99",
    BACKLOG: "growth of the backlog",
}  # fmt: skip


def page(facts: Facts) -> str:
    """The whole page."""
    title = f"{shown(facts.name)}: {TITLE}" if facts.name else TITLE
    parts = _head, _lines, _proof, _race, _envelope, _steps, _yourself
    return document(title, "".join(part(facts) for part in parts))


def _head(facts: Facts) -> str:
    by = f"{shown(facts.name)}, {facts.day}" if facts.name else facts.day
    exact = "Its tokens are those of the reference, on three jobs. " * facts.proof.holds
    return (
        f'<header><h1>{TITLE}</h1><p class="soft">{by}</p>'
        f'<p class="lead">{_finding(facts)} {exact}It needs torch and safetensors, and nothing '
        "else.</p></header>\n"
    )


def _finding(facts: Facts) -> str:
    return together(shown(facts.map.finding.replace("yours", "mine")))


def _lines(facts: Facts) -> str:
    rows, code = [], []
    for name, what in WHAT.items():
        functions = [row.function for row in facts.map.rows if row.file == name and row.yours]
        lines = sum(row.lines for row in facts.map.rows if row.file == name and row.yours)
        whole = code_lines_of(facts.texts[name])
        share = "given" if name in GIVEN_FILES else f"{100 * lines / whole:.0f} %"
        short = dict.fromkeys(one.rpartition(".")[2] for one in functions)
        named = ", ".join(f"<code>{shown(one)}</code>" for one in short)
        about = f'<code>{name}.py</code><br><span class="soft">{what}</span>'
        about += f"<br>{named}" if functions else ""
        rows.append((about, str(whole), str(lines), share))
        code.append(_code(name, functions, facts.texts[name]) if functions else "")
    total = str(facts.map.lines), str(facts.map.yours), f"{100 * facts.map.share:.0f} %"
    rows.append(("<b>all but the model</b>", *(f"<b>{cell}</b>" for cell in total)))
    return section("Which lines are mine?", (
        table(("file, and my functions in it", "lines of code", "mine", "share"), rows),
        '<p class="soft">"Mine" counts lines in the bodies of functions that I wrote; signatures, '
        "records and the rest are those of the course <i>Tokens in Flight</i>, as is the model, "
        "which the total leaves out. Docstrings and comments are not counted.</p>",
        f'<div class="code">{"".join(code)}</div>',
    ))  # fmt: skip


def _code(file: str, functions: list[str], text: str) -> str:
    inside = "".join(
        f"<details><summary><code>{shown(name)}</code></summary>"
        f"<pre><code>{_source(source_of(text, name))}</code></pre></details>"
        for name in functions
    )
    return f"<details><summary>My code in <code>{file}.py</code></summary>{inside}</details>"


def _source(text: str) -> str:
    return "\n".join(shown(line) for line in text.expandtabs().rstrip().splitlines())


def _proof(facts: Facts) -> str:
    columns = []
    for part in facts.proof.parts:
        one = part.expected
        tokens = sum(len(answer) for answer, _ in one.answers)
        counts = len(one.answers), tokens, one.steps, one.preemptions, one.cached_tokens
        result = shown(part.problem) if part.problem else "equal"
        columns.append((part.job, *map(str, counts), result))
    head = "", "answers", "tokens", "steps", "preemptions", "tokens found", "result"
    fails = "" if facts.proof.holds else '<p class="alarm">The proof does not hold.</p>'
    return section("Is it right?", (
        fails,
        "<p>Token for token against the course's engine: same requests, same limits, a small model "
        "with random weights in float64. Answers, reasons to end, steps, preemptions and tokens "
        "found in memory have to be equal, and every page has to be in its place after every "
        "step.</p>",
        table_of_columns(head, *columns),
        _circumstances("Compared", facts.here),
    ))  # fmt: skip


def _race(facts: Facts) -> str:
    title = "How fast is it?"
    if missing := _missing(facts.race, facts, "labutils engine bench"):
        return section(title, (missing,))
    where, race = facts.race
    head, *rows = race.rows()
    cells = {name: cells for name, *cells in rows}
    columns = [(label, *cells[name]) for name, label in CONTENDERS.items()]
    clock = "Processor time of one core" if race.clock == "processor time" else "Wall time"
    rounds, answers = len(race.timings[YOURS].samples_s), race.served[YOURS].answers
    return section(title, (
        f'<p class="lead">{100 * race.of_the_reference:.0f} % of the speed of the course\'s '
        f"engine, {_times(race)} times that of one request at a time, {race.share(YOURS)} of the "
        f"floor.</p><p>{shown(_mine(race.noise))}</p>",
        f"<figure>{ruler(_bars(race), race.clock)}<figcaption>{clock}, the middle of {rounds} "
        "rounds taken in turn; the thin line spans 80 % of them. One at a time: the course's "
        "engine with a single batch slot.</figcaption></figure>",
        table_of_columns(head, *columns),
        f"<p>{len(answers)} requests to a model of {shown(race.model)}; {race.same_answers} of "
        f"{len(answers)} answers are the course's, token for token. The floor is the least time in "
        "which the job's bytes and operations pass at the rates of this machine, whoever writes "
        "the engine.</p>",
        _circumstances("Measured", where),
    ))  # fmt: skip


def _bars(race: Bench) -> list[Bar]:
    rounds = {
        name: Bar(_shade(name), CONTENDERS[name], one.median_s, one.low_s, one.high_s)
        for name, one in race.timings.items()
    }
    rounds["floor"] = Bar(_shade("floor"), CONTENDERS["floor"], race.floor_s)
    return [rounds[name] for name in CONTENDERS]


def _shade(name: str) -> str:
    return "mine" if name == YOURS else "other"


def _times(race) -> str:
    return f"{race.timings[NAIVE].median_s / race.timings[YOURS].median_s:.1f}"


def _mine(said: str) -> str:
    return said.replace("Yours", "Mine").replace("yours", "mine")


def _envelope(facts: Facts) -> str:
    title = "Could a simulator say how it will do?"
    if missing := _missing(facts.envelope, facts, "labutils engine envelope"):
        return section(title, (missing,))
    where, opened = facts.envelope
    rows = [row for one in opened.reveal.rows for row in _predicted(one, opened.reveal)]
    pieces = max(len(row.pieces) for row in opened.reveal.rows)
    return section(title, (
        "<p>A simulator ran the same scheduler on a simulated clock. All it knew of the engine was "
        "what a step costs, fitted to other requests. Its predictions were sealed (digest "
        f"<code>{shown(opened.sealed)}</code>) before the engine served these loads.</p>",
        f'<p class="lead">{shown(" ".join(opened.reveal.verdict().split()))}</p>',
        table(("", "predicted", "measured", "off by", "band"), rows),
        f"<p>Capacity: {opened.capacity_per_s:.3g} requests a second, by the simulator. Each "
        f"number is the middle of {pieces} pieces of {opened.requests} requests.</p>",
        _circumstances("Opened", where),
    ))  # fmt: skip


def _predicted(row, reveal) -> list[tuple[str, ...]]:
    """A row of the table; the first one of a load stands below the load's name."""
    first = next(one for one in reveal.rows if one.share == row.share) is row
    scale, unit = (1, "requests/s") if row.quantity == BACKLOG else (1000, "ms")
    said, found = (f"{scale * one:.3g}" for one in (row.predicted, row.measured))
    band = f"{100 * row.band:.0f} %" if row.graded else f"not judged: {shown(row.why_not)}"
    name = f"{QUANTITIES.get(row.quantity, row.quantity)} ({unit})"
    load = [(f"<b>at {row.share:g} of capacity</b>",)] if first else []
    off = f"{100 * row.error:+.0f}".replace("-", "−").replace("+0", "0").replace("−0", "0")
    return [*load, (name, said, found, f"{off} %", f"±\u00a0{band}" if row.graded else band)]


def _steps(facts: Facts) -> str:
    title = "What does a step look like?"
    if isinstance(facts.steps, str):
        failed = f'<p class="alarm">The engine failed on this job: {shown(facts.steps)}</p>'
        return section(title, (failed,))
    tokens = sum(yields for step in facts.steps for _, _, yields in step.rows)
    return section(title, (
        f"<p>{len(facts.steps)} calls of the model, {tokens} tokens of answers, and no padding: "
        "each step is one line of tokens, of all who take part in it.</p>",
        f"<figure>{packed(facts.steps)}<figcaption>A line is a step, a letter a request. "
        '<span class="key decode"></span> decode, one token each. '
        '<span class="key prefill"></span> chunk of a prompt; a dot: its last token yields the '
        "next one. At the right: preempted, its memory went to others. Seven requests, five "
        f"places, fifteen pages of four tokens; run on {facts.day}.</figcaption></figure>",
    ))  # fmt: skip


def _yourself(_facts: Facts) -> str:
    commands = (
        "# recorded tokens, under four kinds of limits", "python test_engine.py", "",
        "# the race, on your machine", "python bench.py", "",
        "# text", 'python -m my_engine "A queue"',
    )  # fmt: skip
    return section("Run it yourself", (
        "<p>In the folder that this page came with; torch and safetensors are enough.</p>",
        f"<pre><code>{chr(10).join(map(escape, commands))}</code></pre>",
        "<p class=\"soft\">Code: Apache License 2.0; model: CC BY 4.0. Exported from the course "
        "<i>Tokens in Flight</i>.</p>",
    ))  # fmt: skip


def _missing(kept, facts: Facts, command: str) -> str:
    """Why there is no figure, and how to come by it; empty where there is one."""
    again = f"<code>{command}</code> measures it; then export again."
    if kept is None:
        return f'<p class="not-yet">Not run yet. {again}</p>'
    if kept[0].engine != facts.here.engine:
        return (
            f'<p class="not-yet">Run on {shown(kept[0].day)}, when other functions stood in the '
            f"engine. {again}</p>"
        )
    return ""


def _circumstances(verb: str, where) -> str:
    said = f"{verb} on {where.day}: {where.machine}; {where.versions}."
    return f'<p class="soft">{shown(said)}</p>'
