"""When a first token would come: the forecast behind a refusal."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


def _step_s(new, decoding, cost):
    return cost.base_s + new * cost.per_prefill_token_s + decoding * cost.per_sequence_s


def _forecast(*, left=None, room=None, step_s=_step_s, tail=None):
    """The forecast with another idea of the work, of a step's room, its time, or the last step."""

    def first_token_s(ahead, prompt, decoding, budget, cost):
        todo = left(ahead, prompt) if left else ahead + prompt
        most = room(decoding, budget) if room else budget - decoding
        whole, rest = divmod(todo, most)
        seconds = whole * step_s(most, decoding, cost)
        if tail:
            return seconds + tail(rest, most, decoding, cost)
        return seconds + (step_s(rest, decoding, cost) if rest else 0.0)

    return first_token_s


def _in_one_step(ahead, prompt, decoding, budget, cost):
    return _step_s(ahead + prompt, decoding, cost)


def _alone_in_its_steps(ahead, prompt, decoding, budget, cost):
    """As if a prompt began a step of its own."""
    whole = _forecast()
    return whole(ahead, 0, decoding, budget, cost) + whole(0, prompt, decoding, budget, cost)


def _some_queues():
    """Tokens ahead, a prompt, decodes, a budget, and a cost with every part in it."""
    from hypothesis import strategies as st

    from labutils.serving.simulator import StepCost

    costs = st.sampled_from(
        [StepCost(0.006, 0.001, 0.0, 0.002), StepCost(0.011, 0.0005, 0.0, 0.003)]
    )
    ahead, prompt = st.sampled_from([0, 7, 40, 93, 150, 260]), st.integers(1, 90)
    return st.tuples(ahead, prompt, st.integers(0, 9), st.sampled_from([16, 25, 64]), costs)


FIRST_TOKEN = Exercise(
    id="promises.first_token",
    title="When would its first token come?",
    minutes=6,
    checker=Function(
        reference=_forecast(),
        inputs=_some_queues,
        misconceptions=(
            Misconception(
                "forgets-those-ahead",
                _forecast(left=lambda ahead, prompt: prompt),
                "You compute its own prompt only. Whose prompts are computed before it?",
            ),
            Misconception(
                "stops-before-its-own",
                _forecast(left=lambda ahead, prompt: ahead),
                "You stop when those ahead are done. Which step brings its first token?",
            ),
            Misconception(
                "decodes-take-no-budget",
                _forecast(room=lambda decoding, budget: budget),
                "You give the whole budget to prompts. Who else takes tokens of each step?",
            ),
            Misconception(
                "last-step-is-full",
                _forecast(tail=lambda rest, most, d, cost: _step_s(most, d, cost) if rest else 0),
                "You charge the last step as a full one. How many tokens are left for it?",
            ),
            Misconception(
                "full-steps-alone",
                _forecast(tail=lambda rest, most, d, cost: 0.0),
                "The tokens that fill no whole step are missing. In which step are they computed?",
            ),
            Misconception(
                "a-share-of-a-step",
                _forecast(tail=lambda rest, most, d, cost: rest / most * _step_s(most, d, cost)),
                "You take a share of a full step for the last one. Does a step with few tokens "
                "also read the weights?",
            ),
            Misconception(
                "always-one-more",
                _forecast(tail=lambda rest, most, d, cost: _step_s(rest, d, cost)),
                "Where the tokens fill the steps exactly, you add one without a token.",
            ),
            Misconception(
                "in-one-step",
                _in_one_step,
                "You compute all of it in one step. What does the token budget allow?",
            ),
            Misconception(
                "alone-in-its-steps",
                _alone_in_its_steps,
                "You let its prompt begin a new step. What of the room that those ahead leave in "
                "their last one?",
            ),
            Misconception(
                "forgets-the-base",
                _forecast(step_s=lambda new, d, cost: _step_s(new, d, cost) - cost.base_s),
                "A step takes base_s whatever is in it. How many steps are there?",
            ),
            Misconception(
                "base-once",
                lambda ahead, prompt, decoding, budget, cost: (
                    cost.base_s
                    + _forecast(step_s=lambda new, d, c: _step_s(new, d, c) - c.base_s)(
                        ahead, prompt, decoding, budget, cost
                    )
                ),
                "You count base_s once. How many steps are there?",
            ),
            Misconception(
                "decodes-are-free",
                _forecast(step_s=lambda new, d, cost: _step_s(new, 0, cost)),
                "Those who decode take time in each of these steps as well. Which cost is theirs?",
            ),
            Misconception(
                "milliseconds",
                lambda *args: 1000 * _forecast()(*args),
                "That is in milliseconds. The costs are in seconds; what was asked?",
            ),
        ),
    ),
    hints=(
        "Walk from step to step until all prompt tokens ahead and its own are computed. What does "
        "one step take off, and how long does it last?",
        "In each step the decodes take their tokens first: budget - decoding are left for prompts. "
        "A step with `new` prompt tokens lasts base_s + new × per_prefill_token_s + decoding × "
        "per_sequence_s.",
        "while left > 0: new = min(left, budget - decoding); add the step's seconds; left -= new.",
    ),
    explanation=(
        "The forecast is the scheduler's own arithmetic, done in advance: chapter 07's chunks and "
        "chapter 05's step. It leaves out attention, places and memory, and what comes later and "
        "may stand before it. So it is a lower limit for a queue in order of arrival. A refusal by "
        "a lower limit is safe: whoever is refused would have been late."
    ),
)
