"""sealed.again · Were the same prompts asked again? · 6 minutes

> Two dicts are equal if all their figures are. With which stage can you compare every other one?
> A figure that differs settles it, whatever else there is. Only where none does, ask whether there
  was anything to compare: two stages, and prompts of different lengths.
> if any(stage != stages[0] for stage in stages[1:]): return "fresh". Then ask for len(stages) < 2
  or stages[0]["p1"] == stages[0]["p99"].

Nobody wrote into the report which prompts were asked, and still it says so. Thousands of fresh
prompts have other means and other tails in each stage, by a tenth of a token at least. Figures that
agree to the digit come from the same texts. Where they had to agree, they say nothing: one stage
agrees with itself, and prompts of equal length agree whatever they say.
"""

from itertools import accumulate

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Raises
from labutils.exercises.definition.sheet import exercise, mistakes_in, says

_FIGURES = ("mean", "p1", "p10", "p25", "median", "p75", "p90", "p99")
_EQUAL = (500,) * 8
_MOSTLY_EQUAL = (501, 440, 500, 500, 500, 500, 500, 590)
_LONGEST_APART = (501, 500, 500, 500, 500, 500, 500, 590)
_MIXED = (575, 559, 567, 570, 576, 580, 586, 590)


def _differ(stages):
    return any(stage != stages[0] for stage in stages[1:])


def _few(stages):
    return len(stages) < 2


def _alike(stages):
    return stages[0]["p1"] == stages[0]["p99"]


def _rule(*, differ=_differ, few=_few, alike=_alike):
    """The rule with another idea of what differs, and of what tells nothing."""

    def asked_again(stages):
        if differ(stages):
            return "fresh"
        return "cannot tell" if few(stages) or alike(stages) else "again"

    return asked_again


def _looking_at(*names):
    """The rule for some of the figures alone."""
    return _rule(differ=lambda stages: _differ([[one[n] for n in names] for one in stages]))


def _never(stages):
    return False


_ONE_FIGURE = "You compare one figure alone. Different prompts can agree in one of them by chance."
_STEP = """You take "agree" from stage to stage. When are all prompts of one stage equally long?"""


class Wrong:
    mean_alone = says(_ONE_FIGURE)(_looking_at("mean"))
    median_alone = says(_ONE_FIGURE)(_looking_at("median"))
    ends_alone = says("""You compare `"p1"` and `"p99"` from stage to stage. What do the other
        figures say?""")(_looking_at("p1", "p99"))
    without_the_mean = says("""You compare the quantiles and leave out the mean. It is a figure,
        too, and the one in which every prompt counts.""")(_looking_at(*_FIGURES[1:]))
    without_p1 = says("""You leave out the shortest prompts. `"p1"` is a figure, too.""")(
        _looking_at("mean", *_FIGURES[2:])
    )
    first_two = says("""You decide after two stages. Which stage may still differ?""")(
        _rule(differ=lambda stages: _differ(stages[:2]))
    )
    last_two = says("""You decide by the last two stages. Which one may differ, too?""")(
        _rule(differ=lambda stages: _differ(stages[-2:]))
    )
    first_and_last = says("""You compare the first stage with the last. What if one in between
        differs?""")(_rule(differ=lambda stages: _differ([*stages[:1], *stages[-1:]])))
    all_have_to_differ = says("""You wait until every stage differs from the first. How many have to
        differ before some prompts are fresh?""")(
        _rule(differ=lambda stages: len(stages) > 1 and stages[0] not in stages[1:])
    )
    every_figure_has_to_differ = says("""You wait for a stage in which every figure differs. Fresh
        prompts can agree in some.""")(
        _rule(
            differ=lambda stages: any(
                all(one[name] != stages[0][name] for name in one) for one in stages[1:]
            )
        )
    )
    nearly = says("""You take figures that are nearly equal for equal. Fresh prompts of the same
        kind are nearly equal, too: compare to the digit.""")(
        _rule(differ=lambda stages: _differ([[int(value) for value in s.values()] for s in stages]))
    )
    other_objects = says("""Every two stages differ, you say. Do you compare what the dicts hold?
        Two dicts, or the `.values()` of two, are different things even with the same figures.""")(
        _rule(differ=lambda stages: len(stages) > 1)
    )

    def one_stage_agrees(stages):
        """A single stage agrees with itself, you say. With what was it compared?"""
        return _rule(few=_never)(stages) if stages else Raises(IndexError)

    one_stage_is_enough = says("""A single stage agrees with itself, you say. With what was it
        compared?""")(_rule(few=lambda stages: not stages))
    equal_lengths_agree = says("""Where all prompts are equally long you say "again". Could fresh
        ones have other figures? (Whether numbers agree is asked with `==`.)""")(
        _rule(alike=_never)
    )
    middle_alike = says("""You take other figures than `"p1"` and `"p99"` for the ends. Most
        prompts may be equally long, and not all.""")(
        _rule(alike=lambda stages: stages[0]["p10"] == stages[0]["p90"])
    )
    shortest_alike = says("""You ask whether the shorter prompts are equally long. What of the
        longest?""")(_rule(alike=lambda stages: stages[0]["p1"] == stages[0]["p90"]))
    never_in_doubt = says("""You never say "cannot tell". When do the figures agree whatever was
        asked?""")(_rule(few=_never, alike=_never))

    def equal_lengths_first(stages):
        """You ask for equal lengths before you compare. If figures differ from stage to stage, were
        the prompts the same?"""
        return "cannot tell" if _few(stages) or _alike(stages) else _rule()(stages)

    never_again = says(_STEP)(_rule(alike=lambda stages: True))

    @says(_STEP)
    def same_ends_tell_nothing(stages):
        return "fresh" if _looking_at("p1", "p99")(stages) == "fresh" else "cannot tell"

    def words_exchanged(stages):
        """You exchange the words: figures that differ mean fresh prompts."""
        words = {"again": "fresh", "fresh": "again"}
        return words.get(_rule()(stages), "cannot tell")

    def truth_values(stages):
        """You return True or False. There are three answers: return their words."""
        return _rule()(stages) == "again"


def _stage(row, shift=0, figure="mean", more=0.0):
    """A stage with these figures, all of them shifted, or ``more`` added to one."""
    told = {name: float(value + shift) for name, value in zip(_FIGURES, row)}
    return told | {figure: told[figure] + more}


_SAME, _ANEW = (0, "mean", 0.0), (30, "mean", 0.0)
_SLIGHTLY = [(0, figure, more) for figure in _FIGURES for more in (0.1, 0.4)]


def _some_stages():
    """One to four stages: the same figures, one of them higher by little, or prompts drawn anew."""
    from hypothesis import strategies as st

    def run(lengths, changes):
        several = st.lists(st.sampled_from(changes), min_size=1, max_size=4)
        return st.tuples(lengths, several).map(
            lambda drawn: ([_stage(drawn[0], *change) for change in drawn[1]],)
        )

    gaps = st.lists(st.integers(2, 9), min_size=8, max_size=8)
    rows = gaps.map(lambda steps: [300 + more for more in accumulate(steps)])
    mixed = rows.map(lambda row: [row.pop(4), *row])  # the mean is in the middle
    by_kind = run(mixed, [*9 * [_SAME], _ANEW, *_SLIGHTLY]), run(st.just(_EQUAL), [_SAME, _ANEW])
    return st.integers(0, 3).flatmap(lambda kind: by_kind[kind == 0])


_RUNS = [
    [],
    [_SAME],
    [_SAME, _SAME],
    [_SAME, _SAME, _SAME],
    [_SAME, _ANEW],
    [_SAME, _ANEW, _ANEW],
    [_SAME, _ANEW, _SAME],
    [_SAME, _SAME, _ANEW],
    [_SAME, (0, "p99", 9.0)],
    *([_SAME, change] for change in _SLIGHTLY),
]

ASKED_AGAIN = exercise(
    __doc__,
    Function(
        _rule(),
        _some_stages,
        always=(
            *(([_stage(_MIXED, *change) for change in run],) for run in _RUNS),
            *(([_stage(_EQUAL, *change) for change in run],) for run in _RUNS[1:5]),
            ([_stage(_MOSTLY_EQUAL), _stage(_MOSTLY_EQUAL)],),
            ([_stage(_LONGEST_APART), _stage(_LONGEST_APART)],),
            ([_stage(_MIXED), _stage(_MIXED, more=0.001)],),
            ([_stage(_MIXED), _stage(_MIXED, figure="p90", more=0.04)],),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
