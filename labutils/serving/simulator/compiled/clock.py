"""The clock of a compiled run."""

from labutils.simulation.queues.compiled import inner


@inner
def let_it_run(rules, state, prefill_tokens, pairs, sequences, context):
    """Let a step take the time that ``StepCost.time_s`` says, added up in the same order.

    The sum over all steps is compensated as in ``plain`` (Kahan, 1965).
    """
    linear_s = rules.per_linear_token_s * (prefill_tokens + sequences)
    seconds = rules.base_s + (linear_s if linear_s > rules.weights_s else rules.weights_s)
    if prefill_tokens:
        seconds += rules.per_prefill_token_s * prefill_tokens + rules.per_pair_s * pairs
    seconds = seconds + rules.per_sequence_s * sequences + rules.per_context_token_s * context
    added_s = seconds - state.carry_s
    begin_s = state.now_s
    state.now_s = begin_s + added_s
    state.carry_s = (state.now_s - begin_s) - added_s
