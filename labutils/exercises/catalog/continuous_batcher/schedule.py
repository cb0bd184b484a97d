"""The whole step: who comes first, those who write or those who read."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise

from .walks import NUM_INPUTS, continuous, crowds, mistake, walked


def _steps(order):
    """``schedule`` with another order of its two halves."""

    def schedule(self, now_s):
        from labutils.serving.step_draft import StepDraft

        step = StepDraft(self.token_budget)
        order(self, step)
        return step.plan()

    return schedule


def _prompts_first_always(self, step):
    self._prefill(step)
    if not step.has_prompts:
        self._decode(step)


def _chunks_always(self, step):
    self._decode(step)
    self._prefill(step)


def _prompts_beside_writers(self, step):
    if self.chunked:
        _chunks_always(self, step)
    else:
        self._prefill(step)
        self._decode(step)


def _prompts_take_all(self, step):
    self._prefill(step)
    if self.chunked or not step.has_prompts:
        self._decode(step)


def _writers_alone(self, step):
    if not self.chunked:
        return _prompts_first_always(self, step)
    self._decode(step)
    if not self.running.decoding.members:
        self._prefill(step)


def _mistake(name, message, order):
    return mistake(name, message, schedule=_steps(order))


SCHEDULE = Exercise(
    id="engine.schedule",
    title="One step of the batcher",
    minutes=6,
    checker=Function(
        reference=walked(continuous),
        inputs=crowds,
        num_inputs=NUM_INPUTS,
        misconceptions=(
            _mistake(
                "ignores-chunked",
                "With chunks, those who write get a token in every step, whoever reads beside "
                "them.",
                _prompts_first_always,
            ),
            _mistake(
                "always-mixes",
                "Without chunks a step that reads prompts does nothing else. Yours lets others "
                "write in it.",
                _chunks_always,
            ),
            _mistake(
                "writes-beside-prompts",
                "Without chunks a step that reads prompts does nothing else. Does the step know "
                "whether it has any?",
                _prompts_beside_writers,
            ),
            _mistake(
                "prompts-take-the-budget",
                "With chunks, prompts eat the budget before those who write have had their token.",
                _prompts_take_all,
            ),
            _mistake(
                "writers-alone",
                "Prompts wait until nobody writes any more. Who would ever join a batch that is "
                "under way?",
                _writers_alone,
            ),
        ),
    ),
    hints=(
        "A step is put together in a `StepDraft(self.token_budget)`, by two methods that you have. "
        "Two policies differ in their order.",
        "With chunks: those who write first, since each needs one token of the budget, then "
        "prompts into what is left. Without: prompts, and only a step without any lets the others "
        "write; `step.has_prompts` says.",
        "if self.chunked: self._decode(step), then self._prefill(step). Otherwise self._prefill("
        "step), and self._decode(step) only if not step.has_prompts. Return step.plan(self._repeat("
        "step)).",
    ),
    explanation=(
        "The two policies of chapter 07 differ in three lines. With chunks nobody who writes ever "
        "waits longer than one step with a full budget. Without them a step holds whole prompts or "
        "tokens of answers, never both, which was what kernels wanted before they could mix them: "
        "small engines still start there, and their users ask why answers stall. The argument of "
        "`plan` says for how many steps nothing can change; the simulator jumps over them."
    ),
)
