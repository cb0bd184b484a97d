"""What the compiled loop writes down: rows of telemetry, gaps, tokens."""

import numpy as np
from numba import njit

from labutils.serving.simulator.gaps import LOWEST, NUM_BINS, SHIFT

from .tables import NEVER


@njit
def note_gap(notes, state, gap_s, times):
    """``times`` requests waited ``gap_s`` for a token."""
    at = (np.float64(gap_s).view(np.int64) >> SHIFT) - LOWEST
    notes.gaps[min(max(at, 0), NUM_BINS - 1)] += times
    state.longest_gap_s = max(state.longest_gap_s, gap_s)


@njit
def note_late_token(lives, line, notes, state, slot):
    """The first token of a stay, or the first one after a pause."""
    row, before_s = line.row[slot], line.token_s[slot]
    if before_s == before_s:  # a number
        note_gap(notes, state, state.now_s - before_s, 1)
        return
    notes.stay_s[lives.stay[row], 1] = state.now_s
    if lives.first_s[row] == lives.first_s[row]:
        note_gap(notes, state, state.now_s - lives.last_s[row], 1)
    else:
        lives.first_s[row] = state.now_s


@njit
def note_start(lives, line, notes, state, slot):
    """A request gets memory, for the first time or again."""
    row, cached = line.row[slot], line.computed[slot]
    if lives.cached[row] < 0:
        lives.cached[row] = cached
        state.prompt_tokens += lives.prompt[row]
        state.cached_tokens += cached
    lives.stay[row] = state.stays
    notes.stay_row[state.stays] = row
    notes.stay_s[state.stays, 0] = state.now_s
    notes.stay_s[state.stays, 1:] = NEVER
    state.stays += 1
    state.stored += cached
    state.is_new = 1


@njit
def note_step(rules, notes, state, begin_s, prefill_tokens, decodes):
    """Begin a row of telemetry, or lengthen the last one."""
    is_steady = prefill_tokens == 0 and decodes == state.running
    if state.is_new or not is_steady:
        row = notes.levels[state.rows]
        row[0], row[1], row[2] = 0, prefill_tokens, decodes
        row[3], row[4] = state.running, state.open - state.running
        row[5] = rules.num_pages - state.blank - state.idle
        row[6], row[7] = state.stored, state.lost
        row[8], row[9] = state.prompt_tokens, state.cached_tokens
        state.lost = state.prompt_tokens = state.cached_tokens = 0
        notes.moments[state.rows, 0] = begin_s
        state.rows += 1
        state.is_new = not is_steady
    notes.levels[state.rows - 1, 0] += 1
    notes.moments[state.rows - 1, 1] = state.now_s
