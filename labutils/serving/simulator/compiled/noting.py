"""What the compiled loop writes down: rows of telemetry, gaps, tokens."""

import numpy as np

from labutils.serving.runs.gaps import LOWEST, NUM_BINS, SHIFT
from labutils.simulation.queues.compiled import inner

from .tables import NEVER


@inner
def note_gap(notes, state, gap_s, times):
    """``times`` requests waited ``gap_s`` for a token."""
    at = (np.float64(gap_s).view(np.int64) >> SHIFT) - LOWEST
    notes.gaps[min(max(at, 0), NUM_BINS - 1)] += times
    state.longest_gap_s = max(state.longest_gap_s, gap_s)


@inner
def note_late_token(lives, line, notes, state, slot):
    """The first token of a stay, or the first one after a pause."""
    row, before_s = line[slot].row, line[slot].token_s
    if before_s == before_s:  # a number
        note_gap(notes, state, state.now_s - before_s, 1)
        return
    notes.stays[lives[row].stay].caught_up_s = state.now_s
    if lives[row].first_s == lives[row].first_s:
        note_gap(notes, state, state.now_s - lives[row].last_s, 1)
    else:
        lives[row].first_s = state.now_s


@inner
def note_start(lives, line, notes, state, slot):
    """A request gets memory, for the first time or again."""
    row, cached = line[slot].row, line[slot].computed
    if lives[row].cached < 0:
        lives[row].cached = cached
        state.prompt_tokens += lives[row].prompt
        state.cached_tokens += cached
    lives[row].stay = state.stays
    stay = notes.stays[state.stays]
    stay.row, stay.admitted_s = row, state.now_s
    stay.caught_up_s = stay.left_s = NEVER
    state.stays += 1
    state.stored += cached
    state.is_new = 1


@inner
def note_leaving(lives, line, notes, state, slot):
    """A running request gives its memory back."""
    row = line[slot].row
    token_s = state.same_s if slot < state.same else line[slot].token_s
    if token_s == token_s:  # it got one in this stay
        lives[row].last_s = token_s
    lives[row].known = line[slot].known
    notes.stays[lives[row].stay].left_s = state.now_s


@inner
def note_step(rules, notes, state, begin_s, prefill_tokens, decodes):
    """Begin a row of telemetry, or lengthen the last one."""
    is_steady = prefill_tokens == 0 and decodes == state.running
    if state.is_new or not is_steady:
        row = notes.rows[state.rows]
        row.time_s, row.steps = begin_s, 0
        row.prefill_tokens, row.decode_sequences = prefill_tokens, decodes
        row.running, row.waiting = state.running, state.open - state.running
        row.pages_in_use = rules.num_pages - state.blank - state.idle
        row.stored_tokens, row.preemptions = state.stored, state.lost
        row.prompt_tokens, row.cached_tokens = state.prompt_tokens, state.cached_tokens
        state.lost = state.prompt_tokens = state.cached_tokens = 0
        state.rows += 1
        state.is_new = not is_steady
    row = notes.rows[state.rows - 1]
    row.steps += 1
    row.end_s = state.now_s
