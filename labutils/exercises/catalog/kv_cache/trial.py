"""cache.test · A test that sees an off-by-one · 5 minutes

> Three questions: does the model depend on what could be wrong; does the comparison keep small
  differences; is there a case in which the mistake makes any difference?
> At an initialisation of 0.02 attention hardly matters, and a chosen token rounds every difference
  away. Compare logits, in numbers whose rounding lies far below your bound.
> init_std 0.1, "float64", "logits" with a tolerance of 1e-9; prompts of different lengths, read in
  several pieces; fewer KV heads than query heads, but more than one; more than 16 tokens in a row.

A test of equality is an instrument, and an instrument has a resolution. Weights with a spread of
0.1 make the output depend on every input; float64 puts rounding at 1e-14 and leaves room for a
bound that no mistake gets under; logits keep what a token rounds away. The rest is coverage:
lengths that differ, a piece behind a piece, groups of heads, more tokens than any block. Shifting
*all* positions by one number is no mistake at all: rotary positions count distances alone. So no
test that moves everything can find one.
"""

import secrets
from dataclasses import dataclass, replace

from labutils.exercises.definition.exercise import Checker, trusted
from labutils.exercises.definition.sheet import exercise
from labutils.exercises.definition.verdict import Status, Verdict

from .design import HANDED_OUT, Plan, UnreadablePlan, differences
from .suspects import RIGHT, WRONG, Suspect

MARGIN = 10  # a difference nearer to the tolerance is luck: another seed may turn it over
ROUNDS = 2
HOUSE = {
    "init_std": 0.1,
    "dtype": "float64",
    "kv_heads": 2,
    "prompts": (3, 11, 7),
    "pieces": 3,
    "steps": 6,
    "compare": "logits",
    "tolerance": 1e-9,
}


def verdicts(plan, *, seed: int = 0) -> list[tuple[str, bool, float]]:
    """For each suspect its name, whether the plan's test accuses it, and the difference seen.

    A plan that cannot be run is replaced by the one handed out; ``check`` says what it lacks.
    """
    try:
        read = Plan.read(plan)
    except UnreadablePlan:
        read = Plan.read(HANDED_OUT)
    suspects = (*RIGHT, *WRONG)
    found = differences(read, suspects, seed)
    return [(one.name, gap > _bound(read), gap) for one, gap in zip(suspects, found)]


def _bound(plan: Plan) -> float:
    return plan.tolerance if plan.compare == "logits" else 0.0


@dataclass(frozen=True)
class TestDesign(Checker):
    """A checker for a plan: the right caches pass its test, the wrong ones do not, by a margin."""

    __test__ = False  # it is no test of pytest's

    @property
    def reference_answer(self) -> dict:
        return dict(HOUSE)

    @property
    def diagnoses(self) -> dict[str, str]:
        """What each mistake is asked, for a report on a class."""
        return {
            **{_named(suspect): suspect.asks for suspect in WRONG},
            "accuses-the-innocent": "How many digits do the numbers of your test carry?",
            "tokens-hide-it": "What is left of a small difference once a token has been chosen?",
            "thin-margin": "What would another seed do to a bound so close to a difference?",
        }

    def check(self, answer) -> Verdict:
        try:
            plan = Plan.read(answer)
        except UnreadablePlan as error:
            return Verdict(Status.unreadable, str(error))
        gaps = trusted("caches", lambda: [self._gaps(plan) for _ in range(ROUNDS)])
        if plan == Plan.read(HANDED_OUT):
            caught = len(WRONG) - len(_missed(plan, gaps))
            return Verdict(
                Status.not_attempted,
                f"The plan is still the one handed out. Its test accuses {caught} of "
                f"{len(WRONG)} wrong caches.",
            )
        return self._judged(plan, gaps)

    def _gaps(self, plan: Plan) -> dict[Suspect, float]:
        suspects = (*RIGHT, *WRONG)
        return dict(zip(suspects, differences(plan, suspects, secrets.randbits(31))))

    def _tokens_hide(self, plan: Plan, suspect: Suspect) -> bool:
        """Whether the same test would see it in the logits, far above what rounding does."""
        gaps = self._gaps(replace(plan, compare="logits"))
        return gaps[suspect] > MARGIN * max(gaps[one] for one in RIGHT)

    def _judged(self, plan: Plan, gaps: list[dict[Suspect, float]]) -> Verdict:
        bound = _bound(plan)
        innocent = max(one[suspect] for one in gaps for suspect in RIGHT)
        if innocent > bound:
            return Verdict(
                Status.misconception,
                f"Your test accuses a cache that is right: a difference of {innocent:.1g}. Two "
                "orders of summation give two roundings. How many digits do your numbers carry?",
                diagnosis="accuses-the-innocent",
            )
        missed = _missed(plan, gaps)
        if missed and plan.compare == "tokens" and self._tokens_hide(plan, missed[0]):
            return Verdict(
                Status.misconception,
                f"Your test lets a cache pass that {missed[0].name}. Its logits are wrong in your "
                "test, and the tokens chosen from them are the same. What do you compare?",
                diagnosis="tokens-hide-it",
            )
        if missed:
            text = (
                f"Your test accuses {len(WRONG) - len(missed)} of {len(WRONG)} wrong caches. It "
                f"lets one pass that {missed[0].name}. {missed[0].asks}"
            )
            return Verdict(Status.misconception, text, diagnosis=_named(missed[0]))
        guilty = min(one[suspect] for one in gaps for suspect in WRONG)
        if bound and (guilty < MARGIN * bound or innocent > bound / MARGIN):
            return Verdict(
                Status.close,
                f"Your test tells them apart, barely: right caches differ by up to {innocent:.1g}, "
                f"wrong ones by {guilty:.1g} or more, and your bound is {bound:.1g}. Widen the gap "
                "or move the bound into its middle, or another seed will turn it over.",
                diagnosis="thin-margin",
            )
        return Verdict(
            Status.right,
            f"Your test accuses all {len(WRONG)} wrong caches and neither of the right ones, with "
            "other prompts each time.",
        )


def _missed(plan: Plan, gaps: list[dict[Suspect, float]]) -> list[Suspect]:
    """The wrong caches that pass the test in any round."""
    return [one for one in WRONG if any(found[one] <= _bound(plan) for found in gaps)]


def _named(suspect: Suspect) -> str:
    """A diagnosis: "misses-1" for the first of the wrong caches."""
    return f"misses-{1 + WRONG.index(suspect)}"


TEST = exercise(__doc__, TestDesign())
