"""The scheduler of the exercise, and those that each make one mistake."""

from labutils.exercises.definition.sheet import says


class Seats:
    """The chapter's bookkeeping, and its rule; a mistake changes one of the methods."""

    def __init__(self, seats, memory_tokens):
        self.seats, self.memory_tokens = seats, memory_tokens
        self.waiting, self.held = [], {}

    def add(self, request):
        self.waiting.append(request)

    def commit(self, plan):
        for request, new_tokens in plan.chunks:
            self.held[request] = self.held.get(request, 0) + new_tokens

    def finish(self, request):
        del self.held[request]

    def schedule(self, now_s):
        from labutils.engine import Plan

        chunks = [(request, 1) for request in self.held]
        self.admit(chunks, self.room())
        return Plan(chunks) if chunks else None

    def room(self):
        return self.memory_tokens - sum(self.held.values()) - len(self.held)

    def fits(self, chunks, request, room):
        return len(chunks) < self.seats and request.prompt_tokens <= room

    def admit(self, chunks, room):
        while self.waiting and self.fits(chunks, self.waiting[0], room):
            room -= self.take(chunks, self.waiting.pop(0))

    def take(self, chunks, request):
        chunks.append((request, request.prompt_tokens))
        return request.prompt_tokens


_ITS_TOKEN = (
    "You keep a token for each newcomer beside its prompt. This step writes the prompt alone; the "
    "token counts in the next one, where it is written."
)


class Wrong:
    class Static(Seats):
        """You admit only when nobody runs any more: that is the static batch again. Which condition
        keeps a free seat empty?"""

        def admit(self, chunks, room):
            if not self.held:
                super().admit(chunks, room)

    class OnePerStep(Seats):
        """You admit one request per step at most. How many seats may be free at once?"""

        def admit(self, chunks, room):
            if self.waiting and self.fits(chunks, self.waiting[0], room):
                self.take(chunks, self.waiting.pop(0))

    class Overtaking(Seats):
        """A request overtakes one that does not fit. Large prompts could then wait for ever: stop
        at the head of the line if it does not fit."""

        def admit(self, chunks, room):
            for request in list(self.waiting):
                if self.fits(chunks, request, room):
                    self.waiting.remove(request)
                    room -= self.take(chunks, request)

    class NewestFirst(Seats):
        """You take the last of the line. Who has waited longest?"""

        def admit(self, chunks, room):
            while self.waiting and self.fits(chunks, self.waiting[-1], room):
                room -= self.take(chunks, self.waiting.pop())

    class NoMemory(Seats):
        """You fill every seat, whatever memory holds. What if the prompt has no room?"""

        def fits(self, chunks, request, room):
            return len(chunks) < self.seats

    class NoSeats(Seats):
        """You admit as long as memory lasts. How many chunks may the step have?"""

        def fits(self, chunks, request, room):
            return request.prompt_tokens <= room

    class SeatsOfBefore(Seats):
        """You compare the seats with those who ran before this step. Where do the ones sit whom you
        have just admitted?"""

        def fits(self, chunks, request, room):
            return len(self.held) < self.seats and request.prompt_tokens <= room

    class NotQuiteFull(Seats):
        """A prompt that fits exactly has to wait. May memory be full?"""

        def fits(self, chunks, request, room):
            return len(chunks) < self.seats and request.prompt_tokens < room

    class NoGrowth(Seats):
        """You count what is in memory now. Those who run compute a token each in this very step:
        where does its KV go?"""

        def room(self):
            return self.memory_tokens - sum(self.held.values())

    class MemoryOfAnEmptyServer(Seats):
        """You begin every step with all of the memory. What lies in it already?"""

        def room(self):
            return self.memory_tokens

    class LostFromTheLine(Seats):
        """You take a request out of the line before you know whether it fits. Where is it when it
        does not?"""

        def admit(self, chunks, room):
            while self.waiting and len(chunks) < self.seats:
                request = self.waiting.pop(0)
                if request.prompt_tokens > room:
                    break
                room -= self.take(chunks, request)

    class OneTokenOfThePrompt(Seats):
        """You plan one token for a newcomer. How much of its prompt does its first step compute?"""

        def take(self, chunks, request):
            chunks.append((request, 1))
            return request.prompt_tokens

    class FreeNewcomers(Seats):
        """Two that are admitted in the same step both count on the same free memory."""

        def take(self, chunks, request):
            super().take(chunks, request)
            return 0

    class PrefillFirst(Seats):
        """In a step with a new prompt nobody else computes. That is a policy too, and a later
        section looks at it. Here everybody who runs gets a token in every step."""

        def schedule(self, now_s):
            plan = super().schedule(now_s)
            new = [chunk for chunk in plan.chunks if chunk[0] not in self.held] if plan else []
            return plan._replace(chunks=new) if new else plan

    class OneSeatTooMany(Seats):
        """One more gets a seat than there are. How many chunks are there when the last seat is
        taken?"""

        def fits(self, chunks, request, room):
            return len(chunks) <= self.seats and request.prompt_tokens <= room

    @says(_ITS_TOKEN)
    class ReservesTheNextToken(Seats):
        def fits(self, chunks, request, room):
            return len(chunks) < self.seats and request.prompt_tokens + 1 <= room

        def take(self, chunks, request):
            return super().take(chunks, request) + 1

    @says(_ITS_TOKEN)
    class TakesTheNextToken(Seats):
        def take(self, chunks, request):
            return super().take(chunks, request) + 1

    class CountsItTwice(Seats):
        """You write a newcomer's tokens into `held`, and `commit` writes them once more. Which of
        the two knows what was really computed?"""

        def take(self, chunks, request):
            self.held[request] = request.prompt_tokens
            return super().take(chunks, request)

    class StaysInTheLine(Seats):
        """A request that was admitted still stands in `waiting`, and is planned a second time. Who
        takes it out of the line?"""

        def admit(self, chunks, room):
            while self.waiting and self.fits(chunks, self.waiting[0], room):
                room -= self.take(chunks, self.waiting[0])

    class NeverAdmits(Seats):
        """Nobody is ever admitted. Who takes the seats?"""

        def admit(self, chunks, room):
            pass
