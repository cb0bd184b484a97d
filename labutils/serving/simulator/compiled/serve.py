"""The whole trace in one call: plan a step, let it cost its time, hand out its tokens.

It tells the same story as ``plain.Simulation`` over ``labutils.engine.Scheduler``, in the same
order and with the same sums, and is tested against it.
"""

import numpy as np

from labutils.simulation.queues.compiled import compiled, inner

from .clock import let_it_run
from .compiled_pages import publish, release
from .noting import note_gap, note_late_token, note_leaving, note_step
from .planning import plan_decodes, plan_prompts
from .steady import is_steady, steps_ahead, stretch

DONE, FULL = 0, 1


@compiled
def serve(rules, lives, line, pages, notes, due, states):
    """Serve all requests, or until the time is up (``DONE``), or a table is ``FULL``."""
    state = states[0]
    while True:
        if state.rows == notes.rows.size or notes.stays.size - state.stays < line.size:
            return FULL
        welcome(lives, state)
        if state.due_s <= state.now_s:
            leave(rules, lives, line, pages, notes, due, state)
        if state.now_s >= state.stop_s:
            return DONE
        if state.open:
            if work(rules, lives, line, pages, notes, state):
                finish(rules, lives, line, pages, notes, state)
        elif state.come < lives.size:
            state.now_s = min(lives[state.come].arrival_s, state.stop_s)
            state.carry_s = 0.0
        else:
            return DONE


@inner
def welcome(lives, state):
    """Let the requests wait that have come by now."""
    while state.come < lives.size and lives[state.come].arrival_s <= state.now_s:
        state.open += not lives[state.come].out
        state.come += 1
        state.is_new = 1


@inner
def leave(rules, lives, line, pages, notes, due, state):
    """Let the requests go whose patience is over, in order of arrival: that of their slots."""
    while state.due_s <= state.now_s:
        row = due[state.due].row
        if lives[row].finish_s != lives[row].finish_s and not lives[row].out:  # it is open
            lives[row].finish_s = state.now_s
            if row >= state.next:  # it has never started
                lives[row].out = True
                state.open -= 1
                state.is_new = 1
        state.due += 1
        state.due_s = due[state.due].at_s if state.due < due.size else np.inf
    kept = 0
    for at in range(state.num_preempted):
        row = line[at].preempted
        if lives[row].finish_s != lives[row].finish_s:
            line[kept].preempted = row
            kept += 1
    if kept < state.num_preempted:
        state.open -= state.num_preempted - kept
        state.num_preempted, state.is_new = kept, 1
    ended = 0
    for slot in range(state.running):
        row = line[slot].row
        if lives[row].finish_s == lives[row].finish_s:
            line[slot].end = line[slot].known  # all that it will ever know
            ended += 1
    if ended:
        finish(rules, lives, line, pages, notes, state)


@inner
def work(rules, lives, line, pages, notes, state):
    """One step, or a stretch of equal ones; returns whether answers end with it."""
    if is_steady(rules, lives, line, pages, state):
        most = steps_ahead(rules, line, state)
        if most:
            return stretch(rules, lives, line, pages, notes, state, most) > 0
    return step(rules, lives, line, pages, notes, state)


@inner
def step(rules, lives, line, pages, notes, state):
    """One step: the slots up to ``decodes`` decode, those from ``first`` on read their prompts."""
    begin_s, before = state.now_s, state.running
    decodes = 0
    if rules.chunked:
        decodes = plan_decodes(rules, lives, line, pages, notes, state)
        first = decodes
        plan_prompts(rules, lives, line, pages, notes, state, decodes)
    else:
        plan_prompts(rules, lives, line, pages, notes, state, 0)
        first = before
        if before == state.running:
            decodes = first = plan_decodes(rules, lives, line, pages, notes, state)
    prefill_tokens, others = advance(rules, line, state, decodes, first)
    note_step(rules, notes, state, begin_s, prefill_tokens, decodes + others)
    ended = hand_out_decodes(rules, lives, line, pages, notes, state, decodes)
    for slot in range(first, state.running):
        ended |= compute_prompt(rules, lives, line, pages, notes, state, slot)
    state.stored += decodes + others + prefill_tokens
    return ended


@inner
def advance(rules, line, state, decodes, first):
    """Let the clock run; returns prefill tokens, and prompts with one token to compute."""
    prefill_tokens = pairs = context = others = 0
    for slot in range(decodes):
        context += line[slot].known
    for slot in range(first, state.running):
        new, computed = line[slot].new, line[slot].computed
        if line[slot].known - computed == 1:
            others += 1
            context += line[slot].known
        else:
            prefill_tokens += new
            pairs += new * computed + new * (new + 1) // 2
    let_it_run(rules, state, prefill_tokens, pairs, decodes + others, context)
    return prefill_tokens, others


@inner
def hand_out_decodes(rules, lives, line, pages, notes, state, decodes):
    """A token for each slot that decodes; returns whether an answer ends with it."""
    if decodes == 0:
        return False
    last = decodes - 1  # a prompt's last token may be a decode too
    if rules.paged and line[last].computed < lives[line[last].row].prompt:
        publish(rules, lives, pages, line[last].row, line[last].computed, 1)
    if state.same:
        note_gap(notes, state, state.now_s - state.same_s, state.same)
    for slot in range(state.same, decodes):
        note_late_token(lives, line, notes, state, slot)
    if notes.times_s.size:
        for slot in range(decodes):
            row = line[slot].row
            at = lives[row].times_at + line[slot].known - lives[row].prompt
            notes.times_s[at] = state.now_s
    ended = 0
    for slot in range(decodes):
        line[slot].computed += 1
        line[slot].known += 1
        ended += line[slot].known == line[slot].end
    state.same, state.same_s = decodes, state.now_s
    return ended > 0


@inner
def compute_prompt(rules, lives, line, pages, notes, state, slot):
    """A chunk of a prompt; returns whether it brings the answer's last token."""
    row, computed, new = line[slot].row, line[slot].computed, line[slot].new
    if rules.paged and computed < lives[row].prompt:
        publish(rules, lives, pages, row, computed, new)
    line[slot].computed = computed + new
    if computed + new < line[slot].known:
        return False
    note_late_token(lives, line, notes, state, slot)
    line[slot].token_s = state.now_s
    if notes.times_s.size:
        notes.times_s[lives[row].times_at + line[slot].known - lives[row].prompt] = state.now_s
    line[slot].known += 1
    return line[slot].known == line[slot].end


@inner
def finish(rules, lives, line, pages, notes, state):
    """Take out the requests that know all they will; the others close ranks."""
    kept = same = 0
    for slot in range(state.running):
        row = line[slot].row
        if line[slot].known == line[slot].end:
            note_leaving(lives, line, notes, state, slot)
            if rules.paged:
                computed, room = line[slot].computed, line[slot].room
                release(rules, lives, pages, state, row, computed, room)
            lives[row].finish_s = state.now_s
            state.open -= 1
            state.stored -= line[slot].computed
            continue
        line[kept].row, line[kept].known, line[kept].end = row, line[slot].known, line[slot].end
        line[kept].computed, line[kept].room = line[slot].computed, line[slot].room
        line[kept].token_s = line[slot].token_s
        kept += 1
        same += slot < state.same
    state.running, state.same, state.is_new = kept, same, 1
