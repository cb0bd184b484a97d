"""Proofs of lab 4: mistakes that learners make, and right answers of other styles."""

from tests.proofs.by_patches import by_patches
from tests.proofs.proof import Proof

# --- the scheduler, in other words --------------------------------------------------------------

ADMIT_IN_ONE_LINE = '''
class Admitting:
    def _may_start(self, request, plan, left):
        """One condition."""
        whole = self.chunked or not plan.chunks or request.known <= left
        return bool(not plan.preempted and left > 0 and whole and self.admits(request))

    def admits(self, request):
        """Counts what is free."""
        return self.max_sequences - len(self.running) >= 1 and self.pool.fits(request)
'''

PREFILL_WITH_A_BREAK = '''
def _prefill(self, plan):
    """The budget goes down chunk by chunk."""
    left = self.token_budget - sum(new for _, new in plan.chunks)
    for request in self.running:
        if request.to_compute > 1 and left > 0:
            new = min(left, request.to_compute)
            plan.chunks.append((request, new))
            left -= new
    while True:
        if not self.waiting or not self._may_start(self.waiting[0], plan, left):
            break
        head = self.waiting.popleft()
        self.running.append(head)
        self.pool.start(head)
        new = head.to_compute
        if self.chunked and new > left:
            new = left
        plan.chunks.append((head, new))
        left -= new
'''

PREEMPT_BY_INDEX = '''
def _preempt(self, plan):
    """Goes through the running ones with their places."""
    at = max(k for k, one in enumerate(self.running) if one.to_compute > 0)
    request = self.running.pop(at)
    plan.preempted.append(request)
    self.pool.release(request)
    request.preemptions += 1
    self.wait(request, first=True)
    return request
'''

DECODE_ANEW = '''
def _decode(self, plan):
    """Looks at those who run again after each preemption."""
    while True:
        decoding = [one for one in self.running if one.to_compute == 1]
        growing = [one for one in decoding if one.computed == one.room]
        if len(growing) <= self.pool.num_free:
            break
        self._preempt(plan)
    for request in reversed(growing):
        self.pool.grow(request)
    for request in decoding:
        plan.chunks.append((request, 1))
'''

DECODE_ROOM_FOR_EACH = """
def _decode(self, plan):
    for r in list(self.running):
        if r in plan.preempted or r.to_compute != 1:
            continue
        if r.known > r.room:
            while not self.pool.num_free:
                v = self._preempt(plan)
                if v is r:
                    break
            else:
                self.pool.grow(r)
    plan.chunks.extend([(r, 1) for r in self.running if r.to_compute == 1])
"""

SCHEDULE_BY_LIST = '''
def schedule(self, now_s):
    """A list of halves."""
    plan = Plan([], [])
    for half in [self._decode, self._prefill] if self.chunked else [self._prefill]:
        half(plan)
    if not (self.chunked or plan.chunks):
        self._decode(plan)
    if plan == ([], []):
        return None
    return plan
'''

COMMIT_IN_PLACE = '''
def commit(self, plan):
    """Publishes always: the pool looks at keys alone."""
    for request, new in plan.chunks:
        request.computed += new
        self.pool.publish(request, new)
        request.known += request.computed == request.known
'''

FINISH_BY_THE_QUEUE = '''
def finish(self, request):
    """Asks the queue."""
    if request in self.waiting:
        self.waiting.remove(request)
        return
    self.pool.release(request)
    self.running = [one for one in self.running if one is not request]
'''

# --- the bug from the field ---------------------------------------------------------------------


def by_the_answer(prompt_tokens, answer_tokens, computed, tokens_left):
    if answer_tokens == 0:
        return min(prompt_tokens - computed, tokens_left)
    return 1


def reads_the_prompt_again(prompt_tokens, answer_tokens, computed, tokens_left):
    missing = prompt_tokens - computed
    return min(missing, tokens_left) if missing > 0 else 1


def whatever_is_missing(prompt_tokens, answer_tokens, computed, tokens_left):
    return prompt_tokens + answer_tokens - computed


def one_token_at_least(prompt_tokens, answer_tokens, computed, tokens_left):
    missing = prompt_tokens + answer_tokens - computed
    return min(missing, max(tokens_left, 1))


def with_a_condition(prompt_tokens, answer_tokens, computed, tokens_left):
    missing = prompt_tokens + answer_tokens - computed
    return missing if missing < tokens_left else tokens_left


GOES_ON = "if request.to_compute > 1 and left {}:"
A_TOKEN_EACH = "the budget holds a token for each place, so a request that prefills has some left"
IF_PROMPT = "if before {} request.prompt_tokens:"
PUBLISH = "self.pool.publish(request, new)"
BY_KEYS = "only pages of a prompt have keys: the condition saves time alone"

PROOFS = {
    "scheduler.admit": Proof(
        mistakes={
            **by_patches("""
# Findings: it passed, and then six ran on four places when ends came late.
counts decodes and prefills, not ends: ended-requests-forgotten
- len(self.running)
+ len([one for one in self.running if one.to_compute >= 1])
counts decodes alone: wrong
- len(self.running)
+ sum(one.to_compute == 1 for one in self.running)
pages that the budget fills: wrong
- self.pool.fits(request)
+ self.pool.num_free * self.pool.page_tokens >= self.token_budget
memory of what it has not found: wrong
- self.pool.fits(request)
+ self.pool.pages_for(request.known) <= self.pool.num_free
places alone: no-memory
- return len(self.running) < self.max_sequences and self.pool.fits(request)
+ return len(self.running) < self.max_sequences
its own places and pages, whatever `admits` says: never-asks-admits
- return self.admits(request)
+ return self.max_sequences > len(self.running) and self.pool.fits(request)
pops the queue: takes-it-out
- return self.admits(request)
+ if not self.admits(request):
+     return False
+ self.waiting.popleft()
+ return True
asks by acting: asks-by-acting
- self.pool.fits(request)
+ self.pool.fits(request) and not self.pool.start(request)
"""),
        },
        alternatives={"one condition": ADMIT_IN_ONE_LINE},
    ),
    "scheduler.prefill": Proof(
        mistakes={
            **by_patches("""
starts one: one-newcomer
- while self.waiting and self._may_start(self.waiting[0], plan, left):
+ if self.waiting and self._may_start(self.waiting[0], plan, left):
takes the last: newest-first
- while self.waiting and self._may_start(self.waiting[0], plan, left):
-     request = self.waiting.popleft()
+ while self.waiting and self._may_start(self.waiting[-1], plan, left):
+     request = self.waiting.pop()
computes without memory: no-memory
- self.pool.start(request)
takes it out before it asks: lost
- while self.waiting and self._may_start(self.waiting[0], plan, left):
+ while self.waiting:
= request = self.waiting.popleft()
+ if not self._may_start(request, plan, left):
+     return
"""),
        },
        alternatives={"a loop with a break": PREFILL_WITH_A_BREAK},
        equivalent={
            f"{GOES_ON.format('> 0')} => {GOES_ON.format('>= 0')}": A_TOKEN_EACH,
            f"{GOES_ON.format('> 0')} => {GOES_ON.format('> -1')}": A_TOKEN_EACH,
        },
    ),
    "scheduler.preempt": Proof(
        mistakes={
            **by_patches("""
behind the others: to-the-back
- self.wait(newest, first=True)
+ self.wait(newest, first=False)
keeps its pages: keeps-its-pages
- self.pool.release(newest)
+ pass
the newest, ended or not: preempts-what-has-ended
- newest = next(one for one in reversed(self.running) if one.to_compute)
+ newest = next(one for one in reversed(self.running) if one.computed >= 0)
takes the first out of the list: oldest-even-if-ended
- newest = next(one for one in reversed(self.running) if one.to_compute)
- self.running.remove(newest)
+ newest = self.running.pop(0)
returns nothing: returns-no-request
- return newest
copies the list of those that run: still-runs
- self.running.remove(newest)
+ list(self.running).remove(newest)
"""),
        },
        alternatives={"by index": PREEMPT_BY_INDEX},
    ),
    "scheduler.decode": Proof(
        mistakes={
            **by_patches("""
without memory: no-page-for-the-token
- for request in growing:
-     self.pool.grow(request)
hopes: nobody-gives-way
- while len(growing) > self.pool.num_free:
+ while len(growing) > 99:
chunks first, then preempts: preempted-and-planned
= decoding = [one for one in self.running if one.to_compute == 1]
+ plan.chunks.extend([(request, 1) for request in decoding])
=     self.pool.grow(request)
- plan.chunks.extend([(request, 1) for request in decoding])
does not ask who went: ignores-who-went
- newest = self._preempt(plan)
- decoding = [one for one in decoding if one is not newest]
- growing = [one for one in growing if one is not newest]
+ self._preempt(plan)
a page ahead: a-page-too-soon
- growing = [one for one in decoding if one.known > one.room]
+ growing = [one for one in decoding if one.known >= one.room]
"""),
            # A finding: it passed, and evicted shared pages that others came back for.
            "makes room for each": (DECODE_ROOM_FOR_EACH, "grows-as-it-goes"),
        },
        alternatives={"looks again": DECODE_ANEW},
    ),
    "scheduler.schedule": Proof(
        mistakes={
            **by_patches("""
the other way round: policies-exchanged
- if self.chunked:
+ if not self.chunked:
asks for chunks alone: chunks-alone-count
- return plan if plan.chunks or plan.preempted else None
+ return plan if len(plan.chunks) > 0 else None
both always: always-mixes
- if self.chunked:
+ if now_s >= 0:
by the clock on the wall: wrong
- plan = Plan([], [])
+ from time import monotonic
+
+ now_s, plan = monotonic(), Plan([], [])
"""),
        },
        alternatives={"a list of halves": SCHEDULE_BY_LIST},
    ),
    "scheduler.commit": Proof(
        mistakes={
            **by_patches("""
counts answers by prompts: any-chunk-behind-the-prompt
- if before + new == known:
+ if before + new >= request.prompt_tokens:
publishes nothing: never-published
- self.pool.publish(request, new)
+ pass
"""),
        },
        alternatives={"in place": COMMIT_IN_PLACE},
        equivalent={
            f"{IF_PROMPT.format('<')}; {PUBLISH} => {PUBLISH}": BY_KEYS,
            f"{IF_PROMPT.format('<')} => {IF_PROMPT.format('<=')}": BY_KEYS,
        },
    ),
    "scheduler.finish": Proof(
        mistakes={
            **by_patches("""
never gives back: leak
- self.pool.release(request)
+ pass
takes the head of the queue: the-head-goes
- self.waiting.remove(request)
+ del self.waiting[0]
takes those who run alone: waits-after-its-end
- self.waiting.remove(request)
+ return
forgets what it knew: wrong
- self.pool.release(request)
+ self.pool.release(request); request.known = 0
"""),
        },
        alternatives={"by the queue": FINISH_BY_THE_QUEUE},
    ),
    "engine.phase": Proof(
        mistakes={
            "by the answer": (by_the_answer, "as-shipped"),
            "reads the prompt again": (reads_the_prompt_again, "prompt-alone"),
            "one token at least": (one_token_at_least, "one-at-least"),
            "whatever is missing": (whatever_is_missing, "no-budget"),
        },
        alternatives={"with a condition": with_a_condition},
    ),
}
