"""Fair schedulers that each make one mistake: parts to be laid over the course's own.

``over_the_courses`` puts the two together: importing the course's takes longer than this chapter.
"""


def over_the_courses(mistake: type) -> type:
    """A scheduler that makes this mistake, and is right otherwise."""
    from labutils.serving.promises.policies import TokenCounters

    return type(mistake.__name__, (mistake, TokenCounters), {})


def _plain() -> type:
    """The scheduler below the course's, which charges for nothing."""
    from labutils.serving.promises.policies.counted import Counted

    return Counted


class _Lifts:
    """Lifts the counter of a tenant that comes back to what ``lifted`` says."""

    def wait(self, request, *, first=False):
        tenant, lines = self.promises[request.id].tenant, self.waiting.lines
        if tenant not in lines:
            others = list(lines) or ([self.waiting.left] if self.waiting.left else [])
            own = self.counters.get(tenant, 0.0)
            known = [self.counters.get(one, 0.0) for one in others]
            self.counters[tenant] = self.lifted(tenant, own, known)
        _plain().wait(self, request, first=first)

    def lifted(self, tenant, own, known):
        return max(own, min(known, default=0.0))


class _PaysOnce:
    """Charges a prompt once, also where its request lost its memory and starts again."""

    def charge_prompt(self, request):
        if not request.preemptions:
            self.charge(request, self.price(request))

    def price(self, request):
        return self.prompt_price * request.prompt_tokens


class _Commits:
    def commit(self, plan):
        for request, new in plan.chunks:
            self.charge(request, self.answer_price * self.made(request, new))
        _plain().commit(self, plan)

    def made(self, request, new):
        return request.computed + new == request.known


class Wrong:
    class NeverLifts(_Lifts):
        """Idle time is credit: whoever comes late has the machine until it has caught up. Where
        should its counter begin?"""

        def lifted(self, tenant, own, known):
            return own

    class LiftsToTheHighest(_Lifts):
        """You lift to the highest counter. Who waits until everybody else has caught up?"""

        def lifted(self, tenant, own, known):
            return max(own, max(known, default=0.0))

    class LiftsToTheMean(_Lifts):
        """You lift to the mean of the counters. Who is behind it, and goes first now?"""

        def lifted(self, tenant, own, known):
            return max(own, sum(known) / len(known) if known else 0.0)

    class LowersToo(_Lifts):
        """A tenant goes, comes back, and what it had been served is forgotten. Can a counter
        fall?"""

        def lifted(self, tenant, own, known):
            return min(known, default=own)

    class LowestOfAll(_Lifts):
        """You lift to the lowest counter there is, also of tenants that are away. Beside whom does
        the newcomer stand in the queue?"""

        def lifted(self, tenant, own, known):
            others = [value for name, value in self.counters.items() if name != tenant]
            return max(own, min(others, default=0.0))

    class LowestWithItsOwn(_Lifts):
        """You take the lowest counter there is, and the tenant's own is among them. Beside whom
        does it stand in the queue?"""

        def lifted(self, tenant, own, known):
            return max(own, min(self.counters.values(), default=0.0))

    class LowerOfTheTwo(_Lifts):
        """You take the lower one of its own counter and the others'. Can a counter fall?"""

        def lifted(self, tenant, own, known):
            return min([own, *known])

    class StrangersOnly(_Lifts):
        """A tenant that was here before keeps the low counter with which it went. For how long may
        it be away?"""

        def lifted(self, tenant, own, known):
            return own if tenant in self.counters else super().lifted(tenant, own, known)

    class NoLiftWhenEmpty(_Lifts):
        """Nobody waits, so you lift to nothing. Others were served a moment ago: what is
        `self.waiting.left` for?"""

        def lifted(self, tenant, own, known):
            return super().lifted(tenant, own, known) if self.waiting.lines else own

    class RunningIsActive(_Lifts):
        """You do not lift a tenant while a request of its own runs. The queue is what counts here:
        a long answer is no right to the low counter of before."""

        def lifted(self, tenant, own, known):
            runs = any(self.promises[one.id].tenant == tenant for one in self.running)
            return own if runs else super().lifted(tenant, own, known)

    class AddsTheLift(_Lifts):
        """You add the lowest counter to its own. Where should it stand, at least?"""

        def lifted(self, tenant, own, known):
            return own + min(known, default=0.0)

    class CountsRequests(_PaysOnce):
        """Each request counts as one. What does the machine spend its time on?"""

        def price(self, request):
            return 1

        def commit(self, plan):
            _plain().commit(self, plan)

    class ForgetsThePrompt:
        """Prompts cost nothing. What does a document of 15,000 tokens take?"""

        def charge_prompt(self, request):
            pass

    class ForgetsTheAnswer:
        """Tokens that were made cost nothing. In which verb do you hear of them?"""

        def commit(self, plan):
            _plain().commit(self, plan)

    class OnePrice(_PaysOnce):
        """A token of a prompt costs as much as one of an answer. What are the two prices for?"""

        def price(self, request):
            return self.answer_price * request.prompt_tokens

    class PriceOfARequest(_PaysOnce):
        """A prompt costs the same however long it is. What is `prompt_price` the price of?"""

        def price(self, request):
            return self.prompt_price

    class TokensWithoutAPrice(_PaysOnce):
        """You charge the tokens of a prompt without their price."""

        def price(self, request):
            return request.prompt_tokens

    class AnswersAtThePriceOfPrompts(_Commits):
        """A token of an answer costs as much as one of a prompt. What are the two prices for?"""

        def commit(self, plan):
            prices, self.answer_price = self.answer_price, self.prompt_price
            super().commit(plan)
            self.answer_price = prices

    class ReservesTheLongest(_PaysOnce):
        """You charge the longest answer when a request starts. Most answers never get that long:
        charge what is served, when it is served."""

        def price(self, request):
            return super().price(request) + self.answer_price * request.max_output_tokens

        def commit(self, plan):
            _plain().commit(self, plan)

    class ChargesOnArrival:
        """A tenant pays when its request arrives. What was it served by then?"""

        def wait(self, request, *, first=False):
            super().wait(request, first=first)
            self.charge(request, self.prompt_price * request.prompt_tokens)

        def charge_prompt(self, request):
            pass

    class PaysTwice:
        """A request that lost its memory starts again, and its tenant pays for the prompt again.
        Whose fault is it that memory ran out?"""

        def charge_prompt(self, request):
            self.charge(request, self.prompt_price * request.prompt_tokens)

    class EveryChunk(_Commits):
        """Every chunk pays for a token of an answer. Which chunk makes one?"""

        def made(self, request, new):
            return 1

    class TokensOfTheChunk(_Commits):
        """A chunk of a prompt pays the price of answers for all its tokens. It was paid for when
        the request started."""

        def made(self, request, new):
            return new

    class TokensOfTheLastChunk(_Commits):
        """The chunk that ends a prompt pays for all its tokens. How many tokens of an answer does
        it make?"""

        def made(self, request, new):
            return new * super().made(request, new)

    class FirstIsFree(_Commits):
        """The first token of each answer is free. The chunk that ends a prompt makes one."""

        def made(self, request, new):
            return request.computed >= request.prompt_tokens

    class WhileItIsComputedAgain(_Commits):
        """A request that lost its memory computes its answer again, and each chunk of that is
        charged as a new token. Which chunk reaches the last token that is known?"""

        def made(self, request, new):
            return request.computed + new >= request.prompt_tokens

    class ChunksOfOne(_Commits):
        """You charge chunks of one token. What of the chunk that ends a prompt, and of a prompt
        that was cut so that one is left?"""

        def made(self, request, new):
            return new == 1
