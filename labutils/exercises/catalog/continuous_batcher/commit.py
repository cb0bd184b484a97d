"""scheduler.commit · What a step changes · 4 minutes

> Which counts of a request change when its chunk has run? Look at the table of the case by hand.
> `computed` grows by the chunk. If it now equals `known`, a token has come, and `known` grows by
  one. Between the two the pool may publish what the chunk has filled.
> for request, new in plan.chunks: request.computed += new; self.pool.publish(request, new); if
  request.computed == request.known: request.known += 1.

There is no phase to be stored. A chunk that reaches the last known token yields the next, whether
it was a whole prompt, the rest of one, a decode or an answer that is computed again after a
preemption. That one comparison is all that distinguishes prefill from decode. The plan counts when
it *runs*, not when it is made: an engine may drop a request from a plan whose computation failed.
"""

from labutils.exercises.definition.sheet import exercise

from .small_loads import piece_of_scheduler

# Two requests compute the same page; the one that was found first loses it, and r6 looks for it.
_SAME_PAGE_TWICE = (
    [("r1", 1, 1, 1), ("r3", 1, 1, 5), ("r4", 1, 2, 1), ("r5", 1, 7, 1), ("r6", 1, 3, 1)],
    *(3, 3, 7, True, "like prompts"),
)

_CUT_BEFORE_IT_IS_SHARED = (
    [("r1", 1, 6, 1), ("r2", 4, 6, 2)],
    *(2, 3, 9, True, "like prompts"),
)

# r3's second page is filled by chunks of one token, and r4 looks for it.
_ONE_TOKEN_FILLS_A_PAGE = (
    [("r1", 1, 3, 4), ("r2", 1, 3, 4), ("r3", 2, 6, 2), ("r4", 2, 8, 3)],
    *(3, 3, 8, True, "like prompts"),
)

# Pages run out, and who was preempted computes its answer so far again, in two chunks.
_ITS_ANSWER_AGAIN = [("r1", 1, 3, 6), ("r2", 1, 4, 6)], 5, 5, 7, True

_MISTAKES = """
told-before-counting: You tell the pool before you count. It looks at what is computed, and finds no
    page that this chunk has filled.
- request.computed = before + new
- if before < request.prompt_tokens:
-     self.pool.publish(request, new)
+ self.pool.publish(request, new)
+ request.computed = before + new

told-at-the-end: You tell the pool only when a request has caught up. A prompt that was cut has
    filled pages before that: they are never found.
- if before < request.prompt_tokens:
+ if before + new == known:

ends-requests: You end a request yourself. Whoever runs the step calls `finish`, once the last token
    has been told.
= request.known = known + 1
+ if not request.to_compute:
+     self.finish(request)

computed-is-the-chunk: You set the count to the chunk. What was computed before it is still in
    memory: add to it.
- request.computed = before + new
+ request.computed = new
- if before + new == known:
+ if new == known:

computed-by-one-each: A chunk of several tokens counts as one. How many of them are in memory now?
- request.computed = before + new
+ request.computed = before + 1
- if before + new == known:
+ if before + 1 == known:

cut-counts-as-whole: A chunk counts as all that its request knows. A prompt that was cut has a rest.
- request.computed = before + new
+ request.computed = known
- if before + new == known:
+ if True:

a-token-for-chunks-of-one: You hand a token out for each chunk of one, and for no longer one. What
    does the last known token yield, whoever computes it?
- if before + new == known:
+ if new == 1:

any-chunk-behind-the-prompt: You take a request for caught up once its prompt is computed. After a
    preemption its answer so far has to be computed, too.
- if before + new == known:
+ if request.computed >= request.prompt_tokens:

no-token: A request that has caught up has nothing to compute any more: its token is missing, or
    counts as computed already. What does the last known token yield?
- request.known = known + 1
+ pass

known-by-the-chunk: A chunk of several tokens yields one new token, and `known` grows by the whole
    chunk.
- request.known = known + 1
+ request.known = known + new

computed-by-one: A chunk of several tokens counts as one. How many of them are in memory now?
- request.computed = before + new
+ request.computed = before + 1

a-token-for-every-chunk: A prompt that was cut gets a token of its answer. Which chunk brings one?
- if before + new == known:
+ if True:

a-token-for-decodes-alone: The chunk that ends a prompt brings no token. What does the last known
    token yield, whoever computes it?
- if before + new == known:
+ if new == 1 and before + new == known:

never-computed: Nothing is counted as computed, so the next step plans the same tokens again.
- request.computed = before + new

never-published: No page is ever found: prompts that begin alike are computed again and again. Which
    verb of `self.pool` makes full pages known, and when has it to be called?
- if before < request.prompt_tokens:
-     self.pool.publish(request, new)

tells-of-long-chunks-alone: A page that a chunk of one token has filled is never found. Does its
    length say whether a chunk belongs to the prompt?
- if before < request.prompt_tokens:
+ if new > 1:

tells-all-again: You tell the pool in every step of all that is computed, and it looks through pages
    that it was told of long ago. Which ones has this chunk filled?
- if before < request.prompt_tokens:
-     self.pool.publish(request, new)
+ self.pool.publish(request, before + new)

prompt-for-known: Only the end of a prompt brings a token. And the second one of an answer, and the
    first after a preemption?
- if before + new == known:
+ if before + new == request.prompt_tokens:
"""

COMMIT = exercise(
    __doc__,
    piece_of_scheduler(
        _MISTAKES,
        "commit",
        always=(
            *(_SAME_PAGE_TWICE, _CUT_BEFORE_IT_IS_SHARED),
            *(_ONE_TOKEN_FILLS_A_PAGE, _ITS_ANSWER_AGAIN),
        ),
    ),
)
