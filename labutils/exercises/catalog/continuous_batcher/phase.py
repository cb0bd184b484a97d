"""engine.phase · The bug in the phase · 4 minutes

> A request that was preempted has an answer, and nothing in memory. What does the shipped function
  take it for?
> There is no phase. There are tokens that are known, and tokens that are computed.
> Known are the prompt and the answer so far. What is missing is their sum less `computed`; the step
  takes at most `tokens_left` of it.

Whoever writes has one known token that is not computed yet: that is all that decoding means. One
rule then serves a new prompt, a prompt in pieces, a request that writes and one that was thrown out
and comes back. With the phase guessed from the answer, the last of them crawls back one token per
step. All tokens are right and all tests pass; only some users wait, and only when memory is short.
vLLM's scheduler says it in a comment: there is no decode phase nor prefill phase, each request has
computed tokens that catch up with its tokens.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in


def _next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    return min(prompt_tokens + answer_tokens - computed, tokens_left)


class Wrong:
    def prompt_then_one(prompt_tokens, answer_tokens, computed, tokens_left):
        """The prompt is read again in pieces, and the answer so far one token at a time. Are its
        tokens less known than those of the prompt?"""
        if computed < prompt_tokens:
            return min(prompt_tokens - computed, tokens_left)
        return min(1, tokens_left)

    def one_past_the_budget(prompt_tokens, answer_tokens, computed, tokens_left):
        """A request that lacks a single token computes it though the budget is spent."""
        missing = prompt_tokens + answer_tokens - computed
        return min(missing, tokens_left) if missing > 1 else 1

    def prompt_only(prompt_tokens, answer_tokens, computed, tokens_left):
        """You compute what is missing of the prompt. What of the answer so far?"""
        return max(0, min(prompt_tokens - computed, tokens_left))

    def answer_means_decode(prompt_tokens, answer_tokens, computed, tokens_left):
        """A request with an answer computes one token with you. After a preemption nothing of that
        answer is in memory."""
        return min(1 if answer_tokens else prompt_tokens - computed, tokens_left)

    def one_behind_the_prompt(prompt_tokens, answer_tokens, computed, tokens_left):
        """Behind its prompt a request computes one token a step with you. After a preemption a
        chunk may be cut in the answer so far: then more are missing."""
        whole = prompt_tokens + answer_tokens
        return min(whole - computed if computed < prompt_tokens else 1, tokens_left)

    def lost_at_its_first_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
        """You see a preemption only while nothing is computed. Its first chunk may have been cut:
        what is missing then?"""
        whole = prompt_tokens + answer_tokens
        return min(1 if computed and answer_tokens else whole - computed, tokens_left)

    def all_again(prompt_tokens, answer_tokens, computed, tokens_left):
        """What is computed counts again. How much of it is in memory?"""
        return min(prompt_tokens + answer_tokens, tokens_left)

    def all_or_nothing(prompt_tokens, answer_tokens, computed, tokens_left):
        """A chunk that does not fit the budget is left out. It may be cut."""
        missing = prompt_tokens + answer_tokens - computed
        return missing if missing <= tokens_left else 0

    def the_whole_budget(prompt_tokens, answer_tokens, computed, tokens_left):
        """You spend all that is left of the budget. How much does the request lack?"""
        return tokens_left

    def as_shipped(prompt_tokens, answer_tokens, computed, tokens_left):
        """That is the function as it was shipped. Which request has written tokens and no
        memory?"""
        return 1 if answer_tokens else min(prompt_tokens - computed, tokens_left)

    def prompt_alone(prompt_tokens, answer_tokens, computed, tokens_left):
        """The prompt is read again in pieces, and the answer so far one token at a time. Are its
        tokens less known than those of the prompt?"""
        return min(prompt_tokens - computed, tokens_left) if computed < prompt_tokens else 1

    def only_from_nothing(prompt_tokens, answer_tokens, computed, tokens_left):
        """Somebody who has lost everything is served well in the first step, and as before in the
        next: by then something is computed."""
        whole = prompt_tokens + answer_tokens
        return 1 if computed and answer_tokens else min(whole - computed, tokens_left)

    def one_at_least(prompt_tokens, answer_tokens, computed, tokens_left):
        """The step's budget may be spent: then nothing is computed, not one token."""
        return max(1, min(prompt_tokens + answer_tokens - computed, tokens_left))

    def no_budget(prompt_tokens, answer_tokens, computed, tokens_left):
        """The chunk may be larger than what the step's budget leaves."""
        return prompt_tokens + answer_tokens - computed


def _some_states():
    """Requests that read, write, or have lost their memory and are part of the way back."""
    from hypothesis import strategies as st

    def placed(drawn):
        prompt, answer, share, writes, left = drawn
        known = prompt + answer
        return prompt, answer, known - 1 if writes and answer else known * share // 10, left

    sizes = st.integers(1, 40), st.integers(0, 30), st.integers(0, 9)
    return st.tuples(*sizes, st.booleans(), st.integers(0, 32)).map(placed)


PHASE = exercise(
    __doc__,
    Function(
        _next_chunk,
        _some_states,
        always=((3, 0, 0, 0), (3, 2, 4, 0)),
        misconceptions=mistakes_in(Wrong),
    ),
)
