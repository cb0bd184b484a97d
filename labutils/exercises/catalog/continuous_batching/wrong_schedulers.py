"""The scheduler of the exercise, and those that each make one mistake."""


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


class Static(Seats):
    def admit(self, chunks, room):
        if not self.held:
            super().admit(chunks, room)


class OnePerStep(Seats):
    def admit(self, chunks, room):
        if self.waiting and self.fits(chunks, self.waiting[0], room):
            self.take(chunks, self.waiting.pop(0))


class Overtaking(Seats):
    def admit(self, chunks, room):
        for request in list(self.waiting):
            if self.fits(chunks, request, room):
                self.waiting.remove(request)
                room -= self.take(chunks, request)


class NewestFirst(Seats):
    def admit(self, chunks, room):
        while self.waiting and self.fits(chunks, self.waiting[-1], room):
            room -= self.take(chunks, self.waiting.pop())


class NoMemory(Seats):
    def fits(self, chunks, request, room):
        return len(chunks) < self.seats


class NoSeats(Seats):
    def fits(self, chunks, request, room):
        return request.prompt_tokens <= room


class SeatsOfBefore(Seats):
    def fits(self, chunks, request, room):
        return len(self.held) < self.seats and request.prompt_tokens <= room


class NotQuiteFull(Seats):
    def fits(self, chunks, request, room):
        return len(chunks) < self.seats and request.prompt_tokens < room


class NoGrowth(Seats):
    def room(self):
        return self.memory_tokens - sum(self.held.values())


class FreeNewcomers(Seats):
    def take(self, chunks, request):
        super().take(chunks, request)
        return 0


class PrefillFirst(Seats):
    def schedule(self, now_s):
        plan = super().schedule(now_s)
        new = [chunk for chunk in plan.chunks if chunk[0] not in self.held] if plan else []
        return plan._replace(chunks=new) if new else plan


class OneSeatTooMany(Seats):
    def fits(self, chunks, request, room):
        return len(chunks) <= self.seats and request.prompt_tokens <= room


class ReservesTheNextToken(Seats):
    def fits(self, chunks, request, room):
        return len(chunks) < self.seats and request.prompt_tokens + 1 <= room

    def take(self, chunks, request):
        return super().take(chunks, request) + 1


class HoldsThemItself(Seats):
    """Writes down what ``commit`` writes down as well."""

    def take(self, chunks, request):
        self.held[request] = request.prompt_tokens
        return super().take(chunks, request)


class StaysInTheLine(Seats):
    """Takes from the head again and again."""

    def admit(self, chunks, room):
        while self.waiting and self.fits(chunks, self.waiting[0], room):
            room -= self.take(chunks, self.waiting[0])


class NeverAdmits(Seats):
    def admit(self, chunks, room):
        pass
