"""What the build writes for the fake course: two editions, the index, the map."""

import json

import nbformat
import pytest

from labutils.authoring.build import build
from labutils.authoring.editions.editions import learner_edition, solution_edition, to_text
from labutils.authoring.pages.index import index_text
from labutils.authoring.pages.topic_page import topic_page
from labutils.authoring.sources import solutions
from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.source import SourceError
from labutils.drills.catalog import find, templates
from tests.authoring.fake_course import ALPHA, ALPHA_START, BETA, header, write_course


def notebook_at(course, path):
    return nbformat.read(course.root / path, as_version=4)


def sources(notebook):
    return [cell.source for cell in notebook.cells]


def test_learner_edition_holds_stubs_and_no_outputs(pristine):
    learner = notebook_at(pristine, "notebooks/01_alpha.ipynb")
    text = "\n".join(sources(learner))
    assert "answer = ..." in text
    assert '    raise NotImplementedError("replace this line by your code")' in text
    assert '"""Return twice x."""' in text
    for secret in ("6 * 7", "twice_as_much", "### BEGIN", "### STUB", "solved with"):
        assert secret not in text
    assert "### Only for learners" in text
    code = [cell for cell in learner.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


def test_solution_edition_is_executed_and_free_of_markers(pristine):
    solved = notebook_at(pristine, "solutions/01_alpha.ipynb")
    text = "\n".join(sources(solved))
    assert "answer = 6 * 7" in text and "return twice_as_much" in text
    assert "###" not in text.replace("### Only", "")
    assert "Only for learners" not in text
    code = [cell for cell in solved.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    printed = "".join(o.text for cell in code for o in cell.outputs if o.output_type == "stream")
    assert printed == "alpha.answer answered\nsolved with 80\n"


def test_editions_are_valid_and_carry_no_trace_of_the_machine(pristine):
    for path in ("notebooks/01_alpha.ipynb", "solutions/01_alpha.ipynb"):
        notebook = notebook_at(pristine, path)
        nbformat.validate(notebook)
        assert notebook.metadata.kernelspec.name == "python3"
        assert notebook.metadata.language_info == {"name": "python"}
        assert "jupytext" not in notebook.metadata and "course" not in notebook.metadata
        assert all("execution" not in cell.metadata for cell in notebook.cells)


def test_tags_stay_but_those_of_editions(pristine):
    learner = notebook_at(pristine, "notebooks/01_alpha.ipynb")
    tags = [cell.metadata.get("tags") for cell in learner.cells]
    assert ["topic:B07"] in tags and ["parameters"] in tags
    assert not any("only" in tag for kept in tags for tag in kept or ())


def test_a_stub_that_may_raise_is_no_excuse_for_the_solution(tmp_path):
    cell = '# %% tags=["raises-exception"]\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n'
    course = read_course(write_course(tmp_path, **{"01_alpha": header("alpha") + cell}))
    learner = learner_edition(course, course.chapters[0])
    solved = solution_edition(course, course.chapters[0])
    assert learner.cells[2].metadata.tags == ["raises-exception"]
    assert "tags" not in solved.cells[2].metadata


def test_rebuilding_changes_no_byte(built):
    before = {path: path.read_bytes() for path in built.root.rglob("*") if path.is_file()}
    assert build(built) == []
    after = {path: path.read_bytes() for path in built.root.rglob("*") if path.is_file()}
    assert before == after


def test_an_inserted_cell_renames_no_other(pristine, tmp_path):
    longer = ALPHA.replace("# %%\n### BEGIN", "# %%\nnew = 1\n\n# %%\n### BEGIN", 1)
    changed = read_course(write_course(tmp_path, **{"01_alpha": header("alpha") + longer}))
    plain = read_course(write_course(tmp_path / "2", **{"01_alpha": header("alpha") + ALPHA}))
    ids = [
        [cell.id for cell in learner_edition(course, course.chapters[0]).cells]
        for course in (plain, changed)
    ]
    assert len(ids[1]) == len(ids[0]) + 1 and set(ids[0]) < set(ids[1])


def test_equal_cells_get_ids_of_their_own(pristine):
    ids = [cell.id for cell in notebook_at(pristine, "notebooks/02_beta.ipynb").cells]
    assert len(set(ids)) == len(ids)
    assert f"{ids[3]}-2" == ids[4]


def test_topic_index_names_notebook_and_heading(pristine):
    index = json.loads((pristine.root / "data/topic_index.json").read_text())
    alpha = {"path": "notebooks/01_alpha.ipynb", "title": "01 · Alpha", "heading": "Counting up"}
    assert index == {"B07": [alpha], "B08": [alpha]}


def test_index_page_links_covered_topics_and_lists_the_others_as_open(built):
    titles = {"B07": "utilization", "B08": "queue|s", "C01": "capacity"}
    (built.root / "data/topics.json").write_text(json.dumps(titles))
    page = topic_page(built, index_text(built))
    assert "2 of 3 topics have a place" in page
    place = "[01, Counting up](notebooks/01_alpha.ipynb)"
    assert f"| B07 | utilization | {place} |  |" in page
    assert f"| B08 | queue\\|s | {place} |  |" in page
    assert "## C · Worked examples" in page and "| C01 | capacity | *open* |  |" in page


COVERS = """\
# %% [markdown] tags=["topic:B07", "optional"]
# ## Aside: utilization

# %% [markdown] tags=["topic:B07"]
# ## Two servers

# %% [markdown] tags=["topic:B07"]
# ## What is utilization?
"""


def test_the_page_names_the_best_place_first_and_the_others_by_their_numbers(tmp_path):
    once = '# %% [markdown] tags=["topic:B07"]\n# ## Utilization once\n'
    sources = {
        "01_alpha": header("alpha") + once,
        "02_beta": header("beta", order=2) + COVERS,
        "lab1_gamma": header("gamma", order=11).replace("notebooks", "labs") + 3 * once,
        "90_interview_drills": header("interview_drills", order=90) + once,
    }
    course = read_course(write_course(tmp_path, **sources))
    titles = {"B07": "Utilization: ρ = λ/μ", "C22": "An incident", "R04": "Little's law"}
    (course.root / "data/topics.json").write_text(json.dumps(titles))
    rows = {line[2:5]: line for line in topic_page(course, index_text(course)).splitlines()}
    assert "[02, What is utilization?](notebooks/02_beta.ipynb) | 01, Lab 1, " in rows["B07"]
    assert "90," not in rows["B07"] and rows["B07"].endswith(" drills, 1 card |")
    assert '[90, `prompt("r07")`](notebooks/90_interview_drills.ipynb) | 1 drill' in rows["C22"]
    assert '[90, `prompt("r04")`](notebooks/90_interview_drills.ipynb) |  |' in rows["R04"]


def test_a_drill_stands_in_the_index_behind_the_chapters_and_unnamed_in_the_page(tmp_path):
    drills = header("interview_drills", order=90) + ALPHA_START + ALPHA
    course = read_course(write_course(tmp_path, **{"90_interview_drills": drills}))
    index = json.loads(index_text(course))
    assert index["B07"][0]["heading"] == "Counting up"
    little = find("in_flight")
    wanted = f'drill("in_flight"): {little.title}'
    assert wanted in [place["heading"] for topic in little.topics for place in index[topic]]
    titles = {topic: f"Topic {topic}" for topic in index}
    (course.root / "data/topics.json").write_text(json.dumps(titles))
    page = topic_page(course, index_text(course))
    assert '[90, `drill("' in page
    assert not [template.id for template in templates() if template.title in page]


def test_readme_map_lists_the_chapters_in_order_and_leaves_the_rest(pristine):
    readme = (pristine.root / "README.md").read_text()
    assert readme.startswith("# Fake\n\n<!-- map:begin -->\n") and readme.endswith("\n\nEnd.\n")
    rows = readme.split("<!-- map:begin -->\n")[1].split("\n<!-- map:end -->")[0].splitlines()
    assert rows[2] == "| [01 · Alpha](notebooks/01_alpha.ipynb) | 20 | – | How much? |"
    assert rows[3] == "| [02 · Beta](notebooks/02_beta.ipynb) | 20 | 01 | How much? |"


def test_title_and_closing_links_lead_to_neighbours(pristine):
    alpha = notebook_at(pristine, "notebooks/01_alpha.ipynb").cells
    beta = notebook_at(pristine, "solutions/02_beta.ipynb").cells
    assert alpha[0].source.startswith("# 01 · Alpha\n\n20 min · needs no other chapter · CPU\n")
    assert "Colab" not in alpha[0].source
    assert alpha[-1].source == "---\nNext: [02 · Beta](02_beta.ipynb)"
    assert "needs [01 · Alpha](01_alpha.ipynb)" in beta[0].source
    assert "(../notebooks/02_beta.ipynb)" in beta[0].source
    assert beta[-1].source == "---\nBefore: [01 · Alpha](01_alpha.ipynb)"


def test_links_between_folders(tmp_path):
    lab = header("gamma", order=3).replace("folder: notebooks", "folder: labs") + BETA
    course = read_course(
        write_course(tmp_path, **{"01_alpha": header("alpha") + ALPHA, "lab1_gamma": lab})
    )
    first, last = (learner_edition(course, chapter).cells for chapter in course.chapters)
    assert first[-1].source == "---\nNext: [Lab 1 · Gamma](../labs/lab1_gamma.ipynb)"
    assert last[-1].source == "---\nBefore: [01 · Alpha](../notebooks/01_alpha.ipynb)"
    assert (
        solution_edition(course, course.chapters[0]).cells[-1].source.endswith("(lab1_gamma.ipynb)")
    )


def test_indented_stub_keeps_its_own_indentation():
    cell = (
        "for k in range(3):\n    ### BEGIN SOLUTION\n    total = k * 10\n"
        "    ### STUB if k:\n    ###STUB not a stub\n    ### STUB     total = ...\n"
        "    ### END SOLUTION\nprint(total)"
    )
    assert solutions.blanked(cell) == (
        "for k in range(3):\n    if k:\n        total = ...\nprint(total)"
    )
    assert "total = k * 10" in solutions.answered(cell)


@pytest.mark.parametrize(
    "cell",
    [
        "### BEGIN SOLUTION\nx = 1",
        "x = 1\n### END SOLUTION",
        "### STUB x = ...",
        "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION",
    ],
)
def test_unpaired_markers_are_named(cell, tmp_path):
    with pytest.raises(ValueError, match=r"partner|never closed"):
        solutions.split(cell)
    text = header("alpha") + "# %%\n" + cell + "\n"
    course = read_course(write_course(tmp_path, **{"01_alpha": text}))
    with pytest.raises(SourceError, match=r"solutions/01_alpha\.py, cell 1"):
        learner_edition(course, course.chapters[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"minutes": -3}, r"minutes = -3"),
        ({"minutes": "[]"}, r"minutes"),
        ({"order": "1, colour: red"}, r"colour"),
    ],
)
def test_bad_headers_are_named(change, message, tmp_path):
    with pytest.raises(SourceError, match=rf"01_alpha\.py: header.*{message}"):
        read_course(write_course(tmp_path, **{"01_alpha": header("alpha", **change) + BETA}))


def test_two_chapters_in_one_place_are_refused(tmp_path):
    files = {"01_alpha": header("alpha") + BETA, "01_beta": header("beta") + BETA}
    with pytest.raises(SourceError, match=r"01_beta\.py: order 1 is taken by .*01_alpha\.py"):
        read_course(write_course(tmp_path, **files))


def test_text_is_stable_json(pristine):
    chapter = pristine.chapter("beta")
    text = to_text(learner_edition(pristine, chapter))
    assert text == (pristine.root / chapter.learner_path).read_text(encoding="utf-8")
    assert text.endswith("}\n") and json.loads(text)["nbformat_minor"] == 5
