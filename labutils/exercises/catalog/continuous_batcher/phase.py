"""A bug from the field: the phase of a request, guessed from what it has written."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


def _next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    return min(prompt_tokens + answer_tokens - computed, tokens_left)


def _by_phase(prompt_tokens, answer_tokens, computed, tokens_left):
    return 1 if answer_tokens else min(prompt_tokens - computed, tokens_left)


def _prompt_again(prompt_tokens, answer_tokens, computed, tokens_left):
    return min(prompt_tokens - computed, tokens_left) if computed < prompt_tokens else 1


def _without_budget(prompt_tokens, answer_tokens, computed, tokens_left):
    return prompt_tokens + answer_tokens - computed


def _one_at_least(prompt_tokens, answer_tokens, computed, tokens_left):
    return max(1, min(prompt_tokens + answer_tokens - computed, tokens_left))


def _all_at_a_loss(prompt_tokens, answer_tokens, computed, tokens_left):
    whole = prompt_tokens + answer_tokens
    return 1 if computed and answer_tokens else min(whole - computed, tokens_left)


def _prompt_then_one(prompt_tokens, answer_tokens, computed, tokens_left):
    if computed < prompt_tokens:
        return min(prompt_tokens - computed, tokens_left)
    return min(1, tokens_left)


def _one_past_the_budget(prompt_tokens, answer_tokens, computed, tokens_left):
    missing = prompt_tokens + answer_tokens - computed
    return min(missing, tokens_left) if missing > 1 else 1


def _prompt_only(prompt_tokens, answer_tokens, computed, tokens_left):
    return max(0, min(prompt_tokens - computed, tokens_left))


def _answer_means_decode(prompt_tokens, answer_tokens, computed, tokens_left):
    return min(1 if answer_tokens else prompt_tokens - computed, tokens_left)


def _one_behind_the_prompt(prompt_tokens, answer_tokens, computed, tokens_left):
    whole = prompt_tokens + answer_tokens
    return min(whole - computed if computed < prompt_tokens else 1, tokens_left)


def _lost_at_its_first_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    whole = prompt_tokens + answer_tokens
    return min(1 if computed and answer_tokens else whole - computed, tokens_left)


def _all_again(prompt_tokens, answer_tokens, computed, tokens_left):
    return min(prompt_tokens + answer_tokens, tokens_left)


def _all_or_nothing(prompt_tokens, answer_tokens, computed, tokens_left):
    missing = prompt_tokens + answer_tokens - computed
    return missing if missing <= tokens_left else 0


def _the_whole_budget(prompt_tokens, answer_tokens, computed, tokens_left):
    return tokens_left


def _some_states():
    """Requests that read, write, or have lost their memory and are part of the way back."""
    from hypothesis import strategies as st

    def placed(drawn):
        prompt, answer, share, writes, left = drawn
        known = prompt + answer
        return prompt, answer, known - 1 if writes and answer else known * share // 10, left

    sizes = st.integers(1, 40), st.integers(0, 30), st.integers(0, 9)
    return st.tuples(*sizes, st.booleans(), st.integers(0, 32)).map(placed)


PHASE = Exercise(
    id="engine.phase",
    title="The bug in the phase",
    minutes=6,
    checker=Function(
        reference=_next_chunk,
        inputs=_some_states,
        always=((3, 0, 0, 0), (3, 2, 4, 0)),
        misconceptions=(
            Misconception(
                "prompt-then-one",
                _prompt_then_one,
                "The prompt is read again in pieces, and the answer so far one token at a time. "
                "Are its tokens less known than those of the prompt?",
            ),
            Misconception(
                "one-past-the-budget",
                _one_past_the_budget,
                "A request that lacks a single token computes it though the budget is spent.",
            ),
            Misconception(
                "prompt-only",
                _prompt_only,
                "You compute what is missing of the prompt. What of the answer so far?",
            ),
            Misconception(
                "answer-means-decode",
                _answer_means_decode,
                "A request with an answer computes one token with you. After a preemption nothing "
                "of that answer is in memory.",
            ),
            Misconception(
                "one-behind-the-prompt",
                _one_behind_the_prompt,
                "Behind its prompt a request computes one token a step with you. After a "
                "preemption a chunk may be cut in the answer so far: then more are missing.",
            ),
            Misconception(
                "lost-at-its-first-chunk",
                _lost_at_its_first_chunk,
                "You see a preemption only while nothing is computed. Its first chunk may have "
                "been cut: what is missing then?",
            ),
            Misconception(
                "all-again",
                _all_again,
                "What is computed counts again. How much of it is in memory?",
            ),
            Misconception(
                "all-or-nothing",
                _all_or_nothing,
                "A chunk that does not fit the budget is left out. It may be cut.",
            ),
            Misconception(
                "the-whole-budget",
                _the_whole_budget,
                "You spend all that is left of the budget. How much does the request lack?",
            ),
            Misconception(
                "as-shipped",
                _by_phase,
                "That is the function as it was shipped. Which request has written tokens and "
                "no memory?",
            ),
            Misconception(
                "prompt-alone",
                _prompt_again,
                "The prompt is read again in pieces, and the answer so far one token at a time. "
                "Are its tokens less known than those of the prompt?",
            ),
            Misconception(
                "only-from-nothing",
                _all_at_a_loss,
                "Somebody who has lost everything is served well in the first step, and as before "
                "in the next: by then something is computed.",
            ),
            Misconception(
                "one-at-least",
                _one_at_least,
                "The step's budget may be spent: then nothing is computed, not one token.",
            ),
            Misconception(
                "no-budget",
                _without_budget,
                "The chunk may be larger than what the step's budget leaves.",
            ),
        ),
    ),
    hints=(
        "A request that was preempted has an answer, and nothing in memory. What does the shipped "
        "function take it for?",
        "There is no phase. There are tokens that are known, and tokens that are computed.",
        "Known are the prompt and the answer so far. What is missing is their sum less `computed`; "
        "the step takes at most `tokens_left` of it.",
    ),
    explanation=(
        "Whoever writes has one known token that is not computed yet: that is all that decoding "
        "means. One rule then serves a new prompt, a prompt in pieces, a request that writes and "
        "one that was thrown out and comes back. With the phase guessed from the answer, the last "
        "of them crawls back one token per step. All tokens are right and all tests pass; only "
        "some users wait, and only when memory is short. vLLM's scheduler says it in a comment: "
        "there is no decode phase nor prefill phase, each request has computed tokens that catch "
        "up with its tokens."
    ),
)
