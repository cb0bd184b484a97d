"""Which request computes what in the next step: ``Scheduler``'s two halves, over slots of a line.

Slots are in order of admission. At most the last one is in the middle of its prompt: whatever the
budget leaves goes to prompts in this order, and none starts once it is spent.
"""

from labutils.simulation.queues.compiled import inner

from .compiled_pages import fits, release, start, take
from .noting import note_leaving, note_start
from .tables import FOR_EVER, NEVER


@inner
def num_decoding(line, state):
    """Running requests with one token to compute."""
    last = state.running - 1
    return state.running - (last >= 0 and line[last].known - line[last].computed > 1)


@inner
def num_growing(line, decodes):
    """How many of the first slots need a page for their next token."""
    growing = 0
    for slot in range(decodes):
        growing += line[slot].known > line[slot].room
    return growing


@inner
def plan_decodes(rules, lives, line, pages, notes, state):
    """How many slots decode; the newest give way for their pages."""
    decodes = num_decoding(line, state)
    if not rules.paged:
        return decodes
    growing = num_growing(line, decodes)
    while growing > state.blank + state.idle:
        preempt(rules, lives, line, pages, notes, state)
        decodes = min(decodes, state.running)
        growing = num_growing(line, decodes)
    if growing:
        take(pages, state, growing)
        for slot in range(decodes):
            if line[slot].known > line[slot].room:
                line[slot].room += rules.page_tokens
    return decodes


@inner
def preempt(rules, lives, line, pages, notes, state):
    """Take the memory of the newest request; it waits in front."""
    last = state.running - 1
    row, computed = line[last].row, line[last].computed
    release(rules, lives, pages, state, row, computed, line[last].room)
    note_leaving(lives, line, notes, state, last)
    lives[row].preemptions += 1
    line[state.num_preempted].preempted = row
    state.num_preempted += 1
    state.running = last
    state.same = min(state.same, last)
    state.stored -= computed
    state.lost += 1
    state.is_new = 1


@inner
def head_of_queue(lives, line, state):
    """The request that would start next, or -1."""
    if state.num_preempted:
        return line[state.num_preempted - 1].preempted
    while state.next < state.come and lives[state.next].out:
        state.next += 1
    return state.next if state.next < state.come else -1


@inner
def plan_prompts(rules, lives, line, pages, notes, state, decodes):
    """The prompt that was cut goes on; then the head of the queue starts, while it may."""
    left, planned = rules.token_budget - decodes, decodes
    if rules.chunked and decodes < state.running:
        last = state.running - 1
        wanted = line[last].known - line[last].computed
        line[last].new = max(0, min(wanted, left))
        left -= wanted
        planned += 1
    while may_start(rules, lives, line, pages, state, left, planned == 0):
        left -= admit(rules, lives, line, pages, notes, state, left)
        planned += 1


@inner
def may_start(rules, lives, line, pages, state, left, is_first):
    """Whether the head of the queue may start, with ``left`` tokens of the budget to spend."""
    if state.lost or left <= 0 or state.running >= rules.max_sequences:
        return False
    row = head_of_queue(lives, line, state)
    if row < 0 or (not rules.chunked and not is_first and lives[row].known > left):
        return False
    return fits(rules, lives, pages, state, row)


@inner
def admit(rules, lives, line, pages, notes, state, left):
    """Start the head of the queue; returns the tokens that it computes."""
    row = head_of_queue(lives, line, state)
    if state.num_preempted:
        state.num_preempted -= 1
    else:
        state.next += 1
    slot, known = state.running, lives[row].known
    line[slot].row, line[slot].known, line[slot].end = row, known, lives[row].end
    line[slot].computed, line[slot].room, line[slot].token_s = 0, FOR_EVER, NEVER
    if rules.paged:
        line[slot].computed = start(rules, lives, pages, state, row) * rules.page_tokens
        line[slot].room = -(-known // rules.page_tokens) * rules.page_tokens
    new = known - line[slot].computed
    line[slot].new = min(new, left) if rules.chunked else new
    state.running += 1
    note_start(lives, line, notes, state, slot)
    return line[slot].new
