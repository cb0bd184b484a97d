"""Proofs of chapter 12: mistakes that learners make, and right answers of other styles."""

import itertools
from collections import Counter

import numpy as np

from labutils.llm.layouts import bubble_share
from labutils.llm.levers.parallel import all_reduce_time_s, ring_rate
from labutils.llm.levers.speculation import speculation_speedup
from tests.proofs.proof import Proof

# --- layouts.step -------------------------------------------------------------------------------


def once_a_layer(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
    message = 2 * (cards - 1) / cards * message_bytes
    exchange = (floor_s + message / bytes_per_s) * (cards > 1)
    return read_s / cards + layers * exchange


def message_as_it_is(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
    if cards == 1:
        return read_s
    return read_s / cards + 2 * layers * (floor_s + message_bytes / bytes_per_s)


def floor_of_the_step(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
    sent = 2 * (cards - 1) * message_bytes / cards
    return read_s / cards + (cards > 1) * (floor_s + 2 * layers * sent / bytes_per_s)


def even_when_alone(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
    sent = 2 * (cards - 1) * message_bytes / cards
    return read_s / cards + 2 * layers * (floor_s + sent / bytes_per_s)


def overlapped(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
    sent = 2 * (cards - 1) * message_bytes / cards
    return max(read_s / cards, 2 * layers * (cards > 1) * (floor_s + sent / bytes_per_s))


def nothing_divided(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
    if cards == 1:
        return read_s
    sent = 2 * (cards - 1) * message_bytes / cards
    return read_s + 2 * layers * (floor_s + sent / bytes_per_s)


def nothing_divided_even_alone(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
    sent = 2 * (1 - 1 / cards) * message_bytes
    return read_s + 2 * layers * (floor_s + sent / bytes_per_s)


def whole_vectors(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
    step = read_s / cards
    for _ in range(2 * layers if cards > 1 else 0):
        step += floor_s + 2 * (cards - 1) * message_bytes / bytes_per_s
    return step


def in_two_halves(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
    step = read_s / cards
    for _ in range(2 * layers if cards > 1 else 0):
        step += floor_s
        step += 2 * (cards - 1) * (message_bytes / cards) / bytes_per_s
    return step


def with_the_library(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
    if cards == 1:
        return read_s
    rate = ring_rate(bytes_per_s, cards)
    each = all_reduce_time_s(message_bytes, latency_s=floor_s, rate_bytes_per_s=rate)
    return np.float64(read_s) / cards + 2 * layers * each


# --- layouts.busiest ----------------------------------------------------------------------------


def counts_every_pick(picks, experts, cards):
    flat = np.concatenate(picks)
    loads = np.bincount(flat // (experts // cards), minlength=cards)
    return flat.size, loads.max() / loads.mean()


def without_idle_cards(picks, experts, cards):
    flat = [expert // (experts // cards) for token in picks for expert in token]
    loads = list(Counter(flat).values())
    touched = {expert for token in picks for expert in token}
    return len(touched), max(loads) / (sum(loads) / len(loads))


def round_robin(picks, experts, cards):
    flat = np.concatenate(picks)
    loads = np.bincount(flat % cards, minlength=cards)
    return np.unique(flat).size, loads.max() / loads.mean()


def experts_to_read(picks, experts, cards):
    touched = np.unique(np.concatenate(picks))
    loads = np.bincount(touched // (experts // cards), minlength=cards)
    return touched.size, loads.max() / loads.mean()


def with_arrays(picks, experts, cards):
    chosen = np.zeros((len(picks), experts), dtype=int)
    for row, token in enumerate(picks):
        chosen[row, token] = 1
    each = chosen.sum(axis=0)
    loads = each.reshape(cards, -1).sum(axis=1)
    return [np.count_nonzero(each), loads.max() / loads.mean()]


def card_by_card(picks, experts, cards):
    flat = [expert for token in picks for expert in token]
    size = experts // cards
    loads = [sum(n * size <= e < (n + 1) * size for e in flat) for n in range(cards)]
    return len(set(flat)), max(loads) / sum(loads) * cards


# --- layouts.apart ------------------------------------------------------------------------------


def my_prompt_too(together_s, apart_s, prefill_s, answer_tokens):
    for n, (both, apart) in enumerate(zip(together_s, apart_s), 1):
        if both + n * prefill_s / answer_tokens > apart:
            return n
    return None


def every_token_waits(together_s, apart_s, prefill_s, answer_tokens):
    for n, (both, apart) in enumerate(zip(together_s, apart_s)):
        if both + n * prefill_s > apart:
            return n + 1
    return None


def first_place(together_s, apart_s, prefill_s, answer_tokens):
    for n, (both, apart) in enumerate(zip(together_s, apart_s)):
        if both + n * prefill_s / answer_tokens > apart:
            return n
    return None


def steps_alone(together_s, apart_s, prefill_s, answer_tokens):
    return next((n for n, (t, a) in enumerate(zip(together_s, apart_s), 1) if a < t), None)


def zero_for_never(together_s, apart_s, prefill_s, answer_tokens):
    return with_the_first_true(together_s, apart_s, prefill_s, answer_tokens) or 0


def with_the_first_true(together_s, apart_s, prefill_s, answer_tokens):
    others = np.arange(len(together_s))
    pays = np.array(apart_s) < np.array(together_s) + others * prefill_s / answer_tokens
    return int(pays.argmax()) + 1 if pays.any() else None


def by_the_whole_answer(together_s, apart_s, prefill_s, answer_tokens):
    batch = 1
    while batch <= len(apart_s):
        lost_s = (apart_s[batch - 1] - together_s[batch - 1]) * answer_tokens
        if (batch - 1) * prefill_s > lost_s:
            return batch
        batch += 1


# --- layouts.pools ------------------------------------------------------------------------------


def as_the_rates_are(copies, prefill_per_s, decode_per_s):
    return round(copies * prefill_per_s / (prefill_per_s + decode_per_s))


def to_the_nearest(copies, prefill_per_s, decode_per_s):
    return round(copies * decode_per_s / (prefill_per_s + decode_per_s))


def half_and_half(copies, prefill_per_s, decode_per_s):
    return copies // 2


def the_rate(copies, prefill_per_s, decode_per_s):
    return max(min(n * prefill_per_s, (copies - n) * decode_per_s) for n in range(1, copies))


def one_by_one(copies, prefill_per_s, decode_per_s):
    best, most = 1, 0.0
    for n in range(1, copies):
        if (rate := min(n * prefill_per_s, (copies - n) * decode_per_s)) > most:
            best, most = n, rate
    return best


def with_argmax(copies, prefill_per_s, decode_per_s):
    n = np.arange(1, copies)
    return n[np.minimum(n * prefill_per_s, (copies - n) * decode_per_s).argmax()]


# --- layouts.bubble -----------------------------------------------------------------------------


def by_the_formula(stages, chunks_ms):
    return bubble_share(stages, len(chunks_ms))


def all_stages_wait(stages, chunks_ms):
    lost = stages * max(chunks_ms)
    return lost / (lost + sum(chunks_ms))


def at_the_mean_pace(stages, chunks_ms):
    lost = (stages - 1) * np.mean(chunks_ms)
    return lost / (lost + sum(chunks_ms))


def of_the_work(stages, chunks_ms):
    return (stages - 1) * max(chunks_ms) / sum(chunks_ms)


def played_through(stages, chunks_ms):
    done = [0.0] * stages
    for chunk in chunks_ms:
        ready = 0.0
        for stage in range(stages):
            ready = done[stage] = max(ready, done[stage]) + chunk
    return 1 - sum(chunks_ms) / done[-1]


# --- layouts.drafts -----------------------------------------------------------------------------


def before_the_first_loss(gained, spent, most):
    """How many batches from 1 on gain more ms than they spend."""
    batches = range(1, most + 1)
    return len(list(itertools.takewhile(lambda b: gained(b) > spent(b), batches)))


def free_verification(acceptance, drafts, draft_ms, step_ms, most):
    tokens = drafts + 1
    if acceptance < 1:
        tokens = (1 - acceptance ** (drafts + 1)) / (1 - acceptance)
    return before_the_first_loss(
        lambda b: tokens * step_ms(b), lambda b: step_ms(b) + drafts * draft_ms(b), most
    )


def without_the_targets_own(acceptance, drafts, draft_ms, step_ms, most):
    tokens = sum(acceptance**n for n in range(1, drafts + 1))
    for b in range(1, most + 1):
        if tokens * step_ms(b) <= step_ms(b * (drafts + 1)) + drafts * draft_ms(b):
            return b - 1
    return most


def a_single_draft_step(acceptance, drafts, draft_ms, step_ms, most):
    tokens = sum(acceptance**n for n in range(drafts + 1))
    return before_the_first_loss(
        lambda b: tokens * step_ms(b), lambda b: step_ms(b * (drafts + 1)) + draft_ms(b), most
    )


def verifies_drafts_alone(acceptance, drafts, draft_ms, step_ms, most):
    tokens = sum(acceptance**n for n in range(drafts + 1))
    return before_the_first_loss(
        lambda b: tokens * step_ms(b), lambda b: step_ms(b * drafts) + drafts * draft_ms(b), most
    )


def a_frozen_draft(acceptance, drafts, draft_ms, step_ms, most):
    tokens, each_ms = sum(acceptance**n for n in range(drafts + 1)), draft_ms(1)
    return before_the_first_loss(
        lambda b: tokens * step_ms(b), lambda b: step_ms(b * (drafts + 1)) + drafts * each_ms, most
    )


def from_the_top(acceptance, drafts, draft_ms, step_ms, most):
    tokens = list(itertools.accumulate([acceptance**n for n in range(drafts + 1)]))[-1]
    for batch in range(most, 0, -1):
        if tokens * step_ms(batch) > step_ms((drafts + 1) * batch) + drafts * draft_ms(batch):
            return batch
    return 0


def while_it_pays(acceptance, drafts, draft_ms, step_ms, most):
    batch, tokens = 0, sum(acceptance**n for n in range(drafts + 1))
    while batch < most:
        spent_ms = step_ms((batch + 1) * (drafts + 1)) + drafts * draft_ms(batch + 1)
        if not tokens * step_ms(batch + 1) > spent_ms:
            break
        batch += 1
    return batch


def with_the_library_of_drafts(acceptance, drafts, draft_ms, step_ms, most):
    def gain(batch):
        plain = step_ms(batch)
        verify = step_ms(batch * (drafts + 1)) / plain
        draft = draft_ms(batch) / plain
        return speculation_speedup(acceptance, drafts, draft, verification_cost=verify)

    return next((b - 1 for b in range(1, most + 1) if gain(b) <= 1), most)


PROOFS = {
    "layouts.step": Proof(
        mistakes={
            "once a layer": (once_a_layer, "one-a-layer"),
            "the message as it is": (message_as_it_is, "whole-message"),
            "the floor once": (floor_of_the_step, "floor-once"),
            "even when alone": (even_when_alone, "one-card-exchanges"),
            "overlapped": (overlapped, "hidden"),
            "reading not divided": (nothing_divided, "reading-not-divided"),
            "nor one card apart": (nothing_divided_even_alone, "never-divided"),
            "whole vectors": (whole_vectors, "parts-not-divided"),
        },
        alternatives={"in a loop": in_two_halves, "the library": with_the_library},
    ),
    "layouts.busiest": Proof(
        mistakes={
            "every pick": (counts_every_pick, "every-pick"),
            "without idle cards": (without_idle_cards, "mean-of-busy-cards"),
            "round robin": (round_robin, "dealt-in-turn"),
            "experts to read": (experts_to_read, "by-experts"),
        },
        alternatives={"arrays": with_arrays, "card by card": card_by_card},
    ),
    "layouts.apart": Proof(
        mistakes={
            "my prompt too": (my_prompt_too, "counts-itself"),
            "every token waits": (every_token_waits, "at-every-token"),
            "the place": (first_place, "place-in-the-list"),
            "steps alone": (steps_alone, "no-prompts"),
            "zero for never": (zero_for_never, "zero-if-never"),
        },
        alternatives={
            "the first true": with_the_first_true,
            "over the whole answer": by_the_whole_answer,
        },
    ),
    "layouts.pools": Proof(
        mistakes={
            "as the rates are": (as_the_rates_are, "in-proportion-to-rates"),
            "to the nearest": (to_the_nearest, "rounded"),
            "half": (half_and_half, "half"),
            "the rate": (the_rate, "rate"),
        },
        alternatives={"one by one": one_by_one, "argmax": with_argmax},
        equivalent={
            f"return max(range(1, copies), key=carried) => return max({mutant}, key=carried)": (
                "a side without a copy carries nothing"
            )
            for mutant in ("range(1, copies + 1)", "range(0, copies)")
        },
    ),
    "layouts.bubble": Proof(
        mistakes={
            "the formula of equal chunks": (by_the_formula, "by-count"),
            "all stages wait": (all_stages_wait, "one-stage-too-many"),
            "the mean pace": (at_the_mean_pace, "by-count"),
            "of the work": (of_the_work, "over-the-work"),
        },
        alternatives={"played through": played_through},
    ),
    "layouts.drafts": Proof(
        mistakes={
            "free verification": (free_verification, "verifying-is-free"),
            "without its own token": (without_the_targets_own, "forgets-its-own-token"),
            "a single draft step": (a_single_draft_step, "drafted-once"),
            "drafts alone": (verifies_drafts_alone, "drafts-only-rows"),
            "a frozen draft": (a_frozen_draft, "drafted-for-one"),
            "from the top": (from_the_top, "last-that-pays"),
        },
        alternatives={
            "while it pays": while_it_pays,
            "the library": with_the_library_of_drafts,
        },
        equivalent={
            f"for batch in range(1, most + 1): => for batch in range(1, {end}):": (
                "a first loss at the batch behind the last returns the last, as all gains do"
            )
            for end in ("most + 2", "most + 1 + 1")
        },
    ),
}
