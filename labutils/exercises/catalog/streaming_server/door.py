"""streaming.door · The door · 9 minutes

> Five questions in order: open to this tenant? Room for its prompt in the queue? A place? Its
  deadline? Its budget? Whoever says no raises. Then the two books, and a ticket.
> Room: refuse if somebody waits already and the sum would be above `self.limits.waiting_tokens`.
  Places: `self.limits.open_requests`. `raise self.full(why)` is 503. A budget: `bucket =
  self.buckets.get(tenant)`, None for who has none.
> if bucket and not bucket.allow(tenant, tokens, now_s): raise self.over_budget(tokens,
  bucket.wait(tenant, tokens, now_s)), where tokens = prompt_tokens + max_tokens; it comes last,
  since `allow` takes what it allows.

A queue is bounded in what it holds up. That is prefill work, so it is bounded in tokens of prompts;
a bound in requests is a bound in nothing, since one may be a thousand times as long as another. The
two refusals mean different things to a client: 429 says that *you* are over your limit and when it
will have room (`Retry-After`), 503 says that *we* are full: try another replica. The budget is
asked last, because asking takes: whoever is turned away for another reason shall not have paid.
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise
from labutils.exercises.running.assembly import assembled
from labutils.server.admission import Admission, Limits
from labutils.server.protocol import ProtocolError
from labutils.serving.promises import Tenant
from labutils.serving.runs.step_cost import StepCost

from .virtual_stage import mistakes_of

COST = StepCost(0.004, per_prefill_token_s=0.001)
TENANTS = (Tenant(name="blue", tokens_per_s=10, burst_tokens=60), Tenant(name="red"))


def answered(admit):
    """How the check tries ``admit``: what each asker hears, and the books after it.

    ``asks`` are (seconds since the one before, tenant, prompt, answer, ttft_ms or None, what it
    does: "waits", "starts" or "ends" at once). From number ``drains_at`` on the server drains.
    """
    if not callable(admit):
        return admit

    def told(waiting_tokens, open_requests, asks, drains_at):
        limits = Limits(waiting_tokens, open_requests, TENANTS)
        desk = assembled(Admission, admit=admit)(limits, step_cost=COST, token_budget=32)
        heard, now_s = [], 0.0
        for number, (gap_s, *ask) in enumerate(asks):
            now_s += gap_s
            desk.is_draining = number >= drains_at
            heard.append([_told(desk, ask, now_s), _books(desk, now_s)])
        return heard

    return told


def _told(desk, ask, now_s) -> str:
    tenant, prompt, answer, ttft_ms, then = ask
    wanted_s = math.inf if ttft_ms is None else ttft_ms / 1e3
    try:
        ticket = desk.admit(tenant, prompt, answer, now_s, ttft_s=wanted_s)
    except ProtocolError as error:
        again = error.retry_after_s
        return f"{error.status} {error.code}" + (f", again in {again:.3g} s" if again else "")
    if isinstance(ticket, ProtocolError):
        return f"nothing: {ticket.status} {ticket.code} is returned, and not raised"
    if then == "starts":
        desk.started(ticket)
    if then == "ends":
        desk.ended(ticket, prompt + answer // 2, now_s)
    return f"a ticket of {ticket.tenant} for {ticket.prompt_tokens} of {ticket.most_tokens} tokens"


def _books(desk, now_s) -> dict:
    level = round(desk.buckets["blue"].filled("blue", now_s), 6)
    return {"waiting": desk.waiting_tokens, "open": desk.open_requests, "blue": level}


def says(got, expected) -> str:
    """The first asker that hears something else, or leaves other books."""
    for number, (one, other) in enumerate(zip(got, expected)):
        if one[0] != other[0]:
            return f"Asker {number} hears: {one[0]}; expected: {other[0]}."
        if one[1] != other[1]:
            return f"After asker {number} ({one[0]}) the books are {one[1]}, expected {other[1]}."
    return ""


_ADMIT = Admission.admit


def _some_days():
    """Up to nine askers of three tenants before small limits."""
    from hypothesis import strategies as st

    ask = st.tuples(
        st.sampled_from([0.0, 0.0, 0.5, 2.0]), st.sampled_from(["blue", "blue", "red", "green"]),
        st.integers(1, 40), st.integers(1, 30), st.sampled_from([None, None, 30, 80]),
        st.sampled_from(["waits", "waits", "starts", "ends"]),
    )  # fmt: skip
    asks = st.lists(ask, min_size=1, max_size=9)
    return st.tuples(st.integers(20, 60), st.integers(1, 5), asks, st.sampled_from([99, 99, 4]))


def _waits(tenant, prompt, answer=5, ttft_ms=None, then="waits", gap_s=0.0):
    return (gap_s, tenant, prompt, answer, ttft_ms, then)


_MISTAKES = """
counts-heads: You count requests alone. One of them may bring a prompt of ten thousand tokens: in
    what is the queue bounded?
- if self.waiting_tokens and waiting > limits.waiting_tokens:
+ if False:

never-a-long-one: A prompt longer than the bound never comes in, even if nobody waits. Who will ever
    serve it?
- if self.waiting_tokens and waiting > limits.waiting_tokens:
+ if waiting > limits.waiting_tokens:

one-place-too-many: One more is open than may be.
- if self.open_requests >= limits.open_requests:
+ if self.open_requests > limits.open_requests:

full-at-the-bound: So many tokens may wait, and you refuse the one that makes it just as many.
- if self.waiting_tokens and waiting > limits.waiting_tokens:
+ if self.waiting_tokens and waiting >= limits.waiting_tokens:

without-this-prompt: You look at what waits already, and not at the prompt that comes. Would both
    fit?
- if self.waiting_tokens and waiting > limits.waiting_tokens:
+ if self.waiting_tokens > limits.waiting_tokens:

answers-stay-in-the-queue: You write the answer into the queue as well. What waits there is the
    prompt.
- self.waiting_tokens = waiting
+ self.waiting_tokens = waiting + max_tokens

waits-if-anybody-is-open: The bound counts only if somebody waits. A request that is open may run.
- if self.waiting_tokens and waiting > limits.waiting_tokens:
+ if self.open_requests and waiting > limits.waiting_tokens:

answers-wait-too: You count answers into the queue. What waits there for its turn is the prompt.
- waiting = self.waiting_tokens + prompt_tokens
+ waiting = self.waiting_tokens + prompt_tokens + max_tokens

pays-before-the-door: A tenant pays for a request that the server then turns away. Which question
    comes last?
= limits, tokens = self.limits, prompt_tokens + max_tokens
+ bucket = self.buckets.get(tenant)
+ if bucket and not bucket.allow(tenant, tokens, now_s):
+     raise self.over_budget(tokens, bucket.wait(tenant, tokens, now_s))
= self.keeps(prompt_tokens, ttft_s)
- bucket = self.buckets.get(tenant)
- if bucket and not bucket.allow(tenant, tokens, now_s):
-     raise self.over_budget(tokens, bucket.wait(tenant, tokens, now_s))

pays-for-the-prompt: You take the prompt alone from the budget. The answer costs more; what is not
    used of it flows back at the end.
- if bucket and not bucket.allow(tenant, tokens, now_s):
+ if bucket and not bucket.allow(tenant, prompt_tokens, now_s):

pays-before-the-deadline: A tenant pays for a request that comes too late. Which question comes
    last?
- self.keeps(prompt_tokens, ttft_s)
= bucket = self.buckets.get(tenant)
= if bucket and not bucket.allow(tenant, tokens, now_s):
=     raise self.over_budget(tokens, bucket.wait(tenant, tokens, now_s))
+ self.keeps(prompt_tokens, ttft_s)

pays-for-the-answer: You take the answer alone from the budget. It counts the prompt as well.
- if bucket and not bucket.allow(tenant, tokens, now_s):
+ if bucket and not bucket.allow(tenant, max_tokens, now_s):

asks-and-never-takes: You ask the bucket how long it would take, and nobody takes the tokens: the
    budget never gets less. Which of its two methods takes?
- if bucket and not bucket.allow(tenant, tokens, now_s):
+ if bucket and bucket.wait(tenant, tokens, now_s) != 0:

no-budget-no-entry: A tenant without a budget is turned away. For it nothing is counted.
- if bucket and not bucket.allow(tenant, tokens, now_s):
+ if not bucket or not bucket.allow(tenant, tokens, now_s):

full-for-the-budget: The tenant has used up its budget and you say 503, as if the server were full.
    Another server would refuse it, too: whose limit is it?
- raise self.over_budget(tokens, bucket.wait(tenant, tokens, now_s))
+ raise self.full("over budget")

open-to-all: You never ask whether the server is open to this tenant. It may be draining.
- self.is_open_to(tenant)

waits-for-an-answer: `is_open_to` raises where it means no, and returns nothing. You take that for
    a no.
- self.is_open_to(tenant)
+ if not self.is_open_to(tenant):
+     raise self.full("closed")

keeps-is-no-answer: `keeps` raises where it means no, and returns nothing. You take that for a no.
- self.keeps(prompt_tokens, ttft_s)
+ if not self.keeps(prompt_tokens, ttft_s):
+     raise self.full("too late")

keeps-for-the-answer: You ask whether prompt and answer can be in time. The deadline is for the
    first token: `keeps` wants the prompt's.
- self.keeps(prompt_tokens, ttft_s)
+ self.keeps(tokens, ttft_s)

books-before-it-asks: You write a request down before you ask, and what is refused then stays in the
    books. When is it certain that it comes in?
= waiting = self.waiting_tokens + prompt_tokens
+ some, self.waiting_tokens = self.waiting_tokens, waiting
+ self.open_requests += 1
- if self.waiting_tokens and waiting > limits.waiting_tokens:
+ if some and waiting > limits.waiting_tokens:
- if self.open_requests >= limits.open_requests:
+ if self.open_requests > limits.open_requests:
- self.waiting_tokens = waiting
- self.open_requests += 1

ticket-of-the-answer: A ticket holds the prompt's tokens, and those of prompt and answer together.
    Yours has the answer alone.
- return Ticket(tenant, prompt_tokens, tokens)
+ return Ticket(tenant, prompt_tokens, max_tokens)

no-deadlines: You let in whoever cannot be served in time. `self.keeps` says no to them.
- self.keeps(prompt_tokens, ttft_s)

deadline-before-room: You look at the deadline before the queue and the places. Where both say no,
    which of the two has a client to hear?
- self.keeps(prompt_tokens, ttft_s)
= waiting = self.waiting_tokens + prompt_tokens
+ self.keeps(prompt_tokens, ttft_s)

deadline-after-the-books: Whoever would be too late is refused when all is written down, and stays
    in the books. When is it certain that it comes in?
- self.keeps(prompt_tokens, ttft_s)
= self.open_requests += 1
+ self.keeps(prompt_tokens, ttft_s)

prompt-for-both: You count the prompt alone, for the budget and on the ticket. The longest answer
    belongs to both.
- limits, tokens = self.limits, prompt_tokens + max_tokens
+ limits, tokens = self.limits, prompt_tokens

waits-for-the-prompt: You say when the budget has room for the prompt alone. What was refused?
- raise self.over_budget(tokens, bucket.wait(tenant, tokens, now_s))
+ raise self.over_budget(tokens, bucket.wait(tenant, prompt_tokens, now_s))

returns-the-refusal: You return the refusal, and whoever called takes it for a ticket. How does an
    error reach them?
- raise self.full(f"{waiting:,} tokens of prompts would wait")
+ return self.full(f"{waiting:,} tokens of prompts would wait")
- raise self.full(f"{self.open_requests} requests are open")
+ return self.full(f"{self.open_requests} requests are open")
- raise self.over_budget(tokens, bucket.wait(tenant, tokens, now_s))
+ return self.over_budget(tokens, bucket.wait(tenant, tokens, now_s))

forgets-the-prompt: You let a prompt in and do not write it down: the queue stays empty on paper,
    however much waits.
- self.waiting_tokens = waiting

forgets-the-place: You give a place away and do not write it down: the server is never full.
- self.open_requests += 1

books-the-refused: A request that its budget refuses stays in the books, and nobody puts that back.
    When is it certain that it comes in?
= self.keeps(prompt_tokens, ttft_s)
+ self.waiting_tokens = waiting
+ self.open_requests += 1
=     raise self.over_budget(tokens, bucket.wait(tenant, tokens, now_s))
- self.waiting_tokens = waiting
- self.open_requests += 1

blames-the-client: The server is full and you say 429, the tenant's own limit. A client slows down
    for that one, and goes to another server for the other: which is which?
- raise self.full(f"{waiting:,} tokens of prompts would wait")
+ raise self.over_budget(tokens, 1.0)
"""

DOOR = exercise(
    __doc__,
    Function(
        reference=answered(_ADMIT),
        inputs=_some_days,
        says=says,
        always=(
            (30, 5, [_waits("red", 50), _waits("red", 1)], 99),
            (30, 5, [_waits("red", 10), _waits("red", 20), _waits("red", 1)], 99),
            (30, 2, [_waits("red", 1, then="starts")] * 3, 99),
            (30, 5, [_waits("red", 10, then="starts"), _waits("red", 40)], 99),
            (30, 5, [_waits("red", 25), _waits("blue", 20), _waits("blue", 4, 50)], 99),
            (90, 5, [_waits("blue", 30, 25), _waits("blue", 10, 10), _waits("blue", 9, 70)], 99),
            (90, 5, [_waits("red", 40, ttft_ms=30), _waits("blue", 40, ttft_ms=30)], 99),
            (90, 5, [_waits("blue", 20), _waits("green", 5), _waits("red", 5)], 2),
        ),
        misconceptions=mistakes_of(answered, _ADMIT, _MISTAKES),
    ),
)
