"""Proofs of lab 4: mistakes that learners make, and right answers of other styles."""

import itertools

import numpy as np

from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

# --- the four methods of the scheduler ----------------------------------------------------------


def walking(by_rule=False, **methods):
    """The workbook's scheduler with other methods, walked like a learner's."""

    def scheduler(seats, budget, pages, chunked, rule):
        from labutils.exercises import assembled
        from labutils.serving import BlockManager, Continuous

        limits = {"token_budget": budget, "chunked": chunked, "admission": rule}
        return assembled(Continuous, **methods)(seats, BlockManager(pages, 2), **limits)

    def walk_five(requests, seats, budget, pages, chunked):
        from labutils.serving.walk import walk

        return walk(scheduler(seats, budget, pages, chunked, None), requests)

    def walk_six(requests, seats, budget, pages, chunked, by_rule):
        from labutils.serving.walk import a_page_to_spare, walk

        rule = a_page_to_spare if by_rule else None
        return walk(scheduler(seats, budget, pages, chunked, rule), requests)

    return walk_six if by_rule else walk_five


def asked_one_by_one(self, sequence, step):
    refusals = (
        bool(step.preempted),
        step.tokens_left < 1,
        not self._in_budget(sequence, step),
    )
    if any(refusals):
        return False
    if self.admission is None:
        return self.max_sequences - len(self.running) >= 1 and self.memory.fits(sequence)
    return self.admission(self._view(sequence, step))


def counts_those_who_write(self, sequence, step):
    if step.preempted or step.tokens_left <= 0 or not self._in_budget(sequence, step):
        return False
    if self.admission is not None:
        return self.admission(self._view(sequence, step))
    return len(self.running.decoding) < self.max_sequences and self.memory.fits(sequence)


def places_alone(self, sequence, step):
    if step.tokens_left <= 0 or not self._in_budget(sequence, step):
        return False
    if self.admission is not None:
        return self.admission(self._view(sequence, step))
    return len(self.running) < self.max_sequences


def deaf_to_the_owner(self, sequence, step):
    if step.preempted or step.tokens_left <= 0 or not self._in_budget(sequence, step):
        return False
    return len(self.running) < self.max_sequences and self.memory.fits(sequence)


def with_walrus_and_break(self, step):
    for sequence in tuple(self.running.prefilling):
        if n := min(step.tokens_left, sequence.to_compute):
            step.prefill(sequence, n)
    while True:
        if not self.waiting or not self._may_start(self.waiting[0], step):
            break
        head = self.waiting.popleft()
        self.running.start(head)
        n = head.to_compute
        step.start(head, min(n, step.tokens_left) if self.chunked else n)


def starts_one(self, step):
    for sequence in self.running.prefilling:
        step.prefill(sequence, min(sequence.to_compute, step.tokens_left))
    if self.waiting and self._may_start(self.waiting[0], step):
        sequence = self.waiting.popleft()
        self.running.start(sequence)
        most = step.tokens_left if self.chunked else sequence.to_compute
        step.start(sequence, min(sequence.to_compute, most))


def takes_the_last(self, step):
    for sequence in self.running.prefilling:
        step.prefill(sequence, min(sequence.to_compute, step.tokens_left))
    while self.waiting and self._may_start(self.waiting[-1], step):
        sequence = self.waiting.pop()
        self.running.start(sequence)
        most = step.tokens_left if self.chunked else sequence.to_compute
        step.start(sequence, min(sequence.to_compute, most))


def whole_prompts(self, step):
    for sequence in self.running.prefilling:
        step.prefill(sequence, min(sequence.to_compute, step.tokens_left))
    while self.waiting and self._may_start(self.waiting[0], step):
        sequence = self.waiting.popleft()
        self.running.start(sequence)
        step.start(sequence, sequence.to_compute)


def in_two_loops(self, step):
    group, victims = self.running.decoding, []
    while self.memory.is_short(group):
        victims.append(self.running.preempt_newest())
    self.waiting.extendleft(victims)
    step.preempted.extend(one.id for one in victims)
    self.memory.grow(group, 0, 1)
    step.decode(group)


def behind_the_others(self, step):
    group = self.running.decoding
    while self.memory.is_short(group):
        sequence = self.running.preempt_newest()
        self.waiting.append(sequence)
        step.preempted.append(sequence.id)
    self.memory.grow(group, 0, 1)
    step.decode(group)


def without_memory(self, step):
    group = self.running.decoding
    while self.memory.is_short(group):
        sequence = self.running.preempt_newest()
        self.waiting.appendleft(sequence)
        step.preempted.append(sequence.id)
    step.decode(group)


def hopes(self, step):
    self.memory.grow(self.running.decoding, 0, 1)
    step.decode(self.running.decoding)


def drafted(order):
    def schedule(self, now_s):
        from labutils.serving.step_draft import StepDraft

        step = StepDraft(self.token_budget)
        order(self, step)
        return step.plan()

    return schedule


def by_list(self, step):
    halves = [self._decode, self._prefill] if self.chunked else [self._prefill]
    for half in halves:
        half(step)
    if not self.chunked and not step.has_prompts:
        self._decode(step)


def prompts_first(self, step):
    self._prefill(step)
    if not step.has_prompts:
        self._decode(step)


def both_always(self, step):
    self._decode(step)
    self._prefill(step)


# --- engine.take --------------------------------------------------------------------------------


def handing(take):
    def take_all(tokens, most, stop):
        from labutils.exercises import assembled
        from labutils.serving.open_request import OpenRequest
        from labutils.serving.walk import hand_out

        return hand_out(assembled(OpenRequest, take=take), tokens, most, stop)

    return take_all


def in_two_questions(self, token, now_s):
    self.tokens += [token]
    self.times_s += [now_s]
    stops = self.stop(self.answer_tokens) if callable(self.stop) else token in self.stop
    if stops:
        return "stop"
    if len(self.answer_tokens) == self.request.max_output_tokens:
        return "length"


def asks_the_length_first(self, token, now_s):
    self.tokens.append(token)
    self.times_s.append(now_s)
    if len(self.times_s) >= self.request.max_output_tokens:
        return "length"
    stops = self.stop(self.answer_tokens) if callable(self.stop) else token in self.stop
    return "stop" if stops else None


def counts_before(self, token, now_s):
    full = len(self.times_s) >= self.request.max_output_tokens
    self.tokens.append(token)
    self.times_s.append(now_s)
    stops = self.stop(self.answer_tokens) if callable(self.stop) else token in self.stop
    return "stop" if stops else ("length" if full else None)


def knows_no_functions(self, token, now_s):
    self.tokens.append(token)
    self.times_s.append(now_s)
    if token in self.stop:
        return "stop"
    return "length" if len(self.times_s) >= self.request.max_output_tokens else None


# --- engine.cut ---------------------------------------------------------------------------------


def normalised(weights):
    rows = np.sort(np.array(weights, dtype=float), axis=-1)[:, ::-1]
    return rows / rows.sum(-1, keepdims=True)


def in_numpy(weights, top_k, top_p):
    kept = normalised(weights)
    kept[np.arange(kept.shape[1]) >= np.array(top_k)[:, None]] = 0
    kept /= kept.sum(-1, keepdims=True)
    gone = np.cumsum(kept, -1) - kept >= np.array(top_p)[:, None]
    return np.where(gone, 0, kept).tolist()


def in_a_loop(weights, top_k, top_p):
    cut = []
    for row, k, p in zip(normalised(weights).tolist(), top_k, top_p):
        kept = [share / sum(row[:k]) for share in row[:k]] + [0.0] * (len(row) - k)
        sums = [0.0, *itertools.accumulate(kept)]
        cut.append([share if before < p else 0.0 for share, before in zip(kept, sums)])
    return cut


def loses_the_last(weights, top_k, top_p):
    kept = normalised(weights)
    kept[np.arange(kept.shape[1]) >= np.array(top_k)[:, None]] = 0
    kept /= kept.sum(-1, keepdims=True)
    stays = np.cumsum(kept, -1) < np.array(top_p)[:, None]
    stays[:, 0] = True
    return np.where(stays, kept, 0).tolist()


def of_the_old_whole(weights, top_k, top_p):
    kept = normalised(weights)
    kept[np.arange(kept.shape[1]) >= np.array(top_k)[:, None]] = 0
    return np.where(np.cumsum(kept, -1) - kept < np.array(top_p)[:, None], kept, 0).tolist()


def normalises_at_the_end(weights, top_k, top_p):
    cut = np.array(in_numpy(weights, top_k, top_p))
    return (cut / cut.sum(-1, keepdims=True)).tolist()


# --- engine.phase -------------------------------------------------------------------------------


def by_the_answer(prompt_tokens, answer_tokens, computed, tokens_left):
    if answer_tokens == 0:
        return min(prompt_tokens - computed, tokens_left)
    return 1


def reads_the_prompt_again(prompt_tokens, answer_tokens, computed, tokens_left):
    missing = prompt_tokens - computed
    return min(missing, tokens_left) if missing > 0 else 1


def whatever_is_missing(prompt_tokens, answer_tokens, computed, tokens_left):
    return prompt_tokens + answer_tokens - computed


def with_a_condition(prompt_tokens, answer_tokens, computed, tokens_left):
    missing = prompt_tokens + answer_tokens - computed
    return missing if missing < tokens_left else tokens_left


KEPT = "return torch.where((before < top_p) | (ranks == 0), kept, 0.0)"
FIRST = "nothing comes before the first token, so it stays for every top_p above 0"
LAST = "rows and vocabulary: the last dimension is the second"

PROOFS = {
    "engine.may_start": Proof(
        mistakes={
            "counts those who write": (
                walking(True, _may_start=counts_those_who_write),
                Status.wrong,
            ),
            "places alone": (walking(True, _may_start=places_alone), "no-memory"),
            "deaf to the owner": (walking(True, _may_start=deaf_to_the_owner), "no-rule"),
        },
        alternatives={"one question each": walking(True, _may_start=asked_one_by_one)},
    ),
    "engine.prefill": Proof(
        mistakes={
            "starts one": (walking(_prefill=starts_one), "one-newcomer"),
            "takes the last": (walking(_prefill=takes_the_last), "newest-first"),
            "whole prompts": (walking(_prefill=whole_prompts), "never-cut"),
        },
        alternatives={"a loop with a break": walking(_prefill=with_walrus_and_break)},
        equivalent={
            "step.prefill(sequence, min(sequence.to_compute, step.tokens_left)) => "
            "step.prefill(sequence, min(sequence.to_compute, step.tokens_left)); break": "a prompt "
            "that is cut uses up the budget, so at most one is open",
        },
    ),
    "engine.decode": Proof(
        mistakes={
            "behind the others": (walking(_decode=behind_the_others), "to-the-back"),
            "without memory": (walking(_decode=without_memory), "no-room"),
            "hopes": (walking(_decode=hopes), "nobody-gives-way"),
        },
        alternatives={"victims first": walking(_decode=in_two_loops)},
        equivalent={
            "self.memory.grow(decoding, 0, 1) => self.memory.grow(decoding, -1, 1)": "whoever "
            "started a page in the step before has it, and nobody gets one twice",
        },
    ),
    "engine.schedule": Proof(
        mistakes={
            "prompts first": (walking(schedule=drafted(prompts_first)), "ignores-chunked"),
            "both always": (walking(schedule=drafted(both_always)), "always-mixes"),
        },
        alternatives={"a list of halves": walking(schedule=drafted(by_list))},
    ),
    "engine.take": Proof(
        mistakes={
            "asks the length first": (handing(asks_the_length_first), "length-first"),
            "counts before": (handing(counts_before), "one-too-many"),
            "knows no functions": (handing(knows_no_functions), Status.raised),
        },
        alternatives={"two questions": handing(in_two_questions)},
    ),
    "engine.cut": Proof(
        mistakes={
            "loses the last": (loses_the_last, "cuts-before-the-crossing"),
            "of the old whole": (of_the_old_whole, "no-second-sum"),
            "normalises at the end": (normalises_at_the_end, Status.wrong),
        },
        alternatives={"numpy": in_numpy, "a loop": in_a_loop},
        equivalent={
            f"{KEPT} => return torch.where(before < top_p, kept, 0.0)": FIRST,
            f"{KEPT} => return torch.where((ranks == 0) | (before < top_p), kept, 0.0)": "or is or",
            f"{KEPT} => return torch.where((before < top_p) | (ranks == -1), kept, 0.0)": FIRST,
            f"{KEPT} => return torch.where((before <= top_p) | (ranks == 0), kept, 0.0)": "no "
            "share that is drawn lands on top_p: to which side the edge belongs is not asked",
            "ranks = torch.arange(shares.shape[-1], device=shares.device) => "
            "ranks = torch.arange(shares.shape[1], device=shares.device)": LAST,
            "kept = kept / kept.sum(-1, keepdim=True) => "
            "kept = kept / kept.sum(1, keepdim=True)": LAST,
            "before = kept.cumsum(-1) - kept => before = kept.cumsum(1) - kept": LAST,
        },
    ),
    "engine.phase": Proof(
        mistakes={
            "by the answer": (by_the_answer, "as-shipped"),
            "reads the prompt again": (reads_the_prompt_again, "prompt-alone"),
            "whatever is missing": (whatever_is_missing, "no-budget"),
        },
        alternatives={"with a condition": with_a_condition},
    ),
}
