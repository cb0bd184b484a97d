"""The scheduler of the code drill, as the workbook writes it.

The virtual token counter of Sheng et al. (OSDI 2024), with weights, but for one rule: the paper
lifts a tenant that has nothing in its queue, this one only a tenant that runs nothing either. So
the paper's bound does not hold here.
"""


class Fair:
    """Who was served least, in tokens by price and weight, is next.

    Invariant: each tenant that was ever seen has a counter, and counters never fall. A tenant is
    active while a request of its own waits or runs.
    """

    def __init__(self, prompt_price, answer_price, weights):
        self.prompt_price, self.answer_price, self.weights = prompt_price, answer_price, weights
        self.counters, self.waiting, self.running = {}, {}, {}
        self.last = None

    def submit(self, name, tenant, prompt_tokens):
        """A request waits from now on."""
        if tenant not in self.active():
            self.counters[tenant] = self.lifted(tenant)
        self.waiting.setdefault(tenant, []).append((name, prompt_tokens))

    def lifted(self, tenant):
        """The counter of a tenant that becomes active: idle time is no credit."""
        return max(self.counter(tenant), self.floor())

    def floor(self):
        """The lowest counter of the active; of the tenant that left last, where nobody is."""
        if active := self.active():
            return min(self.counters[tenant] for tenant in active)
        return self.counter(self.last)

    def active(self):
        """Tenants with a request that waits or runs."""
        return {t for t, line in self.waiting.items() if line} | {*self.running.values()}

    def pick(self):
        """The name of the request that starts now; None where nobody waits."""
        ready = [tenant for tenant in self.counters if self.waiting.get(tenant)]
        if not ready:
            return None
        tenant = self.first(ready)
        name, prompt_tokens = self.waiting[tenant].pop(0)
        self.running[name] = tenant
        self.charge(tenant, self.prompt_price * prompt_tokens)
        return name

    def first(self, ready):
        """The tenant with the lowest counter; of several the one that was seen first."""
        return min(ready, key=self.counters.get)

    def made(self, name, tokens):
        """A running request has made so many tokens more."""
        self.charge(self.running[name], self.answer_price * tokens)

    def charge(self, tenant, price):
        """Count what a tenant was served."""
        self.counters[tenant] += price / self.weights.get(tenant, 1)

    def done(self, name):
        """A request has ended."""
        self.last = self.running.pop(name)

    def counter(self, tenant):
        """What a tenant was served; 0 for a stranger."""
        return self.counters.get(tenant, 0)
