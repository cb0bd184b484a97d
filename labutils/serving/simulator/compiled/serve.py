"""The whole trace in one call: plan a step, let it cost its time, hand out its tokens.

It tells the same story as ``plain.Simulation`` over ``labutils.engine.Scheduler``, in the same
order and with the same sums, and is tested against it.
"""

from labutils.simulation.queues.compiled import compiled, pasted

from .clock import let_it_run
from .noting import note_gap, note_late_token, note_step
from .pages import publish, release
from .planning import plan_decodes, plan_prompts
from .steady import is_steady, steps_ahead, stretch

DONE, FULL = 0, 1


@compiled
def serve(rules, lives, line, pages, notes, states):
    """Serve all requests, or until the time is up (``DONE``), or a table is ``FULL``."""
    state = states[0]
    while True:
        rows_left = notes.levels.shape[0] - state.rows
        if rows_left < 1 or notes.stay_s.shape[0] - state.stays < line.row.size:
            return FULL
        welcome(lives, state)
        if state.now_s >= rules.until_s:
            return DONE
        most = 0
        if is_steady(rules, lives, line, pages, state):
            most = steps_ahead(rules, line, state)
        if most:
            if stretch(rules, lives, line, pages, notes, state, most):
                finish(rules, lives, line, pages, notes, state)
        elif state.open:
            step(rules, lives, line, pages, notes, state)
        elif state.come < lives.arrival_s.size:
            state.now_s = min(lives.arrival_s[state.come], rules.until_s)
            state.carry_s = 0.0
        else:
            return DONE


@pasted
def welcome(lives, state):
    """Let the requests wait that have come by now."""
    while state.come < lives.arrival_s.size and lives.arrival_s[state.come] <= state.now_s:
        state.open += not lives.refused[state.come]
        state.come += 1
        state.is_new = 1


@pasted
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
    if ended:
        finish(rules, lives, line, pages, notes, state)


@pasted
def advance(rules, line, state, decodes, first):
    """Let the clock run; returns prefill tokens, and prompts with one token to compute."""
    prefill_tokens = pairs = context = others = 0
    for slot in range(decodes):
        context += line.known[slot]
    for slot in range(first, state.running):
        new, computed = line.new[slot], line.computed[slot]
        if line.known[slot] - computed == 1:
            others += 1
            context += line.known[slot]
        else:
            prefill_tokens += new
            pairs += new * computed + new * (new + 1) // 2
    let_it_run(rules, state, prefill_tokens, pairs, decodes + others, context)
    return prefill_tokens, others


@pasted
def hand_out_decodes(rules, lives, line, pages, notes, state, decodes):
    """A token for each slot that decodes; returns whether an answer ends with it."""
    if decodes == 0:
        return False
    last = decodes - 1  # a prompt's last token may be a decode too
    if rules.paged and line.computed[last] < lives.prompt[line.row[last]]:
        publish(rules, lives, pages, line.row[last], line.computed[last], 1)
    if state.same:
        note_gap(notes, state, state.now_s - state.same_s, state.same)
    for slot in range(state.same, decodes):
        note_late_token(lives, line, notes, state, slot)
    if lives.times_s.size:
        for slot in range(decodes):
            row = line.row[slot]
            at = lives.times_at[row] + line.known[slot] - lives.prompt[row]
            lives.times_s[at] = state.now_s
    ended = 0
    for slot in range(decodes):
        line.computed[slot] += 1
        line.known[slot] += 1
        ended += line.known[slot] == line.end[slot]
    state.same, state.same_s = decodes, state.now_s
    return ended > 0


@pasted
def compute_prompt(rules, lives, line, pages, notes, state, slot):
    """A chunk of a prompt; returns whether it brings the answer's last token."""
    row, computed, new = line.row[slot], line.computed[slot], line.new[slot]
    if rules.paged and computed < lives.prompt[row]:
        publish(rules, lives, pages, row, computed, new)
    line.computed[slot] = computed + new
    if computed + new < line.known[slot]:
        return False
    note_late_token(lives, line, notes, state, slot)
    line.token_s[slot] = state.now_s
    if lives.times_s.size:
        lives.times_s[lives.times_at[row] + line.known[slot] - lives.prompt[row]] = state.now_s
    line.known[slot] += 1
    return line.known[slot] == line.end[slot]


@pasted
def finish(rules, lives, line, pages, notes, state):
    """Take out the requests whose answers are complete; the others close ranks."""
    kept = same = 0
    for slot in range(state.running):
        row = line.row[slot]
        if line.known[slot] == line.end[slot]:
            if rules.paged:
                computed, room = line.computed[slot], line.room[slot]
                release(rules, lives, pages, state, row, computed, room)
            lives.known[row] = line.known[slot]
            lives.last_s[row] = lives.finish_s[row] = state.now_s
            notes.stay_s[lives.stay[row], 2] = state.now_s
            state.open -= 1
            state.stored -= line.computed[slot]
            continue
        line.row[kept], line.known[kept], line.end[kept] = row, line.known[slot], line.end[slot]
        line.computed[kept], line.room[kept] = line.computed[slot], line.room[slot]
        line.token_s[kept] = line.token_s[slot]
        kept += 1
        same += slot < state.same
    state.running, state.same, state.is_new = kept, same, 1
