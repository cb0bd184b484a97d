"""Steps that are the one before once more: everything that runs decodes, and nothing else happens.

Most steps of most runs are such. Their times are added one by one, as everywhere; which pages they
took and how many tokens they brought is written down when they are over.
"""

from labutils.simulation.queues.compiled import inner

from .clock import let_it_run
from .compiled_pages import take
from .noting import note_gap, note_late_token, note_step
from .planning import may_start


@inner
def is_steady(rules, lives, line, pages, state):
    """Whether all running requests are behind their prompts, and no other may start now."""
    last = state.running - 1
    if last < 0 or line[last].known - line[last].computed != 1:
        return False
    if line[last].known <= lives[line[last].row].prompt:
        return False
    left = rules.token_budget - (state.running if rules.chunked else 0)
    return not may_start(rules, lives, line, pages, state, left, True)


@inner
def steps_ahead(rules, line, state):
    """How many steps may follow until an answer ends; fewer where pages might run short."""
    steps = line[0].end - line[0].known
    for slot in range(1, state.running):
        steps = min(steps, line[slot].end - line[slot].known)
    if rules.paged:
        free = (state.blank + state.idle) * rules.page_tokens
        while lacking(rules, line, state, steps) > free:
            steps //= 2
    return steps


@inner
def lacking(rules, line, state, steps):
    """Tokens of room, at most, that the running requests have to get for ``steps`` steps."""
    tokens = 0
    for slot in range(state.running):
        short = line[slot].known + steps - 1 - line[slot].room
        tokens += short + rules.page_tokens - 1 if short > 0 else 0
    return tokens


@inner
def grow(rules, line, pages, state, steps):
    """Give the running requests the pages for their next ``steps`` tokens."""
    if not rules.paged:
        return
    wanted = 0
    for slot in range(state.running):
        last = line[slot].known + steps - 1
        while line[slot].room < last:
            line[slot].room += rules.page_tokens
            wanted += 1
    take(pages, state, wanted)


@inner
def stretch(rules, lives, line, pages, notes, state, most):
    """Up to ``most`` steps, until a request comes, a client gives up, or time is up.

    Returns how many answers end.
    """
    stop_s = min(state.stop_s, state.due_s)
    if state.come < lives.size:
        stop_s = min(stop_s, lives[state.come].arrival_s)
    context, steps = 0, 0
    for slot in range(state.running):
        context += line[slot].known
    grow(rules, line, pages, state, 1)
    while steps < most and (steps == 0 or state.now_s < stop_s):
        begin_s = state.now_s
        let_it_run(rules, state, 0, 0, state.running, context)
        note_step(rules, notes, state, begin_s, 0, state.running)
        note_same(lives, line, notes, state)
        if notes.times_s.size:
            note_tokens(lives, line, notes, state, steps)
        state.stored += state.running
        context += state.running
        steps += 1
    grow(rules, line, pages, state, steps)
    ended = 0
    for slot in range(state.running):
        line[slot].known += steps
        line[slot].computed += steps
        ended += line[slot].known == line[slot].end
    return ended


@inner
def note_same(lives, line, notes, state):
    """All running requests get a token."""
    if state.same:
        note_gap(notes, state, state.now_s - state.same_s, state.same)
    for slot in range(state.same, state.running):
        note_late_token(lives, line, notes, state, slot)
    state.same, state.same_s = state.running, state.now_s


@inner
def note_tokens(lives, line, notes, state, steps):
    """The time of a token of each running request, ``steps`` behind those that it knows."""
    for slot in range(state.running):
        row = line[slot].row
        at = lives[row].times_at + line[slot].known + steps - lives[row].prompt
        notes.times_s[at] = state.now_s
