"""Who may start: the condition that makes batching continuous, and keeps it safe."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise

from .walks import NUM_INPUTS, continuous, crowds_by_rule, mistake, walked_by_rule


def _rule(*, places=True, memory=True, budget=True, one_more=0, whole=True, owner=True):
    """``_may_start`` with some of its conditions left out."""

    def _may_start(self, sequence, step):
        if budget and step.tokens_left <= 0:
            return False
        if whole and not self._in_budget(sequence, step):
            return False
        if owner and self.admission is not None:
            return self.admission(self._view(sequence, step))
        if places and len(self.running) >= self.max_sequences + one_more:
            return False
        return not memory or self.memory.fits(sequence)

    return _may_start


def _static(self, sequence, step):
    alone = all(one.computed == 0 for one in self.running.prefilling)
    writing = len(self.running.decoding) + len(self.running.complete)
    return not writing and alone and continuous()._may_start(self, sequence, step)


def _mistake(name, message, rule):
    return mistake(name, message, walked_by_rule, _may_start=rule)


MAY_START = Exercise(
    id="engine.may_start",
    title="Who may start",
    minutes=8,
    checker=Function(
        reference=walked_by_rule(continuous),
        inputs=crowds_by_rule,
        num_inputs=NUM_INPUTS,
        misconceptions=(
            _mistake(
                "no-places",
                "You never count who runs. How many may run at a time?",
                _rule(places=False),
            ),
            _mistake(
                "no-memory",
                "A request starts whether there is memory for it or not. Which verb of "
                "`self.memory` asks?",
                _rule(memory=False),
            ),
            _mistake(
                "one-place-too-many",
                "One more runs than may. How many are inside before this one comes?",
                _rule(one_more=1),
            ),
            _mistake(
                "no-budget",
                "A request starts although the step's budget is spent. What would it compute?",
                _rule(budget=False),
            ),
            _mistake(
                "no-rule",
                "The owner may set a rule, `self.admission`. Yours decides without asking it.",
                _rule(owner=False),
            ),
            _mistake(
                "never-whole",
                "Without chunks a prompt goes in one piece. `self._in_budget` knows whether this "
                "one still may.",
                _rule(whole=False),
            ),
            _mistake(
                "static",
                "You let somebody start only when nobody writes any more: the closed batch again.",
                _static,
            ),
        ),
    ),
    hints=(
        "Four things can keep the head of the queue outside: places, memory, the token budget, and "
        "an accident in this very step. Which of them does the step know, which the scheduler?",
        "The step knows `preempted` and `tokens_left`; `self._in_budget(sequence, step)` knows "
        "about prompts that must not be cut. Refuse first; then ask for the place and the memory.",
        "if step.preempted or step.tokens_left <= 0 or not self._in_budget(...): return False. "
        "With `self.admission` set, return what it says to self._view(sequence, step). Otherwise: "
        "len(self.running) below self.max_sequences, and self.memory.fits(sequence).",
    ),
    explanation=(
        "Continuous batching is this condition asked at every step instead of once per batch. "
        "Places bound the batch, memory bounds what the places may hold, the budget bounds the "
        "step. Places are counted over all who run, those whose answers have ended and who still "
        "hold their memory too. `step.preempted` is a second lock on the door: a victim needs at "
        "least the pages that it gave back, so it could not return in the same step anyway. In an "
        "engine whose queue has priorities somebody smaller could take them, and be thrown out in "
        "the next step. vLLM has the same lock."
    ),
)
