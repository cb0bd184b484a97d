"""One small chapter as a page: where folds begin and end, and what lies in them."""

import re

import nbformat
import pytest

from labutils.authoring.editions.editions import solution_edition
from labutils.authoring.site.chapters.chapter_page import ChapterPage
from labutils.authoring.site.chapters.outputs import Pictures
from labutils.authoring.site.markup import Links
from labutils.exercises.checkers import Number
from labutils.exercises.definition.exercise import Exercise, Prediction
from tests.authoring.fake_course import one_chapter

GUESS = Prediction("alpha.guess", "How many seats?", "1", "Twelve `chairs` stand there.")
ANSWER = Exercise(
    "alpha.answer", "The sum", Number(lambda: 42, "1", 0.01), ("a", "b * c", "d"), "So.", 2
)
KNOWN = {GUESS.id: GUESS, ANSWER.id: ANSWER}

CELLS = """\
# %% [markdown]
# ## How many seats?

# %%
### BEGIN SOLUTION
predict("alpha.guess", low=3, high=9)
### STUB predict("alpha.guess", ...)
### END SOLUTION

# %%
outcome("alpha.guess", 12)

# %% [markdown]
# ### Twelve, and not nine
#
# Words behind. Stuck? Put `hint("alpha.answer")` into a cell of your own, up to three times.
# Afterwards `reveal("alpha.answer")` explains the idea.

# %% [markdown]
# ## What is the sum?

# %%
def total():
    ### BEGIN SOLUTION
    return 6 * 7
    ### END SOLUTION

# %%
check("alpha.answer", total)

# %%
print(piece("alpha.answer", total)(), "seats")

# %% [markdown] tags=["optional"]
# ### For later (optional)
#
# More words.

# %% tags=["optional", "nbval-ignore-output"]
print(7)

# %% [markdown]
# (a) Ten. (b) Eleven.
#
# ## The end
#
# Words.

# %% [markdown]
# Look.
#
# (1: twelve. 2: thirteen.)
#
# (b) Fourteen.
#
# Behind.
"""


@pytest.fixture
def page(tmp_path):
    """The chapter's page, and its body as lines of tags and words."""
    course = one_chapter(tmp_path, CELLS)
    chapter = course.chapters[0]
    notebook = solution_edition(course, chapter)
    for cell in notebook.cells:
        if "outcome(" in cell.source:
            said = {"text/plain": "It is 12. You said 3 to 9.", "text/html": "<div>12</div>"}
            cell.outputs = [nbformat.v4.new_output("display_data", said)]
        if "piece(" in cell.source:
            text = "The sum: using yours.\n42 seats\n"
            cell.outputs = [nbformat.v4.new_output("stream", text=text)]
        if "print(7)" in cell.source:
            cell.outputs = [nbformat.v4.new_output("stream", text="seven\n")]
    made = ChapterPage(chapter, Links(course), Pictures(), KNOWN)
    made.body = made.build(notebook)
    return made


def words_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_an_outcome_is_folded_to_the_next_section(page):
    fold = page.body.partition('<details class="outcome"')[2].partition("<h2")[0]
    assert "Twelve, and not nine" in fold and fold.count("</details>") == fold.count("<details") + 1
    assert 'data-actual="12"' in fold and "<code>chairs</code>" in fold


def test_headings_behind_an_outcome_are_known_by_their_question(page):
    hidden = [part for part in page.parts if part.question]
    assert [(part.title, part.told.title) for part in hidden] == [
        ("Twelve, and not nine", "How many seats?")
    ]


def test_the_answer_comes_behind_the_stub_and_the_help(page):
    places = [page.body.index(words) for words in ("NotImplementedError", "Hint 3", "One answer")]
    assert places == sorted(places)
    assert "b * c" in words_of(page.body)  # a hint is no markdown
    stub = page.body[: places[2]]
    assert "6 * 7" not in words_of(stub) and "6 * 7" in words_of(page.body)


def test_a_call_for_hints_becomes_words_that_are_true_here(page):
    assert "into a cell" not in page.body and "folded under the task" in page.body


def test_an_optional_part_folds_under_its_heading(page):
    fold = page.body.partition('<details class="optional">')[2]
    assert words_of(fold).startswith("For later (optional) More words. Cell, 1 line print")
    assert "author's machine" in fold and page.body.count('class="optional"') == 1


def test_findings_of_an_explorer_are_folded_and_the_next_section_is_not(page):
    fold = page.body.partition("What you should have found")[2].partition("</details>")[0]
    assert words_of(fold) == "(a) Ten. (b) Eleven."
    assert words_of(page.body).endswith(
        "The end Words. Look. What you should have found (1: twelve. 2: thirteen.) (b) Fourteen. "
        "Behind."
    )


def test_what_an_answer_of_the_page_is_put_to_is_folded_and_says_not_whose_it_is(page):
    fold = page.body.partition("came out with an answer")[2].partition("</details>")[0]
    assert words_of(fold) == "42 seats"
    assert "using yours" not in page.body
