"""A course of two short chapters in a temporary folder, for the tests of the build."""

import json
from dataclasses import dataclass
from pathlib import Path

from labutils.authoring.sources.course import Course, read_course
from labutils.authoring.sources.definitions import Definitions

HEADER = """\
# ---
# jupyter:
#   course: {{order: {order}, slug: {slug}, title: "{title}", minutes: {minutes}, needs: {needs},
#     folder: notebooks, gpu: {gpu}, question: "{question}"}}
#   kernelspec: {{display_name: Python 3, language: python, name: python3}}
# ---

"""

ALPHA = """\
# %% [markdown] tags=["topic:B07"]
# Opening words.
#
# ## Counting up

# %% tags=["parameters"]
seed = 7
n = 40

# %% tags=["topic:B08"]
def double(x):
    \"\"\"Return twice x.\"\"\"
    ### BEGIN SOLUTION
    twice_as_much = x + x
    return twice_as_much
    ### END SOLUTION

# %%
### BEGIN SOLUTION
answer = 6 * 7
### STUB answer = ...
### END SOLUTION
check("alpha.answer", answer)

# %% tags=["solution-only"]
print("solved with", double(n))

# %% [markdown] tags=["learner-only"]
# ### Only for learners
"""

ALPHA_START = """\
# %%
def check(exercise_id, answer):
    print(exercise_id, "answered" if answer is not ... else "open")

"""

BETA = """\
# %% [markdown]
# ## Looking back
#
# See [the chapter before](01_alpha.ipynb).

# %%
print(2 + 2)

# %%
print(2 + 2)
"""


README = """\
# Fake

<!-- map:begin -->
<!-- map:end -->

<!-- clone:begin -->
<!-- clone:end -->

<!-- routes:begin -->
<!-- routes:end -->

End.
"""


@dataclass(frozen=True)
class FakeExercise:
    """As much of an exercise as the lint looks at."""

    id: str
    minutes: int = 5
    optional: bool = False
    explanation: str = "Because."


def header(slug: str, **changes) -> str:
    """A source header; ``changes`` replace its defaults."""
    defaults = {"order": 1, "title": slug.title(), "minutes": 20, "needs": "[]", "gpu": "no"}
    return HEADER.format(slug=slug, **{**defaults, "question": "How much?", **changes})


def definitions() -> Definitions:
    """What the catalog of the fake course would define."""
    return Definitions({"alpha": (FakeExercise("alpha.answer"),)}, {"alpha": ()})


def write_course(root: Path, **sources: str) -> Path:
    """Write settings, topics, a README and the two chapters (or ``sources`` by name)."""
    files = sources or {
        "01_alpha": header("alpha") + ALPHA_START + ALPHA,
        "02_beta": header("beta", order=2, needs="[alpha]") + BETA,
    }
    for folder in ("solutions", "notebooks", "labs", "data"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (root / f"solutions/{name}.py").write_text(text, encoding="utf-8")
    (root / "data/course.json").write_text(json.dumps({"title": "Fake", "repository": ""}))
    (root / "data/topics.json").write_text(json.dumps({"B07": "utilization", "B08": "queue"}))
    (root / "README.md").write_text(README)
    return root


def one_chapter(root: Path, cells: str, **changes) -> Course:
    """A course of the single chapter ``alpha`` with these cells."""
    return read_course(write_course(root, **{"01_alpha": header("alpha", **changes) + cells}))
