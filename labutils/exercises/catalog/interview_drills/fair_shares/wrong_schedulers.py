"""Schedulers that do not survive the stories of the code drill, each by one mistake."""

from .schedulers import Fair


class LastInFirstOut(Fair):
    def submit(self, name, tenant, prompt_tokens):
        super().submit(name, tenant, prompt_tokens)
        self.waiting[tenant].insert(0, self.waiting[tenant].pop())


class FirstComeFirstServed(Fair):
    """The line is one for all."""

    def __init__(self, prompt_price, answer_price, weights):
        super().__init__(prompt_price, answer_price, weights)
        self.order = []

    def submit(self, name, tenant, prompt_tokens):
        super().submit(name, tenant, prompt_tokens)
        self.order.append(name)

    def first(self, ready):
        return min(ready, key=lambda tenant: self.order.index(self.waiting[tenant][0][0]))


class TakesTurns(Fair):
    """One request each, in turn."""

    def __init__(self, prompt_price, answer_price, weights):
        super().__init__(prompt_price, answer_price, weights)
        self.picks = {}

    def first(self, ready):
        tenant = min(ready, key=lambda t: self.picks.get(t, 0))
        self.picks[tenant] = self.picks.get(tenant, 0) + 1
        return tenant


class CountsRequests(Fair):
    """Each request costs one."""

    def pick(self):
        self.prompt_price, price = 0, self.prompt_price
        name = super().pick()
        self.prompt_price = price
        if name is not None:
            self.charge(self.running[name], 1)
        return name

    def made(self, name, tokens):
        pass


class HighestFirst(Fair):
    def first(self, ready):
        return max(ready, key=self.counters.get)


class TiesByName(Fair):
    def first(self, ready):
        return min(ready, key=lambda tenant: (self.counters[tenant], tenant))


class TiesToTheLast(Fair):
    """Of several the one that was seen last."""

    def first(self, ready):
        return min(reversed(ready), key=self.counters.get)


class TiesToTheOldest(Fair):
    """Of several the one whose request came first."""

    def __init__(self, prompt_price, answer_price, weights):
        super().__init__(prompt_price, answer_price, weights)
        self.order = []

    def submit(self, name, tenant, prompt_tokens):
        super().submit(name, tenant, prompt_tokens)
        self.order.append(name)

    def first(self, ready):
        came = {tenant: self.order.index(self.waiting[tenant][0][0]) for tenant in ready}
        return min(ready, key=lambda tenant: (self.counters[tenant], came[tenant]))


class ForgetsThePrompt(Fair):
    def pick(self):
        self.prompt_price = 0
        return super().pick()


class ForgetsTheAnswer(Fair):
    def made(self, name, tokens):
        pass


class OnePrice(Fair):
    """A token of the answer costs as much as one of the prompt."""

    def made(self, name, tokens):
        self.charge(self.running[name], self.prompt_price * tokens)


class RunningTotals(Fair):
    """Charges all that a request has made so far, each time."""

    def __init__(self, prompt_price, answer_price, weights):
        super().__init__(prompt_price, answer_price, weights)
        self.total = {}

    def made(self, name, tokens):
        self.total[name] = self.total.get(name, 0) + tokens
        super().made(name, self.total[name])


class ChargesTheWaiting(Fair):
    """Counts a prompt when it is submitted."""

    def submit(self, name, tenant, prompt_tokens):
        super().submit(name, tenant, prompt_tokens)
        self.charge(tenant, self.prompt_price * prompt_tokens)

    def pick(self):
        price, self.prompt_price = self.prompt_price, 0
        name = super().pick()
        self.prompt_price = price
        return name


class ChargesAtTheEnd(Fair):
    """Counts the answer when it is complete."""

    def __init__(self, prompt_price, answer_price, weights):
        super().__init__(prompt_price, answer_price, weights)
        self.tokens = {}

    def made(self, name, tokens):
        self.tokens[name] = self.tokens.get(name, 0) + tokens

    def done(self, name):
        super().made(name, self.tokens.pop(name, 0))
        super().done(name)


class NeverLifts(Fair):
    """Idle time is credit."""

    def lifted(self, tenant):
        return self.counter(tenant)


class LiftsStrangersOnly(Fair):
    """Lifts a tenant that it has never seen."""

    def lifted(self, tenant):
        return self.counters[tenant] if tenant in self.counters else super().lifted(tenant)


class LiftsToTheHighest(Fair):
    def floor(self):
        active = self.active()
        return max(self.counters[t] for t in active) if active else super().floor()


class LiftsToTheMean(Fair):
    def floor(self):
        active = self.active()
        if not active:
            return super().floor()
        return sum(self.counters[t] for t in active) / len(active)


class LowersToo(Fair):
    """A tenant that comes back begins at the lowest counter, whatever it had been served."""

    def lifted(self, tenant):
        return self.floor()


class LiftsTheActive(Fair):
    """Each request lifts its tenant to the lowest of the others."""

    def submit(self, name, tenant, prompt_tokens):
        others = [self.counters[t] for t in self.active() - {tenant}]
        if others and tenant in self.counters:
            self.counters[tenant] = max(self.counters[tenant], min(others))
        super().submit(name, tenant, prompt_tokens)


class WaitingIsActive(Fair):
    """Whoever only has requests at work counts as gone."""

    def active(self):
        return {tenant for tenant, line in self.waiting.items() if line}


class AsInThePaper(WaitingIsActive):
    """Active is who waits, and the last to leave is whose line became empty last."""

    def pick(self):
        name = super().pick()
        if name is not None and not self.waiting[self.running[name]]:
            self.left = self.running[name]
        return name

    def floor(self):
        active = self.active()
        least = [self.counters[tenant] for tenant in active]
        return min(least) if active else self.counter(getattr(self, "left", None))


class RunningIsActive(Fair):
    """Whoever only waits is not there yet."""

    def active(self):
        return {*self.running.values()}


class NoLiftAtNight(Fair):
    """Where nobody is active, there is nobody to be lifted to."""

    def floor(self):
        return super().floor() if self.active() else 0


class NightForgives(Fair):
    """When the last request ends, all counters begin anew."""

    def done(self, name):
        super().done(name)
        if not self.active():
            self.counters = dict.fromkeys(self.counters, 0)


class NightToTheHighest(Fair):
    """After a night everybody begins at the highest counter there ever was."""

    def floor(self):
        return super().floor() if self.active() else max(self.counters.values(), default=0)


class ForgetsWhoLeft(Fair):
    """A tenant whose last request ends is a stranger again."""

    def done(self, name):
        super().done(name)
        if self.last not in self.active():
            self.kept = self.counters.pop(self.last)

    def floor(self):
        return super().floor() if self.active() else getattr(self, "kept", 0)


class WithoutWeights(Fair):
    def charge(self, tenant, price):
        self.counters[tenant] += price


class MultipliesByWeight(Fair):
    """Who paid for more is charged more."""

    def charge(self, tenant, price):
        self.counters[tenant] += price * self.weights.get(tenant, 1)


class WeighsPrompts(Fair):
    """The weight counts for prompts alone."""

    def made(self, name, tokens):
        self.counters[self.running[name]] += self.answer_price * tokens


class WeighsAnswers(Fair):
    """The weight counts for answers alone."""

    def pick(self):
        weights, self.weights = self.weights, {}
        name = super().pick()
        self.weights = weights
        return name


class LiftsByWeight(Fair):
    """Divides the lift by the weight, too."""

    def lifted(self, tenant):
        return max(self.counter(tenant), self.floor() / self.weights.get(tenant, 1))


class LiftsAtThePick(Fair):
    """Lifts those who only wait, each time a place is free."""

    def submit(self, name, tenant, prompt_tokens):
        self.counters.setdefault(tenant, 0)
        self.waiting.setdefault(tenant, []).append((name, prompt_tokens))

    def pick(self):
        for tenant in self.active() - {*self.running.values()}:
            others = [self.counters[other] for other in self.active() - {tenant}]
            self.counters[tenant] = max([self.counters[tenant], *(others and [min(others)])])
        return super().pick()
