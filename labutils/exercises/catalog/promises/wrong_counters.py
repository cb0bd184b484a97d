"""Fair schedulers that each make one mistake, over the course's own."""

from labutils.serving.promises.policies import TokenCounters
from labutils.serving.promises.policies.counted import Counted


class _Lifts(TokenCounters):
    """A tenant that comes back is put where ``lifted`` says."""

    def wait(self, request, *, first=False):
        tenant, lines = self.promises[request.id].tenant, self.waiting.lines
        if tenant not in lines:
            others = list(lines) or ([self.waiting.left] if self.waiting.left else [])
            own = self.counters.get(tenant, 0.0)
            known = [self.counters.get(one, 0.0) for one in others]
            self.counters[tenant] = self.lifted(tenant, own, known)
        Counted.wait(self, request, first=first)

    def lifted(self, tenant, own, known):
        return max(own, min(known, default=0.0))


class NeverLifts(_Lifts):
    def lifted(self, tenant, own, known):
        return own


class LiftsToTheHighest(_Lifts):
    def lifted(self, tenant, own, known):
        return max(own, max(known, default=0.0))


class LiftsToTheMean(_Lifts):
    def lifted(self, tenant, own, known):
        return max(own, sum(known) / len(known) if known else 0.0)


class LowersToo(_Lifts):
    def lifted(self, tenant, own, known):
        return min(known, default=own)


class LowestOfAll(_Lifts):
    def lifted(self, tenant, own, known):
        others = [value for name, value in self.counters.items() if name != tenant]
        return max(own, min(others, default=0.0))


class StrangersOnly(_Lifts):
    def lifted(self, tenant, own, known):
        return own if tenant in self.counters else super().lifted(tenant, own, known)


class NoLiftWhenEmpty(_Lifts):
    def lifted(self, tenant, own, known):
        return super().lifted(tenant, own, known) if self.waiting.lines else own


class RunningIsActive(_Lifts):
    """As in the interview drill: whoever runs has not been away."""

    def lifted(self, tenant, own, known):
        runs = any(self.promises[one.id].tenant == tenant for one in self.running)
        return own if runs else super().lifted(tenant, own, known)


class AddsTheLift(_Lifts):
    def lifted(self, tenant, own, known):
        return own + min(known, default=0.0)


class _PaysOnce(TokenCounters):
    """A request that starts again after it lost its memory has paid."""

    def charge_prompt(self, request):
        if not request.preemptions:
            self.charge(request, self.price(request))

    def price(self, request):
        return self.prompt_price * request.prompt_tokens


class CountsRequests(_PaysOnce):
    def price(self, request):
        return 1

    def commit(self, plan):
        Counted.commit(self, plan)


class ForgetsThePrompt(TokenCounters):
    def charge_prompt(self, request):
        pass


class ForgetsTheAnswer(TokenCounters):
    def commit(self, plan):
        Counted.commit(self, plan)


class OnePrice(_PaysOnce):
    def price(self, request):
        return self.answer_price * request.prompt_tokens


class PaysTwice(TokenCounters):
    def charge_prompt(self, request):
        self.charge(request, self.prompt_price * request.prompt_tokens)


class ReservesTheLongest(_PaysOnce):
    def price(self, request):
        return super().price(request) + self.answer_price * request.max_output_tokens

    def commit(self, plan):
        Counted.commit(self, plan)


class ChargesOnArrival(TokenCounters):
    def wait(self, request, *, first=False):
        super().wait(request, first=first)
        self.charge(request, self.prompt_price * request.prompt_tokens)

    def charge_prompt(self, request):
        pass


class _Commits(TokenCounters):
    def commit(self, plan):
        for request, new in plan.chunks:
            self.charge(request, self.answer_price * self.made(request, new))
        Counted.commit(self, plan)

    def made(self, request, new):
        return request.computed + new == request.known


class EveryChunk(_Commits):
    def made(self, request, new):
        return 1


class TokensOfTheChunk(_Commits):
    def made(self, request, new):
        return new


class TokensOfFinishedChunks(_Commits):
    def made(self, request, new):
        return new * super().made(request, new)


class FirstIsFree(_Commits):
    def made(self, request, new):
        return request.computed >= request.prompt_tokens


class ChunksOfOne(_Commits):
    def made(self, request, new):
        return new == 1
