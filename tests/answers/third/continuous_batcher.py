"""Answers to lab 4, continuous batcher, as learners hand them in."""

from tests.answers.answer import right, wrong


def swap(source, *pairs):
    """``source`` with each old text replaced by its new one."""
    for old, new in pairs:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


# ---------------------------------------------------------------- scheduler.admit

ADMIT = """
class Admitting(Scheduler):
    def _may_start(self, request, plan, left):
        if plan.preempted:
            return False
        if left <= 0:
            return False
        if not self.chunked and len(plan.chunks) > 0:
            if request.to_compute > left:
                return False
        return self.admits(request)

    def admits(self, request):
        return len(self.running) < self.max_sequences and self.pool.fits(request)
"""

ADMITTING = [
    wrong(
        "scheduler.admit",
        "no exception for the step's first: a prompt longer than the budget never starts",
        """
class Admitting(Scheduler):
    def _may_start(self, request: Request, plan: Plan, left: int) -> bool:
        if plan.preempted or left <= 0:
            return False
        if not self.chunked and request.known > left:
            return False
        return self.admits(request)

    def admits(self, request: Request) -> bool:
        has_place = len(self.running) < self.max_sequences
        return has_place and self.pool.fits(request)
""",
        true=("too-long-for-ever",),
    ),
    wrong(
        "scheduler.admit",
        "forgets that a step that preempted starts nobody",
        swap(ADMIT, ("        if plan.preempted:\n            return False\n", "")),
        true=("back-in-the-same-step",),
    ),
    wrong(
        "scheduler.admit",
        "one request too many: <= max_sequences",
        """
class Admitting(Scheduler):
    def _may_start(self, request: Request, plan: Plan, left: int) -> bool:
        if plan.preempted or left <= 0:
            return False
        whole = not self.chunked and plan.chunks
        if whole and request.to_compute > left:
            return False
        return self.admits(request)

    def admits(self, request: Request) -> bool:
        return len(self.running) <= self.max_sequences and self.pool.fits(request)
""",
        true=("one-place-too-many",),
    ),
    wrong(
        "scheduler.admit",
        "with chunks as well a prompt needs its whole length",
        """
class Admitting(Scheduler):
    def _may_start(self, request, plan, left):
        if len(plan.preempted) > 0 or left <= 0:
            return False
        first = len(plan.chunks) == 0
        if not first and request.to_compute > left:
            return False
        return self.admits(request)

    def admits(self, request):
        if len(self.running) == self.max_sequences:
            return False
        return self.pool.fits(request)
""",
        true=("whole-length-in-chunks",),
    ),
    wrong(
        "scheduler.admit",
        "a prompt in one piece that fits the budget exactly is refused",
        swap(ADMIT, ("request.to_compute > left", "request.to_compute >= left")),
        true=("just-too-strict",),
    ),
    wrong(
        "scheduler.admit",
        "the step's first is taken to be the first that runs at all",
        """
class Admitting(Scheduler):
    def _may_start(self, request, plan, left):
        if plan.preempted or left <= 0:
            return False
        is_first = not self.running
        if not self.chunked and not is_first and request.to_compute > left:
            return False
        return self.admits(request)

    def admits(self, request):
        return len(self.running) < self.max_sequences and self.pool.fits(request)
""",
        true=("first-of-all",),
    ),
    wrong(
        "scheduler.admit",
        "left < 0: starts with a budget of nothing",
        swap(ADMIT, ("left <= 0", "left < 0")),
        true=("budget-of-nothing",),
    ),
    wrong(
        "scheduler.admit",
        "any free page counts as memory for the request",
        """
class Admitting(Scheduler):
    def _may_start(self, request, plan, left):
        if plan.preempted or left <= 0:
            return False
        if not self.chunked and plan.chunks and request.to_compute > left:
            return False
        return self.admits(request)

    def admits(self, request):
        seats = self.max_sequences - len(self.running)
        return seats > 0 and self.pool.num_free > 0
""",
        true=("any-page-will-do",),
    ),
    wrong(
        "scheduler.admit",
        "the first of a step starts without asking admits",
        """
class Admitting(Scheduler):
    def _may_start(self, request, plan, left):
        if plan.preempted or left <= 0:
            return False
        if not plan.chunks:  # the step's first always goes
            return True
        if not self.chunked and request.to_compute > left:
            return False
        return self.admits(request)

    def admits(self, request):
        return len(self.running) < self.max_sequences and self.pool.fits(request)
""",
        true=("first-without-asking",),
    ),
    right(
        "scheduler.admit",
        "one lazy all() over questions in lambdas",
        """
class Admitting(Scheduler):
    def _may_start(self, request: Request, plan: Plan, left: int) -> bool:
        questions = (
            lambda: len(plan.preempted) == 0,
            lambda: left >= 1,
            lambda: self.chunked or not plan.chunks or request.known - request.computed <= left,
            lambda: self.admits(request),
        )
        return all(question() for question in questions)

    def admits(self, request: Request) -> bool:
        return bool(self.pool.fits(request)) and self.max_sequences > len(self.running)
""",
    ),
    right(
        "scheduler.admit",
        "the least budget that is needed as a number, and conditional expressions",
        """
class Admitting(Scheduler):
    def _may_start(self, request, plan, left):
        one_is_enough = self.chunked or len(plan.chunks) == 0
        needed = 1 if one_is_enough else max(1, request.to_compute)
        return False if plan.preempted or left < needed else self.admits(request)

    def admits(self, request):
        places = self.max_sequences - len(self.running)
        return self.pool.fits(request) if places > 0 else False
""",
    ),
]

# ---------------------------------------------------------------- scheduler.prefill

PREFILL = """
def _prefill(self, plan):
    left = self.token_budget - sum(tokens for _, tokens in plan.chunks)
    for request in self.running:
        if request.to_compute > 1 and left > 0:
            tokens = min(request.to_compute, left)
            plan.chunks.append((request, tokens))
            left -= tokens
    while self.waiting and self._may_start(self.waiting[0], plan, left):
        request = self.waiting.popleft()
        self.pool.start(request)
        self.running.append(request)
        tokens = min(request.to_compute, left) if self.chunked else request.to_compute
        plan.chunks.append((request, tokens))
        left -= tokens
"""

PREFILLING = [
    wrong(
        "scheduler.prefill",
        "cuts prompts to the budget without chunks, too",
        """
def _prefill(self, plan: Plan) -> None:
    left = self.token_budget - sum(n for _, n in plan.chunks)
    for r in self.running:
        if r.to_compute > 1 and left > 0:
            n = min(r.to_compute, left)
            plan.chunks.append((r, n))
            left -= n
    while self.waiting and self._may_start(self.waiting[0], plan, left):
        r = self.waiting.popleft()
        self.pool.start(r)
        self.running.append(r)
        n = min(r.to_compute, left)
        plan.chunks.append((r, n))
        left -= n
""",
        true=("always-cut",),
    ),
    wrong(
        "scheduler.prefill",
        "the whole budget, as if the decodes of this step cost nothing",
        """
def _prefill(self, plan: Plan) -> None:
    budget = self.token_budget
    for request in self.running:
        if request.to_compute > 1:
            take = min(budget, request.to_compute)
            plan.chunks.append((request, take))
            budget -= take
    while self.waiting and self._may_start(self.waiting[0], plan, budget):
        request = self.waiting.popleft()
        self.pool.start(request)
        self.running.append(request)
        take = request.to_compute
        if self.chunked:
            take = min(budget, take)
        plan.chunks.append((request, take))
        budget -= take
""",
        true=("decodes-are-free",),
    ),
    wrong(
        "scheduler.prefill",
        "forgets the prompt that was cut",
        """
def _prefill(self, plan):
    left = self.token_budget
    for _, tokens in plan.chunks:
        left -= tokens
    while self.waiting:
        head = self.waiting[0]
        if not self._may_start(head, plan, left):
            break
        self.waiting.popleft()
        self.pool.start(head)
        self.running.append(head)
        tokens = min(head.to_compute, left) if self.chunked else head.to_compute
        plan.chunks.append((head, tokens))
        left -= tokens
""",
        true=("forgets-the-cut-prompt",),
    ),
    wrong(
        "scheduler.prefill",
        "every running request that has anything to compute: decodes get a second chunk",
        swap(PREFILL, ("request.to_compute > 1", "request.to_compute > 0")),
        true=("decodes-again",),
    ),
    wrong(
        "scheduler.prefill",
        "an if for the while: one new request per step at most",
        """
def _prefill(self, plan):
    left = self.token_budget - sum(tokens for _, tokens in plan.chunks)
    cut = [request for request in self.running if request.to_compute > 1]
    if cut and left > 0:
        tokens = min(cut[0].to_compute, left)
        plan.chunks.append((cut[0], tokens))
        left -= tokens
    if self.waiting and self._may_start(self.waiting[0], plan, left):
        new = self.waiting.popleft()
        self.pool.start(new)
        self.running.append(new)
        tokens = min(new.to_compute, left) if self.chunked else new.to_compute
        plan.chunks.append((new, tokens))
""",
        true=("one-newcomer",),
    ),
    wrong(
        "scheduler.prefill",
        "looks past a head that may not start: the queue is overtaken",
        """
def _prefill(self, plan):
    left = self.token_budget - sum(tokens for _, tokens in plan.chunks)
    for request in self.running:
        if request.to_compute > 1 and left > 0:
            tokens = min(request.to_compute, left)
            plan.chunks.append((request, tokens))
            left -= tokens
    for request in list(self.waiting):
        if self._may_start(request, plan, left):
            self.waiting.remove(request)
            self.pool.start(request)
            self.running.append(request)
            tokens = min(request.to_compute, left) if self.chunked else request.to_compute
            plan.chunks.append((request, tokens))
            left -= tokens
""",
        true=("overtaken",),
    ),
    right(
        "scheduler.prefill",
        "a cut prompt would get a chunk of no tokens if nothing were left, which cannot be",
        swap(PREFILL, ("request.to_compute > 1 and left > 0", "request.to_compute > 1")),
    ),
    wrong(
        "scheduler.prefill",
        "what the cut prompt takes is not taken off the budget",
        """
def _prefill(self, plan):
    left = self.token_budget - sum(n for r, n in plan.chunks)
    for r in self.running:
        if r.to_compute > 1 and left > 0:
            plan.chunks.append((r, min(r.to_compute, left)))
    while len(self.waiting) > 0 and self._may_start(self.waiting[0], plan, left):
        r = self.waiting.popleft()
        self.pool.start(r)
        self.running.append(r)
        n = r.to_compute if not self.chunked else min(r.to_compute, left)
        plan.chunks.append((r, n))
        left -= n
""",
        true=("cut-prompt-is-free",),
    ),
    wrong(
        "scheduler.prefill",
        "the head of the queue starts before the cut prompt goes on",
        """
def _prefill(self, plan):
    left = self.token_budget - sum(n for r, n in plan.chunks)
    unfinished = [r for r in self.running if r.to_compute > 1]
    while self.waiting and self._may_start(self.waiting[0], plan, left):
        r = self.waiting.popleft()
        self.pool.start(r)
        self.running.append(r)
        n = min(r.to_compute, left) if self.chunked else r.to_compute
        plan.chunks.append((r, n))
        left -= n
    for r in unfinished:
        n = min(r.to_compute, left)
        if n > 0:
            plan.chunks.append((r, n))
            left -= n
""",
        true=("queue-first",),
    ),
    wrong(
        "scheduler.prefill",
        "counts the tokens before the pool's start, which may find some of them",
        """
def _prefill(self, plan):
    left = self.token_budget - sum(n for r, n in plan.chunks)
    for r in self.running:
        if r.to_compute > 1 and left > 0:
            n = min(r.to_compute, left)
            plan.chunks.append((r, n))
            left -= n
    while self.waiting and self._may_start(self.waiting[0], plan, left):
        r = self.waiting.popleft()
        n = min(r.to_compute, left) if self.chunked else r.to_compute
        plan.chunks.append((r, n))
        left -= n
        self.running.append(r)
        self.pool.start(r)
""",
        true=("counts-before-it-starts",),
    ),
    right(
        "scheduler.prefill",
        "recursion over the queue, the budget counted anew each time",
        """
def _prefill(self, plan: Plan) -> None:
    def left():
        return self.token_budget - sum(count for _, count in plan.chunks)

    def give(request):
        most = left() if self.chunked else request.to_compute
        plan.chunks.append((request, min(most, request.to_compute)))

    def start_heads():
        if len(self.waiting) == 0 or not self._may_start(self.waiting[0], plan, left()):
            return
        head = self.waiting.popleft()
        self.pool.start(head)
        self.running.append(head)
        give(head)
        start_heads()

    for cut in [one for one in self.running if one.to_compute >= 2]:
        if left() > 0:
            give(cut)
    start_heads()
""",
    ),
    right(
        "scheduler.prefill",
        "a generator of the requests that prefill, consumed by one loop",
        """
def _prefill(self, plan):
    import math

    left = self.token_budget
    for _, spent in plan.chunks:
        left -= spent

    def candidates():
        for running in tuple(self.running):
            if running.to_compute > 1 and left > 0:
                yield running
        while self.waiting:
            head = self.waiting[0]
            if not self._may_start(head, plan, left):
                return
            self.pool.start(head)
            self.running.append(self.waiting.popleft())
            yield head

    for request in candidates():
        limit = left if self.chunked else math.inf
        tokens = request.to_compute if request.to_compute <= limit else limit
        plan.chunks.append((request, tokens))
        left -= tokens
""",
    ),
]

# ---------------------------------------------------------------- scheduler.preempt

PREEMPT = """
def _preempt(self, plan):
    for request in reversed(self.running):
        if request.to_compute > 0:
            break
    self.running.remove(request)
    self.pool.release(request)
    request.preemptions += 1
    plan.preempted.append(request)
    self.wait(request, first=True)
    return request
"""

PREEMPTING = [
    wrong(
        "scheduler.preempt",
        "the newest of all, even if it has nothing left to compute",
        """
def _preempt(self, plan: Plan) -> Request:
    request = self.running.pop()
    self.pool.release(request)
    request.preemptions += 1
    plan.preempted.append(request)
    self.wait(request, first=True)
    return request
""",
        true=("preempts-what-has-ended",),
    ),
    wrong(
        "scheduler.preempt",
        "it waits at the end of the queue",
        swap(PREEMPT, ("self.wait(request, first=True)", "self.wait(request)")),
        true=("to-the-back",),
    ),
    wrong(
        "scheduler.preempt",
        "keeps its pages",
        """
def _preempt(self, plan: Plan) -> Request:
    victim = [r for r in self.running if r.to_compute][-1]
    self.running.remove(victim)
    victim.computed = 0
    victim.preemptions += 1
    plan.preempted.append(victim)
    self.wait(victim, first=True)
    return victim
""",
        true=("keeps-its-pages",),
    ),
    wrong(
        "scheduler.preempt",
        "the plan does not hear of it",
        """
def _preempt(self, plan: Plan) -> Request:
    victim = [r for r in self.running if r.to_compute][-1]
    self.running.remove(victim)
    self.pool.release(victim)
    self.wait(victim, first=True)
    victim.preemptions += 1
    return victim
""",
        true=("silent",),
    ),
    wrong(
        "scheduler.preempt",
        "only requests that decode give way, never one that prefills",
        """
def _preempt(self, plan: Plan) -> Request:
    decoding = [r for r in self.running if r.to_compute == 1]
    newest = decoding[-1]
    self.running.remove(newest)
    self.pool.release(newest)
    newest.preemptions += 1
    plan.preempted.append(newest)
    self.wait(newest, first=True)
    return newest
""",
        true=("decodes-go-first",),
    ),
    wrong(
        "scheduler.preempt",
        "the oldest gives way",
        """
def _preempt(self, plan: Plan) -> Request:
    for request in self.running:
        if request.to_compute > 0:
            self.running.remove(request)
            self.pool.release(request)
            request.preemptions += 1
            plan.preempted.append(request)
            self.wait(request, first=True)
            return request
""",
        true=("oldest-gives-way",),
    ),
    wrong(
        "scheduler.preempt",
        "it still stands among the running ones",
        swap(PREEMPT, ("    self.running.remove(request)\n", "")),
        true=("still-runs",),
    ),
    wrong(
        "scheduler.preempt",
        "forgets the request's own count of preemptions",
        swap(PREEMPT, ("    request.preemptions += 1\n", "")),
        true=("not-counted",),
    ),
    wrong(
        "scheduler.preempt",
        "throws the answer so far away and begins with the prompt again",
        swap(
            PREEMPT,
            (
                "    request.preemptions += 1\n",
                "    request.computed = 0\n    request.known = request.prompt_tokens\n"
                "    request.preemptions += 1\n",
            ),
        ),
        true=("forgets-its-answer",),
    ),
    wrong(
        "scheduler.preempt",
        "appendleft past self.wait, so another order of the queue is ignored",
        swap(PREEMPT, ("self.wait(request, first=True)", "self.waiting.appendleft(request)")),
        true=("past-the-policy",),
    ),
    right(
        "scheduler.preempt",
        "next of a generator over the indexes, from behind, and pop(index)",
        """
def _preempt(self, plan: Plan) -> Request:
    index = next(
        k for k in range(len(self.running) - 1, -1, -1) if self.running[k].to_compute > 0
    )
    loser = self.running.pop(index)
    loser.preemptions += 1
    plan.preempted.append(loser)
    self.pool.release(loser)
    self.wait(loser, first=True)
    return loser
""",
    ),
    right(
        "scheduler.preempt",
        "a star assignment for the last, the list rebuilt by identity",
        """
def _preempt(self, plan):
    *_, newest = (one for one in self.running if one.to_compute != 0)
    self.running[:] = [one for one in self.running if one is not newest]
    self.pool.release(newest)
    self.wait(newest, first=True)
    newest.preemptions = newest.preemptions + 1
    plan.preempted.extend([newest])
    return newest
""",
    ),
]

# ---------------------------------------------------------------- scheduler.decode

DECODE = """
def _decode(self, plan):
    ready = [request for request in self.running if request.to_compute == 1]
    while sum(request.known > request.room for request in ready) > self.pool.num_free:
        victim = self._preempt(plan)
        if victim in ready:
            ready.remove(victim)
    for request in ready:
        if request.known > request.room:
            self.pool.grow(request)
        plan.chunks.append((request, 1))
"""

DECODING = [
    wrong(
        "scheduler.decode",
        "one after the other: grows before all that must go have gone",
        """
def _decode(self, plan: Plan) -> None:
    for request in list(self.running):
        if request in plan.preempted or request.to_compute != 1:
            continue
        if request.known > request.room:
            while self.pool.num_free == 0:
                if self._preempt(plan) is request:
                    break
            if request in plan.preempted:
                continue
            self.pool.grow(request)
        plan.chunks.append((request, 1))
""",
        true=("grows-as-it-goes",),
    ),
    wrong(
        "scheduler.decode",
        "what has been preempted computes its token all the same",
        """
def _decode(self, plan: Plan) -> None:
    decodes = [r for r in self.running if r.to_compute == 1]
    while len([r for r in decodes if r.known > r.room and r in self.running]) > self.pool.num_free:
        self._preempt(plan)
    for r in decodes:
        if r.known > r.room and r in self.running:
            self.pool.grow(r)
        plan.chunks.append((r, 1))
""",
        true=("preempted-and-planned",),
    ),
    wrong(
        "scheduler.decode",
        "takes for granted that the preempted one decodes: ValueError if it prefills",
        """
def _decode(self, plan: Plan) -> None:
    decodes = [r for r in self.running if r.to_compute == 1]
    full = [r for r in decodes if r.known > r.room]
    while len(full) > self.pool.num_free:
        victim = self._preempt(plan)
        decodes.remove(victim)
        full = [r for r in decodes if r.known > r.room]
    for r in full:
        self.pool.grow(r)
    plan.chunks.extend((r, 1) for r in decodes)
""",
        true=("preempted-must-decode",),
    ),
    wrong(
        "scheduler.decode",
        "known >= room: a new page although the last one has a slot for this token",
        """
def _decode(self, plan: Plan) -> None:
    def needs_page(request):
        return request.known >= request.room

    decodes = [request for request in self.running if request.to_compute == 1]
    while sum(map(needs_page, decodes)) > self.pool.num_free:
        gone = self._preempt(plan)
        decodes = [request for request in decodes if request is not gone]
    for request in decodes:
        if needs_page(request):
            self.pool.grow(request)
        plan.chunks.append((request, 1))
""",
        true=("a-page-too-soon",),
    ),
    wrong(
        "scheduler.decode",
        "an answer that is full and never computes its last token counts as in need of a page",
        """
def _decode(self, plan: Plan) -> None:
    while len([r for r in self.running if r.known > r.room]) > self.pool.num_free:
        self._preempt(plan)
    for r in self.running:
        if r.to_compute == 1:
            if r.known > r.room:
                self.pool.grow(r)
            plan.chunks.append((r, 1))
""",
        true=("full-answers-need-pages",),
    ),
    wrong(
        "scheduler.decode",
        "preempts as many requests as pages are missing at the beginning",
        """
def _decode(self, plan: Plan) -> None:
    need = sum(1 for r in self.running if r.to_compute == 1 and r.known > r.room)
    missing = need - self.pool.num_free
    for _ in range(missing):
        self._preempt(plan)
    for r in self.running:
        if r.to_compute == 1:
            if r.known > r.room:
                self.pool.grow(r)
            plan.chunks.append((r, 1))
""",
        true=("counts-the-missing-once",),
    ),
    wrong(
        "scheduler.decode",
        "an if for the while: preempts one request at most",
        swap(
            DECODE,
            (
                "    while sum(request.known > request.room for request in ready)",
                "    if sum(request.known > request.room for request in ready)",
            ),
        ),
        true=("one-is-enough",),
    ),
    wrong(
        "scheduler.decode",
        "preempts already when exactly as many pages are free as are needed",
        swap(DECODE, ("in ready) > self.pool.num_free", "in ready) >= self.pool.num_free")),
        true=("keeps-one-page-always",),
    ),
    wrong(
        "scheduler.decode",
        "prefilling requests get a token as well",
        swap(DECODE, ("request.to_compute == 1", "request.to_compute >= 1")),
        true=("cut-prompts-decode",),
    ),
    wrong(
        "scheduler.decode",
        "nobody grows: tokens without room",
        """
def _decode(self, plan: Plan) -> None:
    ready = [r for r in self.running if r.to_compute == 1]
    need = [r for r in ready if r.known > r.room]
    while len(need) > self.pool.num_free:
        gone = self._preempt(plan)
        ready = [r for r in ready if r is not gone]
        need = [r for r in need if r is not gone]
    plan.chunks.extend([(r, 1) for r in ready])
""",
        true=("no-page-for-the-token",),
    ),
    right(
        "scheduler.decode",
        "looks at the running ones anew after each preemption",
        """
def _decode(self, plan: Plan) -> None:
    while True:
        ready = [one for one in self.running if one.to_compute == 1]
        short = [one for one in ready if one.known > one.room]
        if len(short) <= self.pool.num_free:
            break
        self._preempt(plan)
    for one in short:
        self.pool.grow(one)
    plan.chunks.extend((one, 1) for one in ready)
""",
    ),
    right(
        "scheduler.decode",
        "a dict by id in order of admission, whether each one needs a page as its value",
        """
def _decode(self, plan):
    from itertools import filterfalse

    caught_up = filterfalse(lambda r: r.to_compute != 1, self.running)
    ready = {id(r): (r, int(r.room < r.known)) for r in caught_up}
    while self.pool.num_free - sum(pages for _, pages in ready.values()) < 0:
        ready.pop(id(self._preempt(plan)), None)
    for request, pages in ready.values():
        for _ in range(pages):
            self.pool.grow(request)
    plan.chunks[len(plan.chunks) :] = [(request, 1) for request, _ in ready.values()]
""",
    ),
]

# ---------------------------------------------------------------- scheduler.schedule

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

SCHEDULING = [
    wrong(
        "scheduler.schedule",
        "a step that only preempts is not returned",
        """
def schedule(self, now_s: float) -> Plan | None:
    plan = Plan([], [])
    if self.chunked:
        self._decode(plan)
        self._prefill(plan)
    else:
        self._prefill(plan)
        if not plan.chunks:
            self._decode(plan)
    return plan if plan.chunks else None
""",
        true=("chunks-alone-count",),
    ),
    wrong(
        "scheduler.schedule",
        "decodes and prompts in every step, chunked or not",
        """
def schedule(self, now_s: float) -> Plan | None:
    step = Plan([], [])
    self._decode(step)
    self._prefill(step)
    if not step.chunks and not step.preempted:
        return None
    return step
""",
        true=("always-mixes",),
    ),
    wrong(
        "scheduler.schedule",
        "with chunks the prompts come before the decodes",
        """
def schedule(self, now_s: float) -> Plan | None:
    step = Plan([], [])
    self._prefill(step)
    if self.chunked or not step.chunks:
        self._decode(step)
    if not step.chunks and not step.preempted:
        return None
    return step
""",
        true=("prompts-take-the-budget",),
    ),
    wrong(
        "scheduler.schedule",
        "without chunks the decodes share the step of the prompts",
        """
def schedule(self, now_s: float) -> Plan | None:
    halves = [self._decode, self._prefill]
    if not self.chunked:
        halves.reverse()
    plan = Plan([], [])
    for half in halves:
        half(plan)
    return plan if plan.chunks or plan.preempted else None
""",
        true=("decodes-beside-prompts",),
    ),
    wrong(
        "scheduler.schedule",
        "without chunks nobody decodes while anybody waits, even if the head cannot start",
        """
def schedule(self, now_s: float) -> Plan | None:
    plan = Plan([], [])
    if self.chunked:
        self._decode(plan)
        self._prefill(plan)
    elif self.waiting:
        self._prefill(plan)
    else:
        self._decode(plan)
    return plan if plan.chunks or plan.preempted else None
""",
        true=("waiting-stops-decodes",),
    ),
    wrong(
        "scheduler.schedule",
        "never None: an empty plan where nothing happens",
        swap(
            SCHEDULE,
            (
                "    if plan.chunks or plan.preempted:\n        return plan\n    return None\n",
                "    return plan\n",
            ),
        ),
        true=("an-empty-plan",),
    ),
    wrong(
        "scheduler.schedule",
        "without chunks decodes first, prompts only where nothing decodes",
        """
def schedule(self, now_s: float) -> Plan | None:
    plan = Plan([], [])
    self._decode(plan)
    if self.chunked or not plan.chunks:
        self._prefill(plan)
    return plan if plan.chunks or plan.preempted else None
""",
        true=("decodes-before-prompts",),
    ),
    wrong(
        "scheduler.schedule",
        "the two policies the wrong way round",
        swap(SCHEDULE, ("if self.chunked:", "if not self.chunked:")),
        true=("policies-exchanged",),
    ),
    wrong(
        "scheduler.schedule",
        "prompts with chunks only where nothing decodes",
        """
def schedule(self, now_s: float) -> Plan | None:
    plan = Plan([], [])
    first, second = self._prefill, self._decode
    if self.chunked:
        first, second = second, first
    first(plan)
    if not plan.chunks:
        second(plan)
    if len(plan.chunks) + len(plan.preempted) > 0:
        return plan
""",
        true=("decodes-alone",),
    ),
    wrong(
        "scheduler.schedule",
        "returns the chunks instead of the plan",
        swap(SCHEDULE, ("        return plan\n", "        return plan.chunks\n")),
    ),
    right(
        "scheduler.schedule",
        "the halves sorted by a flag, a loop that breaks, None by falling off the end",
        """
def schedule(self, now_s: float) -> Plan | None:
    step = Plan(chunks=[], preempted=[])
    for half in sorted(("_decode", "_prefill"), reverse=not self.chunked):
        if step.chunks and not self.chunked:
            break
        getattr(self, half)(step)
    if len(step.chunks) + len(step.preempted) != 0:
        return step
""",
    ),
    right(
        "scheduler.schedule",
        "short circuits, and a nested function for each policy",
        """
def schedule(self, now_s):
    def mixed(plan):
        return self._decode(plan), self._prefill(plan)

    def whole(plan):
        self._prefill(plan)
        plan.chunks or self._decode(plan)

    policies = {True: mixed, False: whole}
    policies[bool(self.chunked)](plan := Plan([], []))
    return {True: plan}.get(bool(plan.chunks or plan.preempted))
""",
    ),
]

# ---------------------------------------------------------------- scheduler.commit

COMMIT = """
def commit(self, plan):
    for request, tokens in plan.chunks:
        request.computed += tokens
        self.pool.publish(request, tokens)
        if request.computed == request.known:
            request.known += 1
"""

COMMITTING = [
    wrong(
        "scheduler.commit",
        "the pool is not told",
        """
def commit(self, plan: Plan) -> None:
    for request, tokens in plan.chunks:
        request.computed += tokens
        if request.to_compute == 0:
            request.known += 1
""",
        true=("never-published",),
    ),
    wrong(
        "scheduler.commit",
        "every chunk brings a token, that of a cut prompt too",
        """
def commit(self, plan: Plan) -> None:
    for request, tokens in plan.chunks:
        request.computed += tokens
        request.known += 1
        self.pool.publish(request, tokens)
""",
        true=("a-token-for-every-chunk",),
    ),
    wrong(
        "scheduler.commit",
        "tells the pool before it has counted",
        """
def commit(self, plan: Plan) -> None:
    for request, tokens in plan.chunks:
        self.pool.publish(request, tokens)
        request.computed += tokens
        if request.computed == request.known:
            request.known += 1
""",
    ),
    wrong(
        "scheduler.commit",
        "tells the pool only when the prompt is complete, of its last chunk",
        """
def commit(self, plan: Plan) -> None:
    for request, tokens in plan.chunks:
        request.computed += tokens
        if request.computed == request.known:
            self.pool.publish(request, tokens)
            request.known += 1
""",
        true=("told-at-the-end",),
    ),
    wrong(
        "scheduler.commit",
        "a token only at the end of the prompt: decodes get none",
        """
def commit(self, plan: Plan) -> None:
    for request, tokens in plan.chunks:
        request.computed += tokens
        self.pool.publish(request, tokens)
        if request.computed == request.prompt_tokens:
            request.known += 1
""",
        true=("prompt-for-known",),
    ),
    wrong(
        "scheduler.commit",
        "a token for decodes alone: the end of a prompt brings none",
        """
def commit(self, plan: Plan) -> None:
    for request, tokens in plan.chunks:
        request.computed += tokens
        if tokens == 1:
            request.known += 1
        self.pool.publish(request, tokens)
""",
        true=("a-token-for-chunks-of-one",),
    ),
    wrong(
        "scheduler.commit",
        "asks whether the request has caught up before it counts",
        """
def commit(self, plan: Plan) -> None:
    for request, tokens in plan.chunks:
        if request.computed == request.known:
            request.known += 1
        request.computed += tokens
        self.pool.publish(request, tokens)
""",
        true=("no-token",),
    ),
    wrong(
        "scheduler.commit",
        "overwrites the count by the chunk",
        swap(COMMIT, ("request.computed += tokens", "request.computed = tokens")),
        true=("computed-is-the-chunk",),
    ),
    wrong(
        "scheduler.commit",
        "a chunk counts as the whole prompt",
        """
def commit(self, plan: Plan) -> None:
    for request, tokens in plan.chunks:
        request.computed = request.known
        self.pool.publish(request, tokens)
        request.known += 1
""",
        true=("cut-counts-as-whole",),
    ),
    wrong(
        "scheduler.commit",
        "ends full answers by itself, before finish is called",
        swap(
            COMMIT,
            (
                "            request.known += 1\n",
                "            request.known += 1\n"
                "            if request.to_compute == 0:\n"
                "                self.finish(request)\n",
            ),
        ),
        true=("ends-requests",),
    ),
    right(
        "scheduler.commit",
        "three passes: count, tell the pool, hand out tokens",
        """
def commit(self, plan: Plan) -> None:
    for request, new in plan.chunks:
        request.computed = request.computed + new
    for request, new in plan.chunks:
        self.pool.publish(request, new)
    for request in [one for one, _ in plan.chunks if one.known - one.computed < 1]:
        request.known += 1
""",
    ),
    right(
        "scheduler.commit",
        "index loop, decides by the difference before it counts, a bool added as a number",
        """
def commit(self, plan):
    k = 0
    while k < len(plan.chunks):
        request, new = plan.chunks[k]
        caught_up = request.known - request.computed == new
        request.computed += new
        request.known += int(caught_up)
        self.pool.publish(request, new)
        k += 1
""",
    ),
]

# ---------------------------------------------------------------- scheduler.finish

FINISHING = [
    wrong(
        "scheduler.finish",
        "only of those that run: ValueError for one that waits",
        """
def finish(self, request: Request) -> None:
    self.running.remove(request)
    self.pool.release(request)
""",
        true=("only-those-that-run",),
    ),
    wrong(
        "scheduler.finish",
        "one that waits stays in the queue",
        """
def finish(self, request: Request) -> None:
    if request in self.running:
        self.running.remove(request)
        self.pool.release(request)
""",
        true=("waits-after-its-end",),
    ),
    wrong(
        "scheduler.finish",
        "the place comes back, the pages do not",
        """
def finish(self, request: Request) -> None:
    if request in self.running:
        self.running.remove(request)
    else:
        self.waiting.remove(request)
""",
        true=("leak",),
    ),
    wrong(
        "scheduler.finish",
        "takes the head of the queue instead of the request that waits",
        """
def finish(self, request: Request) -> None:
    if request in self.running:
        self.running.remove(request)
        self.pool.release(request)
    elif self.waiting:
        self.waiting.popleft()
""",
        true=("the-head-goes",),
    ),
    wrong(
        "scheduler.finish",
        "takes one with tokens still to compute for one that waits",
        """
def finish(self, request: Request) -> None:
    if request.to_compute == 0:
        self.running.remove(request)
        self.pool.release(request)
    else:  # cancelled before its answer was complete
        self.waiting.remove(request)
""",
        true=("what-computes-waits",),
    ),
    wrong(
        "scheduler.finish",
        "the pages come back, the place does not",
        """
def finish(self, request: Request) -> None:
    if request in self.waiting:
        self.waiting.remove(request)
    else:
        self.pool.release(request)
""",
        true=("keeps-its-place",),
    ),
    wrong(
        "scheduler.finish",
        "the queue is a list afterwards, and has no popleft",
        """
def finish(self, request: Request) -> None:
    if request in self.running:
        self.pool.release(request)
    self.running = [other for other in self.running if other is not request]
    self.waiting = [other for other in self.waiting if other is not request]
""",
    ),
    wrong(
        "scheduler.finish",
        "takes one that has computed nothing yet for one that waits",
        """
def finish(self, request: Request) -> None:
    if request.computed > 0:
        self.running.remove(request)
        self.pool.release(request)
    else:
        self.waiting.remove(request)
""",
        true=("nothing-computed-waits",),
    ),
    wrong(
        "scheduler.finish",
        "ends whatever has nothing to compute, not the request that it is told of",
        """
def finish(self, request: Request) -> None:
    for done in [r for r in self.running if r.to_compute == 0]:
        self.running.remove(done)
        self.pool.release(done)
    if request in self.waiting:
        self.waiting.remove(request)
""",
        true=("full-answers-give-back",),
    ),
    right(
        "scheduler.finish",
        "asks forgiveness: try, except, else",
        """
def finish(self, request: Request) -> None:
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
        "del by index, found by identity, in either queue",
        """
def finish(self, request):
    for queue in (self.waiting, self.running):
        places = [k for k, one in enumerate(queue) if one is request]
        for k in reversed(places):
            del queue[k]
        if places and queue is self.running:
            self.pool.release(request)
""",
    ),
]

# ---------------------------------------------------------------- engine.phase

PHASE = [
    wrong(
        "engine.phase",
        "after a preemption the prompt goes in chunks, the answer token by token",
        """
def next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    if computed < prompt_tokens:  # it prefills, perhaps for the second time
        return min(prompt_tokens - computed, tokens_left)
    return min(1, tokens_left)
""",
        true=("prompt-then-one",),
    ),
    wrong(
        "engine.phase",
        "the whole rest, and a decode takes its token even if nothing is left",
        """
def next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    rest = prompt_tokens + answer_tokens - computed
    if rest == 1:
        return 1
    return min(rest, tokens_left)
""",
        true=("one-past-the-budget",),
    ),
    wrong(
        "engine.phase",
        "only the budget repaired, not what an answer says about the phase",
        """
def next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    if answer_tokens == 0:
        return min(prompt_tokens - computed, tokens_left)
    return min(1, tokens_left)
""",
        true=("answer-means-decode",),
    ),
    wrong(
        "engine.phase",
        "the last known token left out: a decode computes nothing",
        """
def next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    missing = prompt_tokens + max(answer_tokens - 1, 0) - computed
    return min(missing, tokens_left)
""",
        true=("one-too-few",),
    ),
    wrong(
        "engine.phase",
        "once behind the prompt one token a step, although a chunk may have been cut in the answer",
        """
def next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    if computed < prompt_tokens:
        return min(prompt_tokens + answer_tokens - computed, tokens_left)
    return min(1, tokens_left)
""",
        true=("one-behind-the-prompt",),
    ),
    wrong(
        "engine.phase",
        "ignores the budget",
        """
def next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    return prompt_tokens + answer_tokens - computed
""",
        true=("no-budget",),
    ),
    wrong(
        "engine.phase",
        "one token at least, against an empty budget",
        """
def next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    known = prompt_tokens + answer_tokens
    return max(1, min(known - computed, tokens_left))
""",
        true=("one-at-least",),
    ),
    wrong(
        "engine.phase",
        "sees a preemption only before its first chunk: computed == 0",
        """
def next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    if computed == 0:  # new, or preempted
        return min(prompt_tokens + answer_tokens, tokens_left)
    if answer_tokens == 0:
        return min(prompt_tokens - computed, tokens_left)
    return min(1, tokens_left)
""",
        true=("lost-at-its-first-chunk",),
    ),
    wrong(
        "engine.phase",
        "all or nothing: no chunk where the rest does not fit the budget",
        """
def next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    rest = prompt_tokens + answer_tokens - computed
    return rest if rest <= tokens_left else 0
""",
        true=("all-or-nothing",),
    ),
    right(
        "engine.phase",
        "the length of a range of token positions",
        """
def next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    end_known = prompt_tokens + answer_tokens
    end_budget = computed + tokens_left
    return len(range(computed, end_known if end_known < end_budget else end_budget))
""",
    ),
    right(
        "engine.phase",
        "numpy clip, as an int",
        """
def next_chunk(prompt_tokens, answer_tokens, computed, tokens_left):
    import numpy as np

    counts = np.array([prompt_tokens, answer_tokens, -computed])
    return int(np.clip(counts.sum(), 0, tokens_left))
""",
    ),
]

ANSWERS = [
    *ADMITTING,
    *PREFILLING,
    *PREEMPTING,
    *DECODING,
    *SCHEDULING,
    *COMMITTING,
    *FINISHING,
    *PHASE,
]
