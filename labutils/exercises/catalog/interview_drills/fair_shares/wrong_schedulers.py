"""Schedulers that do not survive the stories of the code drill, each by one mistake."""

from labutils.exercises.definition.patched import patched

from .schedulers import Fair

_SHEET = """
last-in-first-out: A tenant's newest request goes first. In which order did they come?
- self.waiting.setdefault(tenant, []).append((name, prompt_tokens))
+ self.waiting.setdefault(tenant, []).insert(0, (name, prompt_tokens))

ties-by-name: Equal counters go by the alphabet. What did the interviewer say of ties?
- key=self.counters.get
+ key=lambda tenant: (self.counters[tenant], tenant)

ties-to-the-last: Of equal counters the tenant that was seen last comes first.
- min(ready,
+ min(reversed(ready),

ties-to-the-oldest: Equal counters go by the age of the request. What did the interviewer say of
    ties?
= self.last = None
+ self.order = []
= self.waiting.setdefault(tenant, []).append((name, prompt_tokens))
+ self.order.append(name)
- return min(ready, key=self.counters.get)
+ came = {tenant: self.order.index(self.waiting[tenant][0][0]) for tenant in ready}
+ return min(ready, key=lambda tenant: (self.counters[tenant], came[tenant]))

first-come: The requests go in the order in which they came. Who is served by whoever sends most?
= self.last = None
+ self.order = []
= self.waiting.setdefault(tenant, []).append((name, prompt_tokens))
+ self.order.append(name)
- return min(ready, key=self.counters.get)
+ return min(ready, key=lambda tenant: self.order.index(self.waiting[tenant][0][0]))

takes-turns: Tenants take turns, request by request. Is a document as long as a question?
= self.last = None
+ self.picks = {}
- return min(ready, key=self.counters.get)
+ tenant = min(ready, key=lambda tenant: self.picks.get(tenant, 0))
+ self.picks[tenant] = self.picks.get(tenant, 0) + 1
+ return tenant

counts-requests: Each request counts as one. What does the machine spend its time on?
- self.charge(tenant, self.prompt_price * prompt_tokens)
+ self.charge(tenant, 1)
- self.charge(self.running[name], self.answer_price * tokens)

highest-first: Whoever was served most is next.
- min(ready, key=self.counters.get)
+ max(ready, key=self.counters.get)

forgets-the-prompt: Prompts cost nothing. What does a document of 16,000 tokens take?
- self.prompt_price * prompt_tokens
+ 0

charges-the-waiting: A tenant pays when it submits. What was it served by then?
- self.charge(tenant, self.prompt_price * prompt_tokens)
= self.waiting.setdefault(tenant, []).append((name, prompt_tokens))
+ self.charge(tenant, self.prompt_price * prompt_tokens)

forgets-the-answer: Tokens that were made cost nothing.
- self.charge(self.running[name], self.answer_price * tokens)

without-prices: You count tokens. They have prices.
- self.charge(tenant, self.prompt_price * prompt_tokens)
+ self.charge(tenant, prompt_tokens)
- self.charge(self.running[name], self.answer_price * tokens)
+ self.charge(self.running[name], tokens)

one-price: A token of the answer costs as much as one of the prompt. What are the two prices for?
- self.answer_price * tokens
+ self.prompt_price * tokens

prices-exchanged: The prompt is charged at the price of the answer, and the answer at that of the
    prompt.
- self.prompt_price, self.answer_price, self.weights = prompt_price, answer_price, weights
+ self.answer_price, self.prompt_price, self.weights = prompt_price, answer_price, weights

running-totals: A request is charged again for tokens of before. So many more, or so many in all?
= self.last = None
+ self.total = {}
- self.charge(self.running[name], self.answer_price * tokens)
+ self.total[name] = self.total.get(name, 0) + tokens
+ self.charge(self.running[name], self.answer_price * self.total[name])

charges-at-the-end: An answer is charged when it is complete. What may a tenant start until then?
= self.last = None
+ self.tokens = {}
- self.charge(self.running[name], self.answer_price * tokens)
+ self.tokens[name] = self.tokens.get(name, 0) + tokens
- self.last = self.running.pop(name)
+ self.charge(self.running[name], self.answer_price * self.tokens.pop(name, 0))
+ self.last = self.running.pop(name)

never-lifts: Idle time is credit: who comes late has the machine until it has caught up. Where
    should its counter begin?
- return max(self.counter(tenant), self.floor())
+ return self.counter(tenant)

lifts-strangers-only: A tenant that was here before keeps the low counter that it went with. For how
    long may it be away?
- return max(self.counter(tenant), self.floor())
+ return self.counters[tenant] if tenant in self.counters else self.floor()

lifts-to-the-highest: You lift to the highest counter. Who waits until everybody else has caught up?
- min(self.counters[tenant] for
+ max(self.counters[tenant] for

lifts-to-those-gone: You lift to the lowest counter of all who were ever there. Who was served
    little and left long ago sets it: among whom does a newcomer queue?
- return max(self.counter(tenant), self.floor())
+ others = [count for one, count in self.counters.items() if one != tenant]
+ floor = min(others) if self.active() and others else self.floor()
+ return max(self.counter(tenant), floor)

lifts-to-the-mean: You lift to the mean of the counters. Whom does a newcomer stand beside at once?
- return min(self.counters[tenant] for tenant in active)
+ return sum(self.counters[tenant] for tenant in active) / len(active)

lowers-too: A tenant goes, comes back, and what it had been served is forgotten. Can a counter fall?
- return max(self.counter(tenant), self.floor())
+ return self.floor()

forgets-who-left: The counter of a tenant whose last request has ended is gone.
= self.last = None
+ self.kept = 0
- return self.counter(self.last)
+ return self.kept
= self.last = self.running.pop(name)
+ if self.last not in self.active():
+     self.kept = self.counters.pop(self.last)

lifts-at-the-pick: Whoever only waits is lifted each time a place is free. At which event does a
    tenant become active?
- if tenant not in self.active():
-     self.counters[tenant] = self.lifted(tenant)
+ self.counters.setdefault(tenant, 0)
- ready = [tenant for tenant in self.counters if self.waiting.get(tenant)]
+ for tenant in self.active() - {*self.running.values()}:
+     others = [self.counters[other] for other in self.active() - {tenant}]
+     self.counters[tenant] = max([self.counters[tenant], *(others and [min(others)])])
+ ready = [tenant for tenant in self.counters if self.waiting.get(tenant)]

lifts-the-active: A tenant that waits is lifted since it sends another request. Has it been idle?
- if tenant not in self.active():
+ others = [self.counters[other] for other in self.active() - {tenant}]
+ if others and tenant in self.counters:
+     self.counters[tenant] = max(self.counters[tenant], min(others))
+ if tenant not in self.active():

waiting-is-active: A tenant whose requests all run counts as gone. When is a tenant active?
- return {t for t, line in self.waiting.items() if line} | {*self.running.values()}
+ return {t for t, line in self.waiting.items() if line}

as-in-the-paper: You count those in the queue, as the paper does, and its bound needs that. Here
    another rule was given: a tenant is active while a request of its own waits or runs.
= self.last = None
+ self.left = None
- return self.counter(self.last)
+ return self.counter(self.left)
- return {t for t, line in self.waiting.items() if line} | {*self.running.values()}
+ return {t for t, line in self.waiting.items() if line}
= self.running[name] = tenant
+ if not self.waiting[tenant]:
+     self.left = tenant

running-is-active: A tenant whose requests all wait counts as gone. When is a tenant active?
- return {t for t, line in self.waiting.items() if line} | {*self.running.values()}
+ return {*self.running.values()}

no-lift-at-night: After a night without requests a newcomer begins at 0, and others still owe. What
    did the interviewer say of a machine that was empty?
- return self.counter(self.last)
+ return 0

night-forgives: When the machine is empty for a moment, all counters begin anew. Can a counter fall?
= self.last = self.running.pop(name)
+ if not self.active():
+     self.counters = dict.fromkeys(self.counters, 0)

night-to-the-highest: After a night everybody begins at the highest counter there ever was. At whose
    did the interviewer say?
- return self.counter(self.last)
+ return max(self.counters.values(), default=0)

without-weights: Who bought a larger share gets the same. Where do weights come in?
- self.counters[tenant] += price / self.weights.get(tenant, 1)
+ self.counters[tenant] += price

weighs-twice: You divide by the weight when you charge, and again when you compare. How often does a
    share count?
- min(ready, key=self.counters.get)
+ min(ready, key=lambda tenant: self.counters[tenant] / self.weights.get(tenant, 1))

whole-charges: You cut parts of a token off. What is charged need not be whole.
- price / self.weights
+ price // self.weights

no-weight-no-entry: A tenant that has bought nothing is not in `weights`. Then its weight is 1.
- self.weights.get(tenant, 1)
+ self.weights[tenant]

multiplies-by-weight: Who bought a larger share gets a smaller one. Which way does the weight count?
- price / self.weights
+ price * self.weights

weighs-prompts: A share counts for prompts, and not for what is made.
- self.charge(self.running[name], self.answer_price * tokens)
+ self.counters[self.running[name]] += self.answer_price * tokens

weighs-answers: A share counts for what is made, and not for prompts.
- self.charge(tenant, self.prompt_price * prompt_tokens)
+ self.counters[tenant] += self.prompt_price * prompt_tokens

lifts-by-weight: The lift is divided by the weight. Counters are in shares already: to what is it
    lifted?
- self.floor())
+ self.floor() / self.weights.get(tenant, 1))
"""

MISTAKES = patched(Fair, _SHEET)
