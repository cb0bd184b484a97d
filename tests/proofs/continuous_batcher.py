"""Proofs of lab 4: mistakes that learners make, and right answers of other styles."""

from labutils.exercises.definition.verdict import Status
from labutils.own_engine.slips import slip
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
            # Findings: it passed, and then six ran on four places when ends came late.
            "counts decodes and prefills, not ends": (
                slip(
                    "len(self.running) <",
                    "len([one for one in self.running if one.to_compute >= 1]) <",
                ),
                "ended-requests-forgotten",
            ),
            "counts decodes alone": (
                slip(
                    "len(self.running) <",
                    "sum(one.to_compute == 1 for one in self.running) <",
                ),
                Status.wrong,
            ),
            "pages that the budget fills": (
                slip(
                    "self.pool.fits(request)",
                    "self.pool.num_free * self.pool.page_tokens >= self.token_budget",
                ),
                Status.wrong,
            ),
            "memory of what it has not found": (
                slip(
                    "self.pool.fits(request)",
                    "self.pool.pages_for(request.known) <= self.pool.num_free",
                ),
                Status.wrong,
            ),
            "places alone": (slip(" and self.pool.fits(request)", ""), "no-memory"),
            "its own places and pages, whatever `admits` says": (
                slip(
                    "return self.admits(request)",
                    "return self.max_sequences > len(self.running) and self.pool.fits(request)",
                ),
                "never-asks-admits",
            ),
            "pops the queue": (
                slip(
                    "    return self.admits(request)",
                    "    if not self.admits(request):\n        return False\n"
                    "    self.waiting.popleft()\n    return True",
                ),
                "takes-it-out",
            ),
            "asks by acting": (
                slip(
                    "and self.pool.fits(request)",
                    "and self.pool.fits(request) and not self.pool.start(request)",
                ),
                "asks-by-acting",
            ),
        },
        alternatives={"one condition": ADMIT_IN_ONE_LINE},
    ),
    "scheduler.prefill": Proof(
        mistakes={
            "starts one": (slip("while self.waiting and", "if self.waiting and"), "one-newcomer"),
            "takes the last": (
                slip("self.waiting[0], plan", "self.waiting[-1], plan", "popleft()", "pop()"),
                "newest-first",
            ),
            "computes without memory": (
                slip("    self.pool.start(request)\n    ", ""),
                "no-memory",
            ),
            "takes it out before it asks": (
                slip(
                    "    while self.waiting and self._may_start(self.waiting[0], plan, left):\n"
                    "        request = self.waiting.popleft()\n",
                    "    while self.waiting:\n"
                    "        request = self.waiting.popleft()\n"
                    "        if not self._may_start(request, plan, left):\n"
                    "            return\n",
                ),
                "lost",
            ),
        },
        alternatives={"a loop with a break": PREFILL_WITH_A_BREAK},
        equivalent={
            f"{GOES_ON.format('> 0')} => {GOES_ON.format('>= 0')}": A_TOKEN_EACH,
            f"{GOES_ON.format('> 0')} => {GOES_ON.format('> -1')}": A_TOKEN_EACH,
        },
    ),
    "scheduler.preempt": Proof(
        mistakes={
            "behind the others": (slip("newest, first=True", "newest, first=False"), "to-the-back"),
            "keeps its pages": (slip("self.pool.release(newest)", "pass"), "keeps-its-pages"),
            "the newest, ended or not": (
                slip("if one.to_compute)", "if one.computed >= 0)"),
                "preempts-what-has-ended",
            ),
            "takes the first out of the list": (
                slip(
                    "next(one for one in reversed(self.running) if one.to_compute)",
                    "self.running.pop(0)",
                    "    self.running.remove(newest)\n",
                    "",
                ),
                "oldest-even-if-ended",
            ),
            "returns nothing": (slip("    return newest\n", ""), "returns-no-request"),
            "copies the list of those that run": (
                slip("self.running.remove(newest)", "list(self.running).remove(newest)"),
                "still-runs",
            ),
        },
        alternatives={"by index": PREEMPT_BY_INDEX},
    ),
    "scheduler.decode": Proof(
        mistakes={
            "without memory": (
                slip("    for request in growing:\n        self.pool.grow(request)\n", ""),
                "no-page-for-the-token",
            ),
            "hopes": (
                slip("while len(growing) > self.pool.num_free:", "while len(growing) > 99:"),
                "nobody-gives-way",
            ),
            "chunks first, then preempts": (
                slip(
                    "    plan.chunks.extend([(request, 1) for request in decoding])\n",
                    "",
                    "if one.to_compute == 1]\n",
                    "if one.to_compute == 1]\n"
                    "    plan.chunks.extend([(request, 1) for request in decoding])\n",
                ),
                "preempted-and-planned",
            ),
            "does not ask who went": (
                slip(
                    "newest = self._preempt(plan)",
                    "self._preempt(plan)",
                    "        decoding = [one for one in decoding if one is not newest]\n",
                    "",
                    "        growing = [one for one in growing if one is not newest]\n",
                    "",
                ),
                "ignores-who-went",
            ),
            "a page ahead": (
                slip("one.known > one.room", "one.known >= one.room"),
                "a-page-too-soon",
            ),
            # A finding: it passed, and evicted shared pages that others came back for.
            "makes room for each": (DECODE_ROOM_FOR_EACH, "grows-as-it-goes"),
        },
        alternatives={"looks again": DECODE_ANEW},
    ),
    "scheduler.schedule": Proof(
        mistakes={
            "the other way round": (
                slip("if self.chunked:", "if not self.chunked:"),
                "policies-exchanged",
            ),
            "asks for chunks alone": (
                slip("if plan.chunks or plan.preempted else", "if len(plan.chunks) > 0 else"),
                "chunks-alone-count",
            ),
            "both always": (slip("if self.chunked:", "if now_s >= 0:"), "always-mixes"),
            "by the clock on the wall": (
                slip(
                    "plan = Plan([], [])",
                    "from time import monotonic\n\n    now_s, plan = monotonic(), Plan([], [])",
                ),
                Status.wrong,
            ),
        },
        alternatives={"a list of halves": SCHEDULE_BY_LIST},
    ),
    "scheduler.commit": Proof(
        mistakes={
            "counts answers by prompts": (
                slip("if before + new == known:", "if before + new >= request.prompt_tokens:"),
                "any-chunk-behind-the-prompt",
            ),
            "publishes nothing": (
                slip("self.pool.publish(request, new)", "pass"),
                "never-published",
            ),
        },
        alternatives={"in place": COMMIT_IN_PLACE},
        equivalent={
            f"{IF_PROMPT.format('<')}; {PUBLISH} => {PUBLISH}": BY_KEYS,
            f"{IF_PROMPT.format('<')} => {IF_PROMPT.format('<=')}": BY_KEYS,
        },
    ),
    "scheduler.finish": Proof(
        mistakes={
            "never gives back": (slip("self.pool.release(request)", "pass"), "leak"),
            "takes the head of the queue": (
                slip("self.waiting.remove(request)", "del self.waiting[0]"),
                "the-head-goes",
            ),
            "takes those who run alone": (
                slip("self.waiting.remove(request)", "return"),
                "waits-after-its-end",
            ),
            "forgets what it knew": (
                slip("self.pool.release(request)", "self.pool.release(request); request.known = 0"),
                Status.wrong,
            ),
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
