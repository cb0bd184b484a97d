"""What a step changes when it runs."""

from labutils.exercises.checkers import piece_of, slip
from labutils.exercises.definition.exercise import Exercise

from .crowds import NUM_INPUTS, crowds, story

_COUNT = "        request.computed = before + new\n"
_PUBLISH = (
    "        if before < request.prompt_tokens:\n            self.pool.publish(request, new)\n"
)

# Two requests compute the same page; the one that was found first loses it, and r6 looks for it.
_SAME_PAGE_TWICE = (
    [("r1", 1, 1, 1), ("r3", 1, 1, 5), ("r4", 1, 2, 1), ("r5", 1, 7, 1), ("r6", 1, 3, 1)],
    *(3, 3, 7, True, "like prompts"),
)

_CUT_BEFORE_IT_IS_SHARED = (
    [("r1", 1, 6, 1), ("r2", 4, 6, 2)],
    *(2, 3, 9, True, "like prompts"),
)

COMMIT = Exercise(
    id="scheduler.commit",
    title="What a step changes",
    minutes=6,
    checker=piece_of(
        "scheduler:Scheduler.commit",
        tried=story,
        inputs=crowds,
        num_inputs=NUM_INPUTS,
        always=(_SAME_PAGE_TWICE, _CUT_BEFORE_IT_IS_SHARED),
        mistakes=(
            (
                "told-before-counting",
                slip(_COUNT, "", _PUBLISH, _PUBLISH + _COUNT),
                "You tell the pool before you count. It looks at what is computed, and finds no "
                "page that this chunk has filled.",
            ),
            (
                "told-at-the-end",
                slip("if before < request.prompt_tokens:", "if before + new == known:"),
                "You tell the pool only when a request has caught up. A prompt that was cut has "
                "filled pages before that: they are never found.",
            ),
            (
                "ends-requests",
                slip(
                    "request.known = known + 1",
                    "request.known = known + 1\n            if not request.to_compute:\n          "
                    "      self.finish(request)",
                ),
                "You end a request yourself. Whoever runs the step calls `finish`, once the last "
                "token has been told.",
            ),
            (
                "computed-is-the-chunk",
                slip(
                    "request.computed = before + new",
                    "request.computed = new",
                    "if before + new ==",
                    "if new ==",
                ),
                "You set the count to the chunk. What was computed before it is still in memory: "
                "add to it.",
            ),
            (
                "computed-by-one-each",
                slip(
                    "request.computed = before + new",
                    "request.computed = before + 1",
                    "if before + new ==",
                    "if before + 1 ==",
                ),
                "A chunk of several tokens counts as one. How many of them are in memory now?",
            ),
            (
                "cut-counts-as-whole",
                slip(
                    "request.computed = before + new",
                    "request.computed = known",
                    "if before + new == known:",
                    "if True:",
                ),
                "A chunk counts as all that its request knows. A prompt that was cut has a rest.",
            ),
            (
                "a-token-for-chunks-of-one",
                slip("if before + new == known:", "if new == 1:"),
                "You hand a token out for each chunk of one, and for no longer one. What does the "
                "last known token yield, whoever computes it?",
            ),
            (
                "any-chunk-behind-the-prompt",
                slip("if before + new == known:", "if request.computed >= request.prompt_tokens:"),
                "You take a request for caught up once its prompt is computed. After a preemption "
                "its answer so far has to be computed, too.",
            ),
            (
                "no-token",
                slip("request.known = known + 1", "pass"),
                "A request that has caught up has nothing to compute any more: its token is "
                "missing, or counts as computed already. What does the last known token yield?",
            ),
            (
                "known-by-the-chunk",
                slip("request.known = known + 1", "request.known = known + new"),
                "A chunk of several tokens yields one new token, and `known` grows by the whole "
                "chunk.",
            ),
            (
                "computed-by-one",
                slip("request.computed = before + new", "request.computed = before + 1"),
                "A chunk of several tokens counts as one. How many of them are in memory now?",
            ),
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
                "Which verb of `self.pool` makes full pages known, and when has it to be called?",
            ),
            (
                "tells-all-again",
                slip("self.pool.publish(request, new)", "self.pool.publish(request, before + new)"),
                "You tell the pool in every step of all that is computed, and it looks through "
                "pages that it was told of long ago. Which ones has this chunk filled?",
            ),
            (
                "prompt-for-known",
                slip("if before + new == known:", "if before + new == request.prompt_tokens:"),
                "Only the end of a prompt brings a token. And the second one of an answer, and the "
                "first after a preemption?",
            ),
        ),
    ),
    hints=(
        "Which counts of a request change when its chunk has run? Look at the table of the case by "
        "hand.",
        "`computed` grows by the chunk. If it now equals `known`, a token has come, and `known` "
        "grows by one. Between the two the pool may publish what the chunk has filled.",
        "for request, new in plan.chunks: request.computed += new; self.pool.publish(request, "
        "new); if request.computed == request.known: request.known += 1.",
    ),
    explanation=(
        "There is no phase to be stored. A chunk that reaches the last known token yields the "
        "next, whether it was a whole prompt, the rest of one, a decode or an answer that is "
        "computed again after a preemption. That one comparison is all that distinguishes prefill "
        "from decode. The plan counts when it *runs*, not when it is made: an engine may drop a "
        "request from a plan whose computation failed."
    ),
)
