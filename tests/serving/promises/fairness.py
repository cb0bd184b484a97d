"""Books of what each tenant was served, kept from outside the policy that is on trial."""

from itertools import combinations


class Fairness:
    """A scheduler in between that reckons weighted service from the plans alone.

    ``worst`` is the largest difference of what two tenants were served within a stretch in which
    both had requests waiting all the time. ``idle`` counts steps that left a place, budget and
    memory for a request that waited.
    """

    def __init__(self, scheduler, promises, *, prompt_price, answer_price):
        self.inner, self.promises, self.pool = scheduler, promises, scheduler.pool
        self.max_sequences, self.token_budget = scheduler.max_sequences, scheduler.token_budget
        self.prompt_price, self.answer_price = prompt_price, answer_price
        self.waiting, self.running, self.done, self.made = [], [], {}, {}
        self.served, self.spans = {}, {}
        self.worst = self.idle = 0

    def add(self, request):
        self.inner.add(request)
        self.waiting.append(request)
        self.done[request] = self.made[request] = 0
        self.look()

    def schedule(self, now_s):
        plan = self.inner.schedule(now_s)
        for one, new in plan.chunks if plan else ():
            if one in self.waiting:
                self.waiting.remove(one)
                self.running.append(one)
                self.serve(one, self.prompt_price * one.prompt_tokens)
            self.done[one] += new
        tokens = sum(new for _, new in plan.chunks) if plan else 0
        room = len(self.running) < self.max_sequences and tokens < self.token_budget
        chosen = self.inner.waiting[0] if self.waiting else None
        self.idle += bool(chosen and room and self.pool.fits(chosen) and self.inner.chunked)
        return plan

    def commit(self, plan):
        self.inner.commit(plan)
        for one, _ in plan.chunks:
            if self.done[one] == one.prompt_tokens + self.made[one]:
                self.made[one] += 1
                self.serve(one, self.answer_price)

    def finish(self, request):
        self.running.remove(request)
        self.inner.finish(request)

    def serve(self, request, price):
        tenant = self.promises.tenant(request)
        self.served[tenant.name] = self.served.get(tenant.name, 0) + price / tenant.weight
        self.look()

    def look(self):
        names = sorted({self.promises[one.id].tenant for one in self.waiting})
        before, self.spans = self.spans, {}
        for pair in combinations(names, 2):
            apart = self.served.get(pair[0], 0) - self.served.get(pair[1], 0)
            low, high = before.get(pair, (apart, apart))
            self.spans[pair] = min(low, apart), max(high, apart)
            self.worst = max(self.worst, self.spans[pair][1] - self.spans[pair][0])
