"""Slides: what a chapter shows, in which order, and what never leaves the notebook."""

import re
from pathlib import Path

import nbformat
import pytest

from labutils.authoring.lint.code import TELLING_LENGTH
from labutils.authoring.slides import markup, room
from labutils.authoring.slides.deck import deck_html, slides_of, write_decks
from labutils.authoring.slides.notes import Notes
from labutils.authoring.slides.parts import Prose, sections
from labutils.authoring.slides.slide_choice import Choice, read_choices, telling
from labutils.authoring.slides.slide_pages import Dealer
from labutils.authoring.sources import solutions
from labutils.authoring.sources.course import read_course
from labutils.exercises import catalog
from labutils.exercises.checkers import Number
from labutils.exercises.definition.exercise import Exercise, Misconception, Prediction
from tests.authoring.fake_course import one_chapter

CHECKOUT = Path(__file__).parents[2]
COURSE = read_course(CHECKOUT)
CHOICES = read_choices(CHECKOUT)
BUILT = [c for c in COURSE.chapters if (CHECKOUT / c.solution_path).exists()]


@pytest.fixture(scope="module", params=BUILT, ids=[c.name for c in BUILT])
def dealt(request):
    """A chapter of the course with its slides."""
    chapter = request.param
    return chapter, slides_of(COURSE, chapter, CHOICES.get(chapter.name))


def text(slide) -> str:
    return re.sub(r"<[^>]+>", "", "\n".join(slide.body))


def test_every_deck_can_be_shown_in_one_session(dealt):
    chapter, slides = dealt
    assert 8 <= len(slides) <= 41  # at half a minute each, since no slide holds much to read
    assert slides[0].kind == "title" and chapter.header.question[:20] in text(slides[0])
    assert all(slide.body and slide.title for slide in slides)


def test_no_slide_holds_more_than_a_class_reads_at_once(dealt):
    _, slides = dealt
    for slide in slides:
        asks = slide.kind in ("task", "predict")  # read by those who work on it
        assert room.words("\n".join(slide.body)) <= (90 if asks else room.WORDS), slide.title


def test_words_are_those_of_the_prose():
    assert room.words("<p>one <b>two</b></p><pre>no no</pre> <math><mi>x</mi></math>three") == 3


@pytest.mark.parametrize("mark", ["- ", "1. "])
def test_a_list_with_many_words_is_dealt_to_slides(mark):
    entries = [f"{mark}{' '.join(['word'] * 30)} {number}." for number in range(5)]
    parts = room.pieces(Prose("list", "\n".join(entries)))
    assert [len(part.text.splitlines()) for part in parts] == [2, 2, 1]


def test_a_table_with_many_words_is_dealt_to_slides_with_its_head():
    row = f"| {' '.join(['word'] * 12)} | end |"
    table = "\n".join(["| a | b |", "| --- | --- |", *[row] * 7])
    parts = room.pieces(Prose("table", table))
    assert [part.text.splitlines()[:2] for part in parts] == [["| a | b |", "| --- | --- |"]] * 2
    assert sum(len(part.text.splitlines()) - 2 for part in parts) == 7


def test_the_class_predicts_before_it_sees_the_outcome(dealt):
    chapter, slides = dealt
    explained = [p.explanation for p in _predictions(chapter)]
    for prediction in _predictions(chapter):
        asked = _first(
            slides, lambda s, p=prediction: s.kind == "predict" and p.question in s.notes.ask
        )
        if _is_played(chapter, prediction):
            continue
        said = _first(slides, lambda s, p=prediction: p.explanation[:25] in _plain(text(s)))
        assert asked < said, prediction.id
    assert all(slide.kind != "predict" or not _holds(slide, explained) for slide in slides)


def test_an_outcome_says_what_it_is(dealt):
    chapter, slides = dealt
    said = re.findall(r'class="outcome"><strong>(.*?)</strong>', "".join(map(str, slides)))
    for prediction in _predictions(chapter):
        words = prediction.finding.replace("{}", "")
        assert len(words.split()) >= 4 and words != "It is .", prediction.id
    for sentence in said:
        assert re.search(r"\d", sentence) and len(sentence.split()) >= 5, sentence
    assert len(said) >= sum(not _is_played(chapter, one) for one in _predictions(chapter))


def test_no_answer_stands_on_a_slide(dealt):
    chapter, slides = dealt
    shown = "".join("".join(text(slide).split()) for slide in slides)
    for cell in chapter.cells:
        for block in solutions.blocks(cell.source) if cell.kind == "code" else ():
            stub = {line.strip() for line in block.stub}
            for line in (line.strip() for line in block.answer):
                if (
                    len("".join(line.split())) >= TELLING_LENGTH
                    and line not in stub
                    and _is_code(line)
                ):
                    assert "".join(line.split()) not in shown, line


def _is_code(line: str) -> bool:
    return not line.startswith(("#", '"""', "def ", "class ", "async def ")) and re.search(
        r"[=(\[]", line
    )


def test_every_core_exercise_has_its_slide_with_the_mistakes_to_expect(dealt):
    chapter, slides = dealt
    tasks = [slide for slide in slides if slide.kind == "task"]
    for exercise in _exercises(chapter):
        if not exercise.optional:
            ours = [s for s in tasks if s.kicker == f"Your turn · {exercise.minutes} minutes"]
            assert ours, exercise.id
            for one in getattr(exercise.checker, "misconceptions", ()):
                said = "\n".join(line for slide in tasks for line in slide.notes.expect)
                assert one.message in said, (exercise.id, one.name)


def test_every_slide_but_the_first_says_its_minutes(dealt):
    chapter, slides = dealt
    spans = [re.findall(r"\d+", slide.notes.minutes) for slide in slides[1:]]
    spans = [(int(first), int(last)) for first, last in spans]
    assert spans == sorted(spans)
    assert spans[0][0] == 0 and spans[-1][1] == chapter.header.minutes


def test_the_choices_by_hand_still_match_their_chapters(dealt):
    chapter, _ = dealt
    assert not CHOICES.get(chapter.name, Choice()).stale


def _catalog(chapter):
    return next((m for m in catalog.chapters() if m.__name__.endswith(chapter.header.slug)), None)


def _predictions(chapter):
    module = _catalog(chapter)
    return catalog.predictions_of(module) if module else ()


def _is_played(chapter, prediction):
    """Whether its outcome comes when somebody plays: no notebook and no slide tells it before."""
    source = "\n".join(cell.source for cell in chapter.cells)
    return f'outcome("{prediction.id}", live.' in source


def _exercises(chapter):
    module = _catalog(chapter)
    return catalog.exercises_of(module) if module else ()


def _first(slides, fits) -> int:
    return next(at for at, slide in enumerate(slides) if fits(slide))


def _plain(shown: str) -> str:
    return shown.replace("&quot;", '"').replace("&amp;", "&")


def _holds(slide, texts) -> bool:
    return any(words[:40] in _plain(text(slide)) for words in texts)


@pytest.mark.parametrize("chapter", COURSE.chapters, ids=[c.name for c in COURSE.chapters])
def test_every_formula_of_the_course_becomes_mathml(chapter):
    for cell in chapter.cells:
        if cell.kind == "markdown":
            html = markup.block_html(cell.source)
            assert html.count("<math") == html.count("</math>")
            assert "$$" not in html and "<merror" not in html
            assert "\\" not in re.sub(r"<(code|pre)>.*?</\1>", "", html, flags=re.S)


def test_a_formula_without_translation_is_named():
    with pytest.raises(ValueError, match=r"\\nosuch"):
        markup.mathml(r"x = \nosuch{y}", display=False)


def test_a_prime_stays_visible():
    assert "&#x2032;" in markup.mathml(r"\lambda'", display=False)
    assert "msup" not in markup.mathml(r"\lambda'", display=False)


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("One server. Two queues? Yes!", ["One server.", "Two queues?", "Yes!"]),
        ("At $x. Y$ it ends. Then `a. B` goes.", ["At $x. Y$ it ends.", "Then `a. B` goes."]),
        ("See e.g. Kingman. **Bold. Still bold.**", ["See e.g. Kingman.", "Bold.", "Still bold."]),
        ("It takes 2.5 ms. In all 3.", ["It takes 2.5 ms.", "In all 3."]),
    ],
)
def test_sentences_end_where_they_end(paragraph, expected):
    assert markup.sentences(paragraph) == expected


PROSE = [
    "The opening sentence says what this is about. A plain one follows.",
    "Here is a table. The **load** is the share of busy time. Nothing else matters.",
]


def test_the_opening_and_the_bold_terms_are_told():
    told = telling(PROSE, Choice())
    assert told == [
        "The opening sentence says what this is about.",
        "The **load** is the share of busy time.",
    ]


def test_a_choice_by_hand_replaces_the_automatic_one_and_goes_stale():
    choice = Choice(show=("Nothing else", "Gone since"))
    assert telling(PROSE, choice) == ["Nothing else matters."]
    assert choice.stale == ["Gone since"]


CELLS = """\
# %% [markdown]
# The hook comes first.
#
# ## How many fit?
#
# The setting is told. Why?

# %%
### BEGIN SOLUTION
predict("alpha.guess", low=3, high=9)
### STUB predict("alpha.guess", ...)
### END SOLUTION

# %%
print("seen")
outcome("alpha.guess", 12)

# %% [markdown]
# *Checkpoint, 7 minutes. One idea so far.*
#
# ## Build: the answer
#
# Write it down, as a number of seats.

# %%
### BEGIN SOLUTION
answer = 6 * 7
show(answer)
### STUB answer = ...
### END SOLUTION

# %%
check("alpha.answer", answer)

# %% [markdown] tags=["slide:fragment"]
# A paragraph that appears on a key.

# %% [markdown] tags=["slide:notes"]
# Only the speaker reads **this**.

# %% [markdown] tags=["slide:skip"]
# Nobody reads this on a slide.

# %% [markdown] tags=["optional"]
# ## More practice
#
# An **extra** for the quick.
"""
ANSWER = Exercise(
    id="alpha.answer",
    title="The answer",
    minutes=6,
    checker=Number(
        expected=lambda: 42.0,
        unit="1",
        tolerance=0.01,
        misconceptions=(Misconception("sum-of-both", lambda: 13.0, "You add the two."),),
    ),
    hints=("one", "two", "three"),
    explanation="Six sevens.",
)
GUESS = Prediction(
    "alpha.guess",
    "How many seats fit?",
    "1",
    "Twelve chairs stand in the room.",
    finding="The room seats {}.",
)


def executed(course):
    """The fake chapter's solution edition with outputs as a kernel would leave them."""
    from labutils.authoring.editions.editions import solution_edition

    notebook = solution_edition(course, course.chapters[0])
    for cell in notebook.cells:
        if "outcome(" in cell.source:
            said = {"text/plain": "It is 12. You said 3 to 9.", "text/html": "<div>It is 12.</div>"}
            cell.outputs = [
                nbformat.v4.new_output("stream", text="   seats\n  one 5\n  two 7\n"),
                nbformat.v4.new_output("display_data", said),
            ]
        if "show(answer)" in cell.source:
            picture = '<img alt="The answer" width="8" height="4" src="data:image/png;base64,AA">'
            cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": picture})]
    return notebook


@pytest.fixture
def fake(tmp_path):
    """The slides of the fake chapter."""
    course = one_chapter(tmp_path, CELLS)
    chapter = course.chapters[0]
    known = {entry.id: entry for entry in (ANSWER, GUESS)}
    found = sections(chapter, executed(course), known)
    return Dealer(chapter, Choice()).deal(found)


def test_the_parts_of_a_chapter_come_in_their_order(fake):
    kinds = [slide.kind for slide in fake]
    assert kinds == ["text", "predict", "table", "checkpoint", "task", "figure", "text"]
    assert "How many seats fit?" in text(fake[1]) and "12" not in text(fake[1])
    assert "two 7" in text(fake[2]) and "Twelve chairs" in text(fake[2])
    assert fake[1].notes.ask == ["How many seats fit?", "Why?"]


def test_what_shows_the_answer_comes_behind_the_task(fake):
    assert fake[4].notes.expect == ["**sum of both:** You add the two."]
    assert "as a number of seats" in text(fake[4]) and 'alt="The answer"' in fake[5].body[-1]


def test_minutes_follow_the_checkpoints(fake):
    spans = [slide.notes.minutes for slide in fake]
    assert spans[:4] == ["Notebook minutes 0 to 7."] * 4
    assert spans[4:] == ["Notebook minutes 7 to 20."] * 3


def test_tags_overrule_the_structure(fake):
    html = "\n".join(block for slide in fake for block in slide.body)
    said = "\n".join(block for slide in fake for block in slide.notes.say)
    assert re.search(r'class="fragment"><div class="paragraph"><p>A paragraph that appears', html)
    assert "Only the speaker" in said and "Only the speaker" not in html
    for gone in ("Nobody reads this", "extra"):
        assert gone not in html and gone not in said


def test_a_solution_edition_older_than_its_source_is_named(tmp_path):
    course = one_chapter(tmp_path, CELLS)
    notebook = executed(course)
    notebook.cells[3].source += "\n# changed"
    with pytest.raises(ValueError, match=r"01_alpha.ipynb is not what .* run: python -m"):
        sections(course.chapters[0], notebook, {})


def test_decks_are_written_and_faults_are_returned(tmp_path):
    course = one_chapter(tmp_path, "# %% [markdown]\n# Words of $\\alpha$ and no more of them.\n")
    assert write_decks(course) == ["solutions/01_alpha.ipynb: missing; run: make solutions"]
    from labutils.authoring.editions.editions import solution_edition, to_text

    chapter = course.chapters[0]
    (tmp_path / chapter.solution_path).write_text(to_text(solution_edition(course, chapter)))
    (tmp_path / "data/slides.json").write_text('{"01_alpha": {"hide": ["No such words"]}}')
    assert write_decks(course) == [
        "data/slides.json, 01_alpha: no text begins with 'No such words'; the deck is written "
        "without that choice"
    ]
    deck = (tmp_path / "build/slides/01_alpha/index.html").read_text()
    assert "<math" in deck and "reveal.js" in deck and "Words of" in deck
    contents = (tmp_path / "build/slides/index.html").read_text()
    assert 'href="01_alpha/index.html"' in contents
    assert f"({chapter.header.minutes} minutes)" in contents


def test_a_deck_loads_nothing(dealt):
    chapter, slides = dealt
    html = re.sub(r"<script>.*?</script>", "", deck_html(chapter, slides), flags=re.S)
    loads = re.findall(
        r'(?:src|href)="(?!data:)([^"]+)"|url\((?!["\']?data:)([^)]*)\)|@import', html
    )
    addresses = [one or other for one, other in loads]
    assert all(address.startswith("https://") for address in addresses)  # links to click, no more
    assert not re.findall(r"<(?:img|link|script)[^>]+https?:", html)


QUOTED = """\
# %% [markdown]
# ## The {}
#
# A table of the loads that were measured follows.

# %%
print("seen")

# %% [markdown]
# ### {}
#
# What that costs was **never** counted by anybody so far.
"""


@pytest.mark.parametrize(
    ("heading", "kinds"),
    [
        ("Pages cost time", ["table"]),
        ('"Pages are free"', ["table", "text"]),
        ("Spot the flaw: pages", ["table", "text"]),
    ],
)
def test_a_finding_stands_under_its_figure_and_a_quoted_claim_does_not(tmp_path, heading, kinds):
    course = one_chapter(tmp_path, QUOTED.format("loads", heading))
    notebook = executed(course)
    for cell in notebook.cells:
        if "seen" in cell.source:
            cell.outputs = [nbformat.v4.new_output("stream", text="load\n0.1\n0.2\n0.4\n")]
    slides = Dealer(course.chapters[0], Choice()).deal(sections(course.chapters[0], notebook, {}))
    assert [slide.kind for slide in slides] == kinds
    assert ("takeaway" in slides[0].body[-1]) == (len(kinds) == 1)


BODY = "One **sentence** that is long enough to be told to everybody in the room."
SKETCH = f"""\
# %% [markdown]
# ## Draw it
#
# {BODY}

# %%
paper = Sketch([1, 2], x_label="load", y_label="latency (ms)", y_log=True, title="How steep?")

# %%
print("seen")

# %% [markdown]
# ## Set aside
#
# Words that only the speaker has.
#
# <details><summary><b>Folded words</b></summary>
#
# </details>
#
# *Checkpoint, 7 minutes. Said all the same.*
"""


def dealt_from(tmp_path, cells, printed="", choice=None, known=()):
    """The slides of a fake chapter whose cell ``print("seen")`` printed ``printed``."""
    course = one_chapter(tmp_path, cells)
    notebook = executed(course)
    for cell in notebook.cells:
        if cell.source == 'print("seen")':
            cell.outputs = [nbformat.v4.new_output("stream", text=printed)]
    chapter = course.chapters[0]
    found = sections(chapter, notebook, {entry.id: entry for entry in known})
    return Dealer(chapter, choice or Choice()).deal(found)


def test_a_sketch_is_drawn_before_the_measured_curve(tmp_path):
    slides = dealt_from(tmp_path, SKETCH, "a 1\nb 2\nc 3\n")
    assert [slide.kind for slide in slides[:3]] == ["text", "predict", "table"]
    said = text(slides[1])
    assert "How steep?" in said and "load" in said and "latency (ms), logarithmic" in said


def test_a_hidden_section_keeps_its_checkpoint_and_its_minutes(tmp_path):
    slides = dealt_from(tmp_path, SKETCH, "a 1\nb 2\nc 3\n", Choice(hide=("Set aside",)))
    assert slides[-1].kind == "checkpoint" and "Said all the same" in text(slides[-1])
    assert all("Words that only" not in text(slide) for slide in slides)
    assert {slide.notes.minutes for slide in slides} == {"Notebook minutes 0 to 7."}


def test_a_hidden_paragraph_stays_with_the_speaker(tmp_path):
    slides = dealt_from(tmp_path, SKETCH, "a 1\nb 2\nc 3\n", Choice(hide=("Words that only",)))
    assert all("Words that only" not in text(slide) for slide in slides)
    told = [said for slide in slides for said in slide.notes.say]
    assert any("Words that only" in said for said in told)
    assert "Folded words" in told and not any("<" in said for said in told)


OUTCOME = """\
# %% [markdown]
# ## How many fit?

# %%
### BEGIN SOLUTION
predict("alpha.guess", low=3, high=9)
### STUB predict("alpha.guess", ...)
### END SOLUTION

# %% tags=["nbval-ignore-output"]
print("few lines")
outcome("alpha.guess", 12)
"""


def test_a_short_print_stands_above_the_outcome_that_it_explains(tmp_path):
    course = one_chapter(tmp_path, OUTCOME)
    notebook = executed(course)
    cell = next(cell for cell in notebook.cells if "few lines" in cell.source)
    cell.outputs[0].text = "by slots 5, really 1.3\n"
    found = sections(course.chapters[0], notebook, {GUESS.id: GUESS})
    asked, said = Dealer(course.chapters[0], Choice()).deal(found)
    assert asked.kind == "predict" and "really 1.3" not in text(asked)
    assert "really 1.3" in said.body[0]
    assert text(said).endswith("The room seats 12. Twelve chairs stand in the room.")
    assert said.kicker == "Outcome, measured on one machine: yours prints other numbers"


def test_a_long_table_is_dealt_to_several_slides_with_its_head():
    rows = [f"| {letter} | {letter * 9} |" for letter in "abcdefghijklmnop"]
    whole = Prose("table", "\n".join(["| card | word |", "| --- | --- |", *rows]))
    parts = room.pieces(whole)
    assert [len(part.text.splitlines()) for part in parts] == [10, 10]
    assert all(part.text.startswith("| card | word |\n| --- |") for part in parts)
    assert [row for part in parts for row in part.text.splitlines()[2:]] == rows
    assert room.pieces(parts[0]) == [parts[0]]


DOCUMENTED = """\
def may_start(self, left):
    \"\"\"{first}

    Needs:
    - {item}
    \"\"\"
    text = "{code}"
"""


def test_a_docstring_is_broken_to_the_width_of_a_slide_and_code_is_not():
    first, item, code = ((f"{word} " * 25).strip() for word in ("words", "item", "code"))
    source = DOCUMENTED.format(first=first, item=item, code=code)
    lines = room.rewrapped(source).splitlines()
    assert " ".join(" ".join(lines).split()) == " ".join(source.split())
    said = [line for line in lines if "words" in line]
    assert len(said) == 2 and all(len(line) <= room.CODE_WIDTH for line in said)
    assert all(line.startswith("    ") for line in said)
    assert f'    text = "{code}"' in lines and f"    - {item}" in lines
    assert room.rewrapped('def f():\n    """Short."""') == 'def f():\n    """Short."""'


def test_a_task_begins_where_its_sentence_begins():
    lead, items, stub = (
        Prose("paragraph", "Return three numbers:"),
        Prose("list", "- one\n- two"),
        Prose("paragraph", "Write them down. Here is the frame:"),
    )
    last = Prose("paragraph", "Fill it.")
    assert room.asked_for([lead, items, last]) == [lead, items, last]
    assert [one.text for one in room.asked_for([stub, last])] == ["Write them down.", "Fill it."]


def test_the_speaker_is_not_told_to_ask_what_only_the_notebook_asks():
    notes = Notes()
    notes.add_prose("Stuck? Put a hint there. Whose work keeps the server busy?")
    assert notes.ask == ["Whose work keeps the server busy?"]
