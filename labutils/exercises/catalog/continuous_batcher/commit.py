"""What a step changes, and what an end gives back."""

from labutils.exercises.checkers import piece_of, slip
from labutils.exercises.definition.exercise import Exercise

from .crowds import NUM_INPUTS, crowds, walk

_COUNT = "        request.computed = before + new\n"
_PUBLISH = (
    "        if before < request.prompt_tokens:\n            self.pool.publish(request, new)\n"
)

COMMIT = Exercise(
    id="scheduler.commit",
    title="What a step changes, and what an end gives back",
    minutes=8,
    checker=piece_of(
        "scheduler:Scheduler.commit",
        "scheduler:Scheduler.finish",
        tried=walk,
        inputs=crowds,
        num_inputs=NUM_INPUTS,
        mistakes=(
            (
                "a-token-for-every-chunk",
                slip("if before + new == known:", "if True:"),
                "A prompt that was cut gets a token of its answer. Which chunk brings one?",
            ),
            (
                "a-token-for-decodes-alone",
                slip("if before + new == known:", "if new == 1 and before + new == known:"),
                "The chunk that ends a prompt brings no token. What does the last known token "
                "yield, whoever computes it?",
            ),
            (
                "never-computed",
                slip(_COUNT, ""),
                "Nothing is counted as computed, so the next step plans the same tokens again.",
            ),
            (
                "never-published",
                slip(_PUBLISH, ""),
                "No page is ever found: prompts that begin alike are computed again and again. "
                "Which verb of `self.pool` makes full pages known?",
            ),
            (
                "published-before-it-is-counted",
                slip(_COUNT + _PUBLISH, _PUBLISH + _COUNT),
                "You publish before you count: `publish` looks at `request.computed` to see which "
                "pages are full.",
            ),
            (
                "prompt-for-known",
                slip("if before + new == known:", "if before + new == request.prompt_tokens:"),
                "Only the end of a prompt brings a token. And the second one of an answer, and the "
                "first after a preemption?",
            ),
            (
                "leak",
                slip("        self.pool.release(request)\n", ""),
                "A request has ended and keeps its pages. Nobody will ever ask for them again: "
                "that is a leak.",
            ),
            (
                "keeps-its-place",
                slip("        self.running.remove(request)\n", ""),
                "A request has ended and still stands in `self.running`: its place stays taken.",
            ),
            (
                "waits-after-its-end",
                slip("        self.waiting.remove(request)", "        pass"),
                "A request that was cancelled while it waited stays in the queue, and will be "
                "computed for nobody.",
            ),
        ),
    ),
    hints=(
        "`commit`: which counts of a request change when its chunk has run? `finish`: a request "
        "that ends either runs or waits. What does it hold in either case?",
        "computed grows by the chunk. If it now equals `known`, a token has come: `known` grows by "
        "one. Between the two `self.pool.publish(request, new)` makes full pages of a prompt "
        "findable. `finish`: out of `self.running`, with `self.pool.release`, or out of "
        "`self.waiting`.",
        "for request, new in plan.chunks: request.computed += new; self.pool.publish(request, "
        "new); if request.computed == request.known: request.known += 1. finish: if request in "
        "self.running, remove and release; else self.waiting.remove(request).",
    ),
    explanation=(
        "There is no phase to be stored. A chunk that reaches the last known token yields the "
        "next, whether it was a whole prompt, the rest of one, a decode or an answer that is "
        "computed again after a preemption. That one comparison is all that distinguishes prefill "
        "from decode. The plan counts when it *runs*, not when it is made: an engine may drop a "
        "request from a plan whose computation failed. `finish` is called for cancelled requests "
        "too, whether they run or wait; it is the only place where pages come back for good."
    ),
)
