"""Trial answers to the exercises of lab 4."""

from tests.answers.answer import right, wrong

ADMIT = """
class Admitting(Scheduler):
    def _may_start(self, request, plan, left):
        if plan.preempted:
            return False
        if left <= 0:
            return False
        if not self.chunked and plan.chunks and request.to_compute > left:
            return False
        return self.admits(request)

    def admits(self, request):
        return len(self.running) < self.max_sequences and self.pool.fits(request)
"""
PREFILL = """
def _prefill(self, plan):
    left = self.token_budget - sum(new for _, new in plan.chunks)
    for request in self.running:
        if request.to_compute > 1 and left > 0:
            new = min(request.to_compute, left)
            plan.chunks.append((request, new))
            left -= new
    while self.waiting and self._may_start(self.waiting[0], plan, left):
        request = self.waiting.popleft()
        self.pool.start(request)
        self.running.append(request)
        new = min(request.to_compute, left) if self.chunked else request.to_compute
        plan.chunks.append((request, new))
        left -= new
"""
PREEMPT = """
def _preempt(self, plan):
    request = [one for one in self.running if one.to_compute > 0][-1]
    self.running.remove(request)
    self.pool.release(request)
    self.wait(request, first=True)
    plan.preempted.append(request)
    request.preemptions += 1
    return request
"""
DECODE = """
def _decode(self, plan):
    ready = [one for one in self.running if one.to_compute == 1]
    while sum(one.known > one.room for one in ready) > self.pool.num_free:
        gone = self._preempt(plan)
        if gone in ready:
            ready.remove(gone)
    for request in ready:
        if request.known > request.room:
            self.pool.grow(request)
        plan.chunks.append((request, 1))
"""
SCHEDULE = """
def schedule(self, now_s):
    plan = Plan([], [])
    if self.chunked:
        self._decode(plan)
        self._prefill(plan)
    else:
        self._prefill(plan)
        if not plan.chunks:
            self._decode(plan)
    if plan.chunks or plan.preempted:
        return plan
    return None
"""
COMMIT = """
def commit(self, plan):
    for request, new in plan.chunks:
        request.computed += new
        self.pool.publish(request, new)
        if request.computed == request.known:
            request.known += 1
"""
FINISH = """
def finish(self, request):
    if request in self.running:
        self.running.remove(request)
        self.pool.release(request)
    else:
        self.waiting.remove(request)
"""
CUT = """    for request in self.running:
        if request.to_compute > 1 and left > 0:
            new = min(request.to_compute, left)
            plan.chunks.append((request, new))
            left -= new
"""


def edited(source: str, *pairs: tuple[str, str]) -> str:
    """The source with pieces replaced."""
    for old, new in pairs:
        assert old in source, old
        source = source.replace(old, new)
    return source


def chunk(body: str) -> str:
    """The repaired function with this body."""
    return f"def next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):\n    {body}\n"


ANSWERS = [
    wrong(
        "scheduler.admit",
        "a prompt longer than the budget may not even come first",
        edited(ADMIT, ("not self.chunked and plan.chunks and", "not self.chunked and")),
        true=("too-long-for-ever",),
    ),
    wrong(
        "scheduler.admit",
        "the whole length asked of chunks as well",
        edited(ADMIT, ("not self.chunked and plan.chunks and", "plan.chunks and")),
        true=("whole-length-in-chunks",),
    ),
    wrong(
        "scheduler.admit",
        "starts in a step that preempted",
        edited(ADMIT, ("        if plan.preempted:\n            return False\n", "")),
        true=("back-in-the-same-step",),
    ),
    wrong(
        "scheduler.admit",
        "starts without budget",
        edited(ADMIT, ("        if left <= 0:\n            return False\n", "")),
        true=("no-budget", "budget-of-nothing"),
    ),
    wrong(
        "scheduler.admit",
        "one place too many",
        edited(ADMIT, ("len(self.running) < self", "len(self.running) <= self")),
        true=("one-place-too-many",),
    ),
    wrong(
        "scheduler.admit",
        "the length of the prompt, which forgets an answer that was preempted",
        edited(ADMIT, ("request.to_compute > left", "request.prompt_tokens > left")),
        true=("length-of-the-prompt",),
    ),
    wrong(
        "scheduler.admit",
        "a prompt that just fills the budget is refused",
        edited(ADMIT, ("request.to_compute > left", "request.to_compute >= left")),
        true=("just-too-strict",),
    ),
    wrong(
        "scheduler.admit",
        "any free page is memory enough",
        edited(ADMIT, ("self.pool.fits(request)", "self.pool.num_free > 0")),
        true=("any-page-will-do",),
    ),
    wrong(
        "scheduler.admit",
        "the first of a step starts without being admitted",
        edited(
            ADMIT,
            (
                "        return self.admits(request)",
                "        return not plan.chunks or self.admits(request)",
            ),
        ),
        true=("first-without-asking",),
    ),
    wrong(
        "scheduler.admit",
        "asks the pool itself and not the rule",
        edited(
            ADMIT,
            (
                "return self.admits(request)",
                "return len(self.running) < self.max_sequences and self.pool.fits(request)",
            ),
        ),
        true=("never-asks-admits",),
    ),
    wrong(
        "scheduler.admit",
        "the two policies exchanged",
        edited(ADMIT, ("if not self.chunked and", "if self.chunked and")),
        true=("policies-exchanged",),
    ),
    wrong(
        "scheduler.admit",
        "those that wait count as well",
        edited(ADMIT, ("len(self.running) <", "len(self.running) + len(self.waiting) <")),
    ),
    right(
        "scheduler.admit",
        "one expression",
        """
class Admitting(Scheduler):
    def _may_start(self, request, plan, left):
        enough = left > 0 and (self.chunked or not plan.chunks or request.known <= left)
        return bool(not plan.preempted and enough and self.admits(request))

    def admits(self, request):
        return all((self.max_sequences - len(self.running) > 0, self.pool.fits(request)))
""",
    ),
    right(
        "scheduler.admit",
        "the tokens that it needs, by cases",
        """
class Admitting(Scheduler):
    def _may_start(self, request, plan, left):
        if len(plan.preempted) > 0:
            return False
        first = len(plan.chunks) == 0
        needs = 1 if self.chunked or first else request.known - request.computed
        if left < needs:
            return False
        return self.admits(request)

    def admits(self, request):
        if len(self.running) >= self.max_sequences:
            return False
        return self.pool.fits(request)
""",
    ),
    wrong(
        "scheduler.prefill",
        "the decodes' tokens are not taken off the budget",
        edited(PREFILL, (" - sum(new for _, new in plan.chunks)", "")),
        true=("decodes-are-free",),
    ),
    wrong(
        "scheduler.prefill",
        "the prompt that was cut never goes on",
        edited(PREFILL, (CUT, "")),
        true=("forgets-the-cut-prompt",),
    ),
    wrong(
        "scheduler.prefill",
        "starts one request in a step",
        edited(PREFILL, ("while self.waiting", "if self.waiting")),
        true=("one-newcomer",),
    ),
    wrong(
        "scheduler.prefill",
        "cuts prompts also where they go in whole",
        edited(PREFILL, (" if self.chunked else request.to_compute", "")),
        true=("always-cut",),
    ),
    wrong(
        "scheduler.prefill",
        "what starts does not spend budget",
        edited(
            PREFILL,
            (
                "        plan.chunks.append((request, new))\n        left -= new\n",
                "        plan.chunks.append((request, new))\n",
            ),
            ("            plan.chunks.append((request, new))\n", "@"),
            ("@", "            plan.chunks.append((request, new))\n            left -= new\n"),
        ),
    ),
    wrong(
        "scheduler.prefill",
        "a running request that decodes gets its token here too",
        edited(PREFILL, ("request.to_compute > 1", "request.to_compute > 0")),
        true=("decodes-again",),
    ),
    wrong(
        "scheduler.prefill",
        "the head of the queue before the prompt that was cut",
        """
def _prefill(self, plan):
    left = self.token_budget - sum(new for _, new in plan.chunks)
    cut = [one for one in self.running if one.to_compute > 1]
    while self.waiting and self._may_start(self.waiting[0], plan, left):
        request = self.waiting.popleft()
        self.pool.start(request)
        self.running.append(request)
        new = min(request.to_compute, left) if self.chunked else request.to_compute
        plan.chunks.append((request, new))
        left -= new
    for request in cut:
        if left > 0:
            new = min(request.to_compute, left)
            plan.chunks.append((request, new))
            left -= new
""",
        true=("queue-first",),
    ),
    wrong(
        "scheduler.prefill",
        "counts what is to compute before the pool has found some of it",
        edited(
            PREFILL,
            ("        self.pool.start(request)\n", ""),
            (
                "else request.to_compute\n        plan",
                "else request.to_compute\n        self.pool.start(request)\n        plan",
            ),
        ),
        true=("counts-before-it-starts",),
    ),
    wrong(
        "scheduler.prefill",
        "no memory taken",
        edited(PREFILL, ("        self.pool.start(request)\n", "")),
        true=("no-memory",),
    ),
    wrong(
        "scheduler.prefill",
        "takes its place in no list of those that run",
        edited(PREFILL, ("        self.running.append(request)\n", "")),
        true=("never-runs",),
    ),
    wrong(
        "scheduler.prefill",
        "lets later requests pass a head that may not start",
        """
def _prefill(self, plan):
    left = self.token_budget - sum(new for _, new in plan.chunks)
    for request in self.running:
        if request.to_compute > 1 and left > 0:
            new = min(request.to_compute, left)
            plan.chunks.append((request, new))
            left -= new
    for request in list(self.waiting):
        if self._may_start(request, plan, left):
            self.waiting.remove(request)
            self.pool.start(request)
            self.running.append(request)
            new = min(request.to_compute, left) if self.chunked else request.to_compute
            plan.chunks.append((request, new))
            left -= new
""",
        true=("overtaken",),
    ),
    wrong(
        "scheduler.prefill",
        "the prompt alone, without the answer that was preempted",
        edited(
            PREFILL,
            (
                "min(request.to_compute, left) if self.chunked else request.to_compute",
                "request.prompt_tokens - request.computed\n"
                "        new = min(new, left) if self.chunked else new",
            ),
        ),
    ),
    wrong(
        "scheduler.prefill",
        "the newest of the queue starts",
        edited(PREFILL, ("self.waiting[0]", "self.waiting[-1]"), ("popleft()", "pop()")),
        true=("newest-first",),
    ),
    right(
        "scheduler.prefill",
        "one list of candidates, made as it goes",
        """
def _prefill(self, plan):
    def candidates():
        yield from [one for one in self.running if one.to_compute > 1]
        while self.waiting and self._may_start(self.waiting[0], plan, left()):
            request = self.waiting.popleft()
            self.running.append(request)
            self.pool.start(request)
            yield request

    def left():
        return self.token_budget - sum(new for _, new in plan.chunks)

    for request in candidates():
        new = request.known - request.computed
        new = min(new, left()) if self.chunked else new
        if new > 0:
            plan.chunks.append((request, new))
""",
    ),
    right(
        "scheduler.prefill",
        "only the newest can have been cut",
        """
def _prefill(self, plan):
    left = self.token_budget
    for _, new in plan.chunks:
        left -= new
    if self.running and self.running[-1].to_compute > 1 and left > 0:
        cut = self.running[-1]
        plan.chunks.append((cut, min(left, cut.to_compute)))
        left -= plan.chunks[-1][1]
    while len(self.waiting) > 0:
        head = self.waiting[0]
        if not self._may_start(head, plan, left):
            break
        self.pool.start(head)
        self.waiting.popleft()
        self.running.append(head)
        new = head.to_compute
        if self.chunked and new > left:
            new = left
        plan.chunks.append((head, new))
        left -= new
""",
    ),
    wrong(
        "scheduler.preempt",
        "the newest, though it may have nothing left to compute",
        edited(
            PREEMPT,
            ("[one for one in self.running if one.to_compute > 0][-1]", "self.running[-1]"),
        ),
        true=("preempts-what-has-ended",),
    ),
    wrong(
        "scheduler.preempt",
        "waits behind all others",
        edited(PREEMPT, (", first=True", "")),
        true=("to-the-back",),
    ),
    wrong(
        "scheduler.preempt",
        "the oldest gives way",
        edited(PREEMPT, ("[-1]", "[0]")),
        true=("oldest-gives-way",),
    ),
    wrong(
        "scheduler.preempt",
        "returns nothing",
        edited(PREEMPT, ("    return request\n", "")),
        true=("returns-no-request",),
    ),
    wrong(
        "scheduler.preempt",
        "keeps its pages",
        edited(PREEMPT, ("    self.pool.release(request)\n", "")),
        true=("keeps-its-pages",),
    ),
    wrong(
        "scheduler.preempt",
        "the plan does not note it",
        edited(PREEMPT, ("    plan.preempted.append(request)\n", "")),
        true=("silent",),
    ),
    wrong(
        "scheduler.preempt",
        "not counted in the request",
        edited(PREEMPT, ("    request.preemptions += 1\n", "")),
        true=("not-counted",),
    ),
    wrong(
        "scheduler.preempt",
        "put into the queue past wait",
        edited(PREEMPT, ("self.wait(request, first=True)", "self.waiting.appendleft(request)")),
        true=("past-the-policy",),
    ),
    wrong(
        "scheduler.preempt",
        "goes on running",
        edited(PREEMPT, ("    self.running.remove(request)\n", "")),
        true=("still-runs",),
    ),
    wrong(
        "scheduler.preempt",
        "only one that decodes gives way, if there is one",
        edited(
            PREEMPT,
            (
                "[one for one in self.running if one.to_compute > 0][-1]",
                "max(reversed(self.running), key=lambda one: one.to_compute == 1)",
            ),
        ),
        true=("decodes-go-first",),
    ),
    wrong(
        "scheduler.preempt",
        "the one with the most memory",
        edited(
            PREEMPT,
            (
                "[one for one in self.running if one.to_compute > 0][-1]",
                "max((r for r in self.running if r.to_compute), key=lambda r: r.room)",
            ),
        ),
        true=("most-memory-goes",),
    ),
    wrong(
        "scheduler.preempt",
        "forgets its answer as well",
        edited(
            PREEMPT,
            (
                "    request.preemptions += 1\n",
                "    request.preemptions += 1\n    request.known = request.prompt_tokens\n",
            ),
        ),
        true=("forgets-its-answer",),
    ),
    right(
        "scheduler.preempt",
        "by index from the end",
        """
def _preempt(self, plan):
    at = len(self.running) - 1
    while self.running[at].to_compute == 0:
        at -= 1
    request = self.running.pop(at)
    request.preemptions += 1
    self.pool.release(request)
    plan.preempted.append(request)
    self.wait(request, first=True)
    return request
""",
    ),
    right(
        "scheduler.preempt",
        "a generator, and the list of those that run made anew in place",
        """
def _preempt(self, plan):
    victim = next(filter(lambda one: one.to_compute, reversed(self.running)))
    self.running[:] = [one for one in self.running if one is not victim]
    self.pool.release(victim)
    victim.preemptions = victim.preemptions + 1
    plan.preempted.extend([victim])
    self.wait(victim, first=True)
    return victim
""",
    ),
    wrong(
        "scheduler.decode",
        "grows one after the other, and preempts in between",
        """
def _decode(self, plan):
    for request in list(self.running):
        if request.to_compute != 1 or request in plan.preempted:
            continue
        if request.known > request.room:
            while self.pool.num_free == 0 and request not in plan.preempted:
                self._preempt(plan)
            if request in plan.preempted:
                continue
            self.pool.grow(request)
        plan.chunks.append((request, 1))
""",
        true=("grows-as-it-goes",),
    ),
    wrong(
        "scheduler.decode",
        "what was preempted still decodes",
        edited(
            DECODE,
            (
                "sum(one.known > one.room for one in ready)",
                "sum(one.known > one.room and one in self.running for one in ready)",
            ),
            (
                "        gone = self._preempt(plan)\n        if gone in ready:\n"
                "            ready.remove(gone)\n",
                "        self._preempt(plan)\n",
            ),
            ("request.known > request.room:", "request.room and request.known > request.room:"),
        ),
        true=("preempted-and-planned",),
    ),
    wrong(
        "scheduler.decode",
        "a page while the last one still has a place",
        edited(
            DECODE,
            ("one.known > one.room", "one.known >= one.room"),
            ("request.known > request.room", "request.known >= request.room"),
        ),
        true=("a-page-too-soon",),
    ),
    wrong(
        "scheduler.decode",
        "prompts that were cut get a token as well",
        edited(DECODE, ("to_compute == 1", "to_compute >= 1")),
        true=("cut-prompts-decode",),
    ),
    wrong(
        "scheduler.decode",
        "preempts once where more must go",
        edited(DECODE, ("while sum(", "if sum(")).replace(
            "        if request.known > request.room:\n            self.pool.grow(request)\n",
            "        if request.known > request.room:\n            if not self.pool.num_free:\n"
            "                continue\n            self.pool.grow(request)\n",
        ),
    ),
    wrong(
        "scheduler.decode",
        "each preemption is taken for one page less to find",
        """
def _decode(self, plan):
    ready = [one for one in self.running if one.to_compute == 1]
    missing = sum(one.known > one.room for one in ready) - self.pool.num_free
    for _ in range(missing):
        gone = self._preempt(plan)
        if gone in ready:
            ready.remove(gone)
    for request in ready:
        if request.known > request.room:
            self.pool.grow(request)
        plan.chunks.append((request, 1))
""",
        true=("counts-the-missing-once",),
    ),
    wrong(
        "scheduler.decode",
        "answers that are full decode on",
        edited(DECODE, ("to_compute == 1", "to_compute <= 1")),
        true=("full-answers-decode",),
    ),
    wrong(
        "scheduler.decode",
        "keeps one page free",
        edited(
            DECODE,
            (
                "while sum(one.known > one.room for one in ready) > self.pool.num_free:",
                "while 0 < sum(one.known > one.room for one in ready) >= self.pool.num_free:",
            ),
        ),
        true=("keeps-one-page",),
    ),
    wrong(
        "scheduler.decode",
        "no page taken where the last is full",
        edited(
            DECODE,
            ("        if request.known > request.room:\n            self.pool.grow(request)\n", ""),
        ),
        true=("no-page-for-the-token",),
    ),
    wrong(
        "scheduler.decode",
        "a page for every token",
        edited(
            DECODE,
            (
                "        if request.known > request.room:\n            self.pool",
                "        self.pool",
            ),
        ),
    ),
    wrong(
        "scheduler.decode",
        "room for what is computed, not for what is known",
        edited(
            DECODE,
            ("one.known > one.room", "one.computed > one.room"),
            ("request.known > request.room", "request.computed > request.room"),
        ),
        true=("no-page-for-the-token",),
    ),
    wrong(
        "scheduler.decode",
        "waits a step where there is no page, and preempts nobody",
        """
def _decode(self, plan):
    for request in self.running:
        if request.to_compute == 1:
            if request.known > request.room:
                if self.pool.num_free == 0:
                    continue
                self.pool.grow(request)
            plan.chunks.append((request, 1))
""",
    ),
    right(
        "scheduler.decode",
        "looks at those that run again after each preemption",
        """
def _decode(self, plan):
    while True:
        ready = [one for one in self.running if one.to_compute == 1]
        short = [one for one in ready if one.known > one.room]
        if len(short) <= self.pool.num_free:
            break
        self._preempt(plan)
    for request in short:
        self.pool.grow(request)
    plan.chunks.extend((request, 1) for request in ready)
""",
    ),
    right(
        "scheduler.decode",
        "recursion",
        """
def _decode(self, plan):
    ready = [one for one in self.running if one.known - one.computed == one.to_compute == 1]
    short = [one for one in ready if one.room < one.known]
    if len(short) > self.pool.num_free:
        self._preempt(plan)
        return self._decode(plan)
    list(map(self.pool.grow, short))
    plan.chunks[:] = [*plan.chunks, *((request, 1) for request in ready)]
""",
    ),
    wrong(
        "scheduler.schedule",
        "both halves always, in either policy",
        """
def schedule(self, now_s):
    plan = Plan([], [])
    self._decode(plan)
    self._prefill(plan)
    return plan if plan.chunks or plan.preempted else None
""",
        true=("always-mixes",),
    ),
    wrong(
        "scheduler.schedule",
        "a plan that only preempts is dropped",
        edited(SCHEDULE, ("if plan.chunks or plan.preempted:", "if plan.chunks:")),
        true=("chunks-alone-count",),
    ),
    wrong(
        "scheduler.schedule",
        "an empty plan is taken for false",
        edited(
            SCHEDULE,
            (
                "    if plan.chunks or plan.preempted:\n        return plan\n    return None\n",
                "    return plan or None\n",
            ),
        ),
        true=("an-empty-plan",),
    ),
    wrong(
        "scheduler.schedule",
        "prompts first also with chunks",
        edited(
            SCHEDULE,
            (
                "        self._decode(plan)\n        self._prefill(plan)\n",
                "        self._prefill(plan)\n        self._decode(plan)\n",
            ),
        ),
        true=("prompts-take-the-budget",),
    ),
    wrong(
        "scheduler.schedule",
        "without chunks no decode while any request waits",
        edited(
            SCHEDULE,
            (
                "        self._prefill(plan)\n        if not plan.chunks:\n            self._d",
                "        if self.waiting:\n            self._prefill(plan)\n"
                "        else:\n            self._d",
            ),
        ),
        true=("waiting-stops-decodes",),
    ),
    wrong(
        "scheduler.schedule",
        "without chunks decodes join the prompts",
        edited(
            SCHEDULE,
            (
                "        if not plan.chunks:\n            self._decode(plan)\n",
                "        self._decode(plan)\n",
            ),
        ),
        true=("decodes-beside-prompts",),
    ),
    wrong(
        "scheduler.schedule",
        "without chunks decodes first, prompts when nothing decodes",
        edited(
            SCHEDULE,
            (
                "        self._prefill(plan)\n        if not plan.chunks:\n"
                "            self._decode(plan)\n",
                "        self._decode(plan)\n        if not plan.chunks:\n"
                "            self._prefill(plan)\n",
            ),
        ),
        true=("decodes-before-prompts",),
    ),
    wrong(
        "scheduler.schedule",
        "the two policies exchanged",
        edited(SCHEDULE, ("if self.chunked", "if not self.chunked")),
        true=("policies-exchanged",),
    ),
    wrong(
        "scheduler.schedule",
        "with chunks no prompt beside a decode",
        edited(
            SCHEDULE,
            (
                "        self._decode(plan)\n        self._prefill(plan)\n",
                "        self._decode(plan)\n        if not plan.chunks:\n"
                "            self._prefill(plan)\n",
            ),
        ),
        true=("decodes-alone",),
    ),
    wrong(
        "scheduler.schedule",
        "None only when nobody is there",
        edited(
            SCHEDULE,
            ("if plan.chunks or plan.preempted:", "if self.running or self.waiting:"),
        ),
        true=("while-anybody-is-there",),
    ),
    wrong(
        "scheduler.schedule",
        "counts at once",
        edited(
            SCHEDULE, ("        return plan\n", "        self.commit(plan)\n        return plan\n")
        ),
    ),
    right(
        "scheduler.schedule",
        "no prefill after a preemption, since nothing could start",
        """
def schedule(self, now_s):
    plan = Plan([], [])
    if not self.chunked:
        self._prefill(plan)
    if self.chunked or len(plan.chunks) == 0:
        self._decode(plan)
    if self.chunked and not plan.preempted:
        self._prefill(plan)
    return plan if any(plan) else None
""",
    ),
    right(
        "scheduler.schedule",
        "a list of halves",
        """
def schedule(self, now_s):
    plan = Plan([], [])
    halves = [self._decode, self._prefill]
    for half in halves if self.chunked else halves[::-1]:
        if self.chunked or not plan.chunks:
            half(plan)
    if plan == ([], []):
        return
    return plan
""",
    ),
    wrong(
        "scheduler.commit",
        "a token for every chunk, also for a prompt that was cut",
        edited(
            COMMIT,
            (
                "        if request.computed == request.known:\n            request.known",
                "        request.known",
            ),
        ),
        true=("a-token-for-every-chunk",),
    ),
    wrong(
        "scheduler.commit",
        "the pool is not told",
        edited(COMMIT, ("        self.pool.publish(request, new)\n", "")),
        true=("never-published",),
    ),
    wrong(
        "scheduler.commit",
        "the token comes when the prompt is computed, or anything behind it",
        edited(
            COMMIT,
            ("request.computed == request.known", "request.computed >= request.prompt_tokens"),
        ),
        true=("any-chunk-behind-the-prompt",),
    ),
    wrong(
        "scheduler.commit",
        "the pool is told before counting",
        """
def commit(self, plan):
    for request, new in plan.chunks:
        self.pool.publish(request, new)
        request.computed += new
        if request.computed == request.known:
            request.known += 1
""",
    ),
    wrong(
        "scheduler.commit",
        "no token comes",
        edited(
            COMMIT,
            (
                "        if request.computed == request.known:\n            request.known += 1\n",
                "",
            ),
        ),
        true=("no-token",),
    ),
    wrong(
        "scheduler.commit",
        "the pool is told of all that is computed",
        edited(COMMIT, ("publish(request, new)", "publish(request, request.computed)")),
        true=("tells-all-again",),
    ),
    wrong(
        "scheduler.commit",
        "known grows by the chunk",
        edited(COMMIT, ("request.known += 1", "request.known += new")),
        true=("known-by-the-chunk",),
    ),
    wrong(
        "scheduler.commit",
        "one token counted for each chunk",
        edited(COMMIT, ("computed += new", "computed += 1")),
        true=("computed-by-one-each",),
    ),
    wrong(
        "scheduler.commit",
        "caught up before counting",
        """
def commit(self, plan):
    for request, new in plan.chunks:
        if request.to_compute == 1:
            request.known += 1
        request.computed += new
        self.pool.publish(request, new)
""",
        true=("a-token-for-decodes-alone",),
    ),
    wrong(
        "scheduler.commit",
        "the token counts as computed",
        edited(
            COMMIT,
            (
                "            request.known += 1\n",
                "            request.known += 1\n            request.computed += 1\n",
            ),
        ),
        true=("no-token",),
    ),
    wrong(
        "scheduler.commit",
        "takes out what has ended",
        edited(
            COMMIT,
            (
                "            request.known += 1\n",
                "            request.known += 1\n            if request.to_compute == 0:\n"
                "                self.finish(request)\n",
            ),
        ),
        true=("ends-requests",),
    ),
    right(
        "scheduler.commit",
        "by what is left to compute",
        """
def commit(self, plan):
    for chunk in plan.chunks:
        request, new = chunk[0], chunk[1]
        request.computed = request.computed + new
        if not request.to_compute:
            request.known = request.known + 1
        self.pool.publish(request, new)
""",
    ),
    right(
        "scheduler.commit",
        "three passes",
        """
def commit(self, plan):
    for request, new in plan.chunks:
        request.computed += new
    for request, new in plan.chunks:
        self.pool.publish(request, new)
    for request in {request for request, _ in plan.chunks if request.computed >= request.known}:
        request.known += 1
""",
    ),
    wrong(
        "scheduler.finish",
        "one that waits cannot be cancelled",
        """
def finish(self, request):
    self.running.remove(request)
    self.pool.release(request)
""",
        true=("only-those-that-run",),
    ),
    wrong(
        "scheduler.finish",
        "one that waits stays in the queue",
        """
def finish(self, request):
    if request in self.running:
        self.running.remove(request)
        self.pool.release(request)
""",
        true=("waits-after-its-end",),
    ),
    wrong(
        "scheduler.finish",
        "keeps its pages",
        edited(FINISH, ("        self.pool.release(request)\n", "")),
        true=("leak",),
    ),
    wrong(
        "scheduler.finish",
        "gives back the pages and keeps the place",
        edited(FINISH, ("        self.running.remove(request)\n", "")),
        true=("keeps-its-place",),
    ),
    wrong(
        "scheduler.finish",
        "nothing given back by an answer that ended early",
        edited(FINISH, ("if request in self.running:", "if request not in self.waiting:")).replace(
            "        self.pool.release(request)\n",
            "        if request.to_compute == 0:\n            self.pool.release(request)\n",
        ),
        true=("full-answers-give-back",),
    ),
    wrong(
        "scheduler.finish",
        "the head of the queue leaves in place of the one cancelled",
        edited(FINISH, ("self.waiting.remove(request)", "self.waiting.popleft()")),
        true=("the-head-goes",),
    ),
    wrong(
        "scheduler.finish",
        "the oldest that runs leaves in its place",
        edited(FINISH, ("self.running.remove(request)", "self.running.pop(0)")),
        true=("the-oldest-goes",),
    ),
    wrong(
        "scheduler.finish",
        "only an answer that has nothing left may go",
        """
def finish(self, request):
    if request.to_compute:
        return
    self.running.remove(request)
    self.pool.release(request)
""",
    ),
    wrong(
        "scheduler.finish",
        "waits again in front",
        edited(
            FINISH,
            (
                "        self.pool.release(request)\n",
                "        self.pool.release(request)\n        self.wait(request, first=True)\n",
            ),
        ),
        true=("waits-again",),
    ),
    right(
        "scheduler.finish",
        "by exception",
        """
def finish(self, request):
    try:
        self.running.remove(request)
    except ValueError:
        self.waiting.remove(request)
    else:
        self.pool.release(request)
""",
    ),
    right(
        "scheduler.finish",
        "a new list and a new deque",
        """
def finish(self, request):
    if any(one is request for one in self.waiting):
        self.waiting = type(self.waiting)(one for one in self.waiting if one is not request)
    else:
        self.pool.release(request)
        self.running = [one for one in self.running if one is not request]
""",
    ),
    wrong(
        "engine.phase",
        "the prompt in chunks again, and its answer token by token",
        chunk(
            "if computed < prompt_tokens:\n"
            "        return min(prompt_tokens - computed, tokens_left)\n"
            "    return min(1, tokens_left)"
        ),
        true=("prompt-then-one",),
    ),
    wrong(
        "engine.phase",
        "a token also where the budget leaves none",
        chunk(
            "missing = prompt_tokens + answer_tokens - computed\n"
            "    return min(missing, tokens_left) if missing > 1 else 1"
        ),
        true=("one-past-the-budget",),
    ),
    wrong(
        "engine.phase",
        "the prompt in chunks again, then a token whatever the budget leaves",
        chunk(
            "if computed < prompt_tokens:\n"
            "        return min(prompt_tokens - computed, tokens_left)\n    return 1"
        ),
        true=("prompt-alone",),
    ),
    wrong(
        "engine.phase",
        "all that is missing, past the budget",
        chunk("return prompt_tokens + answer_tokens - computed"),
        true=("no-budget",),
    ),
    wrong(
        "engine.phase",
        "at least one token",
        chunk("return max(1, min(prompt_tokens + answer_tokens - computed, tokens_left))"),
        true=("one-at-least",),
    ),
    wrong(
        "engine.phase",
        "only where nothing at all is computed",
        chunk(
            "if computed == 0:\n        return min(prompt_tokens + answer_tokens, tokens_left)\n"
            "    if answer_tokens == 0:\n"
            "        return min(prompt_tokens - computed, tokens_left)\n"
            "    return min(1, tokens_left)"
        ),
        true=("lost-at-its-first-chunk",),
    ),
    wrong(
        "engine.phase",
        "the last token of the answer left out",
        chunk("return min(prompt_tokens + answer_tokens - 1 - computed, tokens_left)"),
        true=("one-too-few",),
    ),
    wrong(
        "engine.phase",
        "the prompt alone",
        chunk("return max(0, min(prompt_tokens - computed, tokens_left))"),
        true=("prompt-only",),
    ),
    wrong(
        "engine.phase",
        "what is computed counts again",
        chunk("return min(prompt_tokens + answer_tokens, tokens_left)"),
        true=("all-again",),
    ),
    wrong(
        "engine.phase",
        "all or nothing",
        chunk(
            "missing = prompt_tokens + answer_tokens - computed\n"
            "    return missing if missing <= tokens_left else 0"
        ),
        true=("all-or-nothing",),
    ),
    wrong(
        "engine.phase",
        "whatever the budget leaves",
        chunk("return tokens_left"),
        true=("the-whole-budget",),
    ),
    right(
        "engine.phase",
        "counted one by one",
        chunk(
            "missing = range(computed, prompt_tokens + answer_tokens)\n"
            "    return len(missing[:tokens_left])"
        ),
    ),
    right(
        "engine.phase",
        "numpy",
        chunk("return np.clip(prompt_tokens + answer_tokens - computed, 0, tokens_left)"),
    ),
]
