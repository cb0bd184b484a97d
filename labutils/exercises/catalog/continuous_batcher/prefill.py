"""Prompts into a step's token budget: the one that was cut goes on, then the queue."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise

from .walks import NUM_INPUTS, continuous, crowds, mistake, walked


def _prompts(*, resume=True, cut=None, at=0, one=False, queue_first=False, never_cut=False):
    """``_prefill`` with its parts in another order, or some of them missing."""

    def go_on(self, step):
        for sequence in self.running.prefilling:
            if step.tokens_left > 0 or not queue_first:
                step.prefill(sequence, min(sequence.to_compute, step.tokens_left))

    def let_in(self, step):
        while self.waiting and self._may_start(self.waiting[at], step):
            sequence = self.waiting[at]
            del self.waiting[at]
            self.running.start(sequence)
            cuts = self.chunked if cut is None else cut
            most = step.tokens_left if cuts and not never_cut else sequence.to_compute
            step.start(sequence, min(sequence.to_compute, most))
            if one:
                break

    def _prefill(self, step):
        open_prompts = list(self.running.prefilling)
        if queue_first:
            let_in(self, step)
            for sequence in open_prompts:
                if step.tokens_left > 0:
                    step.prefill(sequence, min(sequence.to_compute, step.tokens_left))
            return
        if resume:
            go_on(self, step)
        let_in(self, step)

    return _prefill


def _mistake(name, message, prefill):
    return mistake(name, message, _prefill=prefill)


PREFILL = Exercise(
    id="engine.prefill",
    title="Prompts into the budget",
    minutes=9,
    checker=Function(
        reference=walked(continuous),
        inputs=crowds,
        num_inputs=NUM_INPUTS,
        misconceptions=(
            _mistake(
                "forgets-the-open-prompt",
                "A prompt that was cut is never read to its end. Where do sequences stand that "
                "have begun to prefill?",
                _prompts(resume=False),
            ),
            _mistake(
                "one-newcomer",
                "You start one request per step at most. How many may the budget, the places and "
                "the memory take?",
                _prompts(one=True),
            ),
            _mistake(
                "never-cut",
                "With chunks the last prompt is cut to what is left of the budget. Yours goes in "
                "whole.",
                _prompts(never_cut=True),
            ),
            _mistake(
                "always-cut",
                "Without chunks a prompt goes in one piece, even one longer than the budget. Yours "
                "is cut.",
                _prompts(cut=True),
            ),
            _mistake(
                "newest-first",
                "You take the request that came last. Who has waited longest?",
                _prompts(at=-1),
            ),
            _mistake(
                "queue-first",
                "Newcomers take the budget before the prompt that was cut. Who came earlier?",
                _prompts(queue_first=True),
            ),
        ),
    ),
    hints=(
        "Two groups read prompts: the one whose prompt was cut in an earlier step, and the head of "
        "the queue. Both share `step.tokens_left`. Who goes first?",
        "First `step.prefill(sequence, …)` for each of `self.running.prefilling`. Then a loop: as "
        "long as somebody waits and may start, take the head out of the queue, start it, give it "
        "tokens. With chunks it gets at most what the budget leaves.",
        "sequence = self.waiting.popleft(); self.running.start(sequence); then "
        "step.start(sequence, n), where n is sequence.to_compute, cut to step.tokens_left if "
        "self.chunked.",
    ),
    explanation=(
        "`running.start` takes the memory, so it comes before the tokens are counted: with a "
        "shared prefix, part of the prompt is there already, and `to_compute` shrinks. The loop "
        "stops at the first request that may not start, so nobody overtakes. A prompt that is cut "
        "uses up the budget, so there is at most one of them, and it goes first in the next step."
    ),
)
