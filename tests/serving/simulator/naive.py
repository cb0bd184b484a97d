"""Continuous batching told a second time, step by step and page by page, with nothing clever.

No prefix sharing. Pages are only counted. A client may give up. Used to check the real scheduler
and simulator.
"""


class Life:
    """One request: what it knows, what it has computed, how many pages it has."""

    def __init__(self, request, output_tokens):
        self.id, self.arrival_s = request.id, request.arrival_s
        self.end = request.prompt_tokens + output_tokens
        self.known, self.computed, self.pages = request.prompt_tokens, 0, 0
        self.preemptions, self.token_times_s, self.left_s = 0, [], None

    @property
    def decodes(self):
        return self.known - self.computed == 1


class Server:
    def __init__(self, max_sequences, num_pages, page_tokens, token_budget, chunked):
        self.max_sequences, self.token_budget, self.chunked = max_sequences, token_budget, chunked
        self.free, self.page_tokens = num_pages, page_tokens
        self.waiting, self.running = [], []

    def step(self):
        """Pairs (life, new tokens) of the next step."""
        if self.chunked:
            decodes, preempted = self.decodes()
            return decodes + self.prompts(self.token_budget - len(decodes), not preempted)
        return self.prompts(self.token_budget, True) or self.decodes()[0]

    def decodes(self):
        preempted = False
        while True:
            decoding = [one for one in self.running if one.decodes]
            short = [one for one in decoding if self.pages(one.known) > one.pages]
            if len(short) <= self.free:
                break
            self.preempt(self.running.pop())
            preempted = True
        for one in short:
            one.pages += 1
            self.free -= 1
        return [(one, 1) for one in decoding], preempted

    def preempt(self, one):
        self.free += one.pages
        one.pages, one.computed = 0, 0
        one.preemptions += 1
        self.waiting.insert(0, one)

    def prompts(self, budget, may_admit):
        chosen = []
        for one in self.running:
            if not one.decodes and budget > 0:
                chosen.append((one, min(one.known - one.computed, budget)))
                budget -= chosen[-1][1]
        while self.waiting and may_admit and len(self.running) < self.max_sequences and budget > 0:
            head = self.waiting[0]
            new = min(head.known, budget) if self.chunked else head.known
            if self.pages(head.known) > self.free or (new > budget and chosen):
                break
            head.pages = self.pages(head.known)
            self.free -= head.pages
            self.running.append(self.waiting.pop(0))
            chosen.append((head, new))
            budget -= new
        return chosen

    def leave(self, now, patience_s):
        for life in [
            one for one in self.running + self.waiting if one.arrival_s + patience_s <= now
        ]:
            (self.running if life in self.running else self.waiting).remove(life)
            self.free += life.pages
            life.left_s = now

    def pages(self, tokens):
        return -(-tokens // self.page_tokens)

    def carry_out(self, step, now):
        for one, new in step:
            one.computed += new
            if one.computed == one.known:
                one.known = one.known + 1
                one.token_times_s.append(now)
                if one.known == one.end:
                    self.running.remove(one)
                    self.free += one.pages


def serve(job, cost, *, num_pages, patience_s=float("inf"), **rules):
    """Lives of all requests; ``cost`` is a StepCost, used coefficient by coefficient."""
    server = Server(num_pages=num_pages, **rules)
    everybody = [Life(*pair) for pair in zip(job.requests, job.output_tokens)]
    coming, now = list(everybody), 0.0
    while coming or server.waiting or server.running:
        while coming and coming[0].arrival_s <= now + 1e-12:
            server.waiting.append(coming.pop(0))
        server.leave(now, patience_s)
        if not server.waiting and not server.running:
            if not coming:
                break
            now = coming[0].arrival_s
            continue
        step = server.step()
        now += duration(step, cost)
        server.carry_out(step, now)
    assert server.free == num_pages
    return everybody


def duration(step, cost):
    tokens = sum(new for _, new in step)
    seconds = cost.base_s + max(cost.weights_s, cost.per_linear_token_s * tokens)
    for one, new in step:
        if one.decodes:
            seconds += cost.per_sequence_s + cost.per_context_token_s * one.known
        else:
            pairs = sum(one.computed + i for i in range(1, new + 1))
            seconds += cost.per_prefill_token_s * new + cost.per_pair_s * pairs
    return seconds
