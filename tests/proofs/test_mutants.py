"""The mutants: each kind of change is made, once, compiles, and keeps its name between runs."""

import pytest

from tests.proofs.mutants import mutants

WHOLE = """\
def total(values, limit):
    '''Sum the values up to a limit.'''
    found = 0
    for k in range(1, len(values)):
        step = values[k] - values[k - 1]
        if step < limit and step > 0:
            found += max(step, 1.5)
    return int(found) / limit
"""


def made(source, lines=None):
    return [mutant.name for mutant in mutants(source, lines)]


@pytest.mark.parametrize(
    "change",
    [
        "step = values[k] - values[k - 1] => step = values[k] + values[k - 1]",
        "step = values[k] - values[k - 1] => step = values[k - 1] - values[k]",
        "step = values[k] - values[k - 1] => step = values[k]",
        "step = values[k] - values[k - 1] => step = values[k + 1] - values[k - 1]",
        "step = values[k] - values[k - 1] => step = values[k] - values[k - 2]",
        "if step < limit and step > 0: => if step <= limit and step > 0:",
        "if step < limit and step > 0: => if step < limit or step > 0:",
        "found += max(step, 1.5) => found += min(step, 1.5)",
        "found += max(step, 1.5) => found += max(step, 2.5)",
        "found += max(step, 1.5) => found -= max(step, 1.5)",
        "found += max(step, 1.5) => pass",
        "found += max(step, 1.5) => found += max(step, 1.5); break",
        "found = 0 => found = 1",
        "found = 0 => found = -1",
        "for k in range(1, len(values)): => for k in range(1, len(values) - 1):",
        "for k in range(1, len(values)): => for k in range(2, len(values)):",
        "for k in range(1, len(values)): => for k in range(len(values), 1):",
        "return int(found) / limit => return int(found) * limit",
        "return int(found) / limit => return limit / int(found)",
        "return int(found) / limit => return found / limit",
        "return int(found) / limit => return int(found)",
    ],
)
def test_each_kind_of_change_is_made(change):
    assert change in made(WHOLE)


@pytest.mark.parametrize(
    ("source", "never"),
    [
        ("sum(p * n for p, n in zip(a, b))", "zip(b, a)"),
        ("sum([p + n for n, p in zip(a, b)])", "zip(b, a)"),
        ("int(math.ceil(x / 3))", "=> math.ceil(x / 3)"),
        ("int(round(x))", "=> round(x)"),
    ],
)
def test_changes_that_always_mean_the_same_are_not_asked_for(source, never):
    assert made(source) and not [name for name in made(source) if never in name]


@pytest.mark.parametrize(
    ("source", "still"),
    [
        ("sum(p / n for p, n in zip(a, b))", "zip(b, a)"),
        ("sum(p * q for p, n in zip(a, b))", "zip(b, a)"),
        ("sum(p * n for p, n in zip(a, b) if p > 3)", "zip(b, a)"),
        ("int(np.ceil(x / 3))", "=> np.ceil(x / 3)"),
        ("int(round(x, 2))", "=> round(x, 2)"),
    ],
)
def test_changes_that_look_like_them_are(source, still):
    assert [name for name in made(source) if still in name]


def test_mutants_are_distinct_named_apart_and_different_from_the_original():
    found = mutants(WHOLE)
    assert len({m.source for m in found}) == len({m.name for m in found}) == len(found) > 30
    assert [m.name for m in found] == made(WHOLE)
    for mutant in found:
        compile(mutant.source, "mutant", "exec")


def test_only_the_given_lines_change():
    assert all(name.startswith("found = 0") for name in made(WHOLE, {3}))
    assert made(WHOLE, {2}) == []


def test_arguments_that_may_be_exchanged_are_left_alone():
    assert not any("max(1.5, step)" in name for name in made(WHOLE))
    assert "f(a, b) => f(b, a)" in made("f(a, b)")
