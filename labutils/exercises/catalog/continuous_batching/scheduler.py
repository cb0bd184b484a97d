"""A scheduler for continuous batching: who computes what in the next step."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


class _Seats:
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


class _Static(_Seats):
    def admit(self, chunks, room):
        if not self.held:
            super().admit(chunks, room)


class _OnePerStep(_Seats):
    def admit(self, chunks, room):
        if self.waiting and self.fits(chunks, self.waiting[0], room):
            self.take(chunks, self.waiting.pop(0))


class _Overtaking(_Seats):
    def admit(self, chunks, room):
        for request in list(self.waiting):
            if self.fits(chunks, request, room):
                self.waiting.remove(request)
                room -= self.take(chunks, request)


class _NewestFirst(_Seats):
    def admit(self, chunks, room):
        while self.waiting and self.fits(chunks, self.waiting[-1], room):
            room -= self.take(chunks, self.waiting.pop())


class _NoMemory(_Seats):
    def fits(self, chunks, request, room):
        return len(chunks) < self.seats


class _NoSeats(_Seats):
    def fits(self, chunks, request, room):
        return request.prompt_tokens <= room


class _SeatsOfBefore(_Seats):
    def fits(self, chunks, request, room):
        return len(self.held) < self.seats and request.prompt_tokens <= room


class _NotQuiteFull(_Seats):
    def fits(self, chunks, request, room):
        return len(chunks) < self.seats and request.prompt_tokens < room


class _NoGrowth(_Seats):
    def room(self):
        return self.memory_tokens - sum(self.held.values())


class _FreeNewcomers(_Seats):
    def take(self, chunks, request):
        super().take(chunks, request)
        return 0


class _PrefillFirst(_Seats):
    def schedule(self, now_s):
        plan = super().schedule(now_s)
        new = [chunk for chunk in plan.chunks if chunk[0] not in self.held] if plan else []
        return plan._replace(chunks=new) if new else plan


class _NeverAdmits(_Seats):
    def admit(self, chunks, room):
        pass


def _driven(scheduler):
    def drive_mine(requests, seats, memory_tokens):
        from labutils.serving.walks import drive

        return drive(scheduler(seats, memory_tokens), requests)

    return drive_mine


def _some_requests():
    """One to six requests for one to five seats, so that each mistake shows in a fifth of them."""
    from hypothesis import strategies as st

    # One number per request, taken apart: three draws each would take most of a check's time.
    numbers = st.integers(0, 6 * 6 * 3 - 1)
    lists = [st.lists(numbers, min_size=least, max_size=6) for least in (1, 5, 6)]

    def named(drawn):
        codes, seats, memory = drawn
        rows = [(1 + code // 36, 1 + code % 6, 2 + code // 6 % 6) for code in codes]
        rows.sort(key=lambda row: row[0])
        return [(name, *row) for name, row in zip("ABCDEF", rows)], seats, memory

    seats, memory = st.sampled_from([1, 3, 4, 5]), st.integers(8, 12)
    return st.tuples(st.one_of(*lists), seats, memory).map(named)


def _mistake(name, scheduler, message) -> Misconception:
    return Misconception(name, _driven(scheduler), message)


SCHEDULER = Exercise(
    id="continuous.scheduler",
    title="A scheduler that admits at every step",
    minutes=8,
    checker=Function(
        reference=_driven(_Seats),
        inputs=_some_requests,
        misconceptions=(
            _mistake(
                "static",
                _Static,
                "You admit only when nobody runs any more: that is the static batch again. Which "
                "condition keeps a free seat empty?",
            ),
            _mistake(
                "one-per-step",
                _OnePerStep,
                "You admit one request per step at most. How many seats may be free at once?",
            ),
            _mistake(
                "overtaking",
                _Overtaking,
                "A request overtakes one that does not fit. Large prompts could then wait for "
                "ever: stop at the head of the line if it does not fit.",
            ),
            _mistake(
                "newest-first",
                _NewestFirst,
                "You take the last of the line. Who has waited longest?",
            ),
            _mistake(
                "no-memory",
                _NoMemory,
                "You fill every seat, whatever memory holds. What if the prompt has no room?",
            ),
            _mistake(
                "no-seats",
                _NoSeats,
                "You admit as long as memory lasts. How many chunks may the step have?",
            ),
            _mistake(
                "seats-of-before",
                _SeatsOfBefore,
                "You compare the seats with those who ran before this step. Where do the ones sit "
                "whom you have just admitted?",
            ),
            _mistake(
                "not-quite-full",
                _NotQuiteFull,
                "A prompt that fits exactly has to wait. May memory be full?",
            ),
            _mistake(
                "no-growth",
                _NoGrowth,
                "You count what is in memory now. Those who run compute a token each in this very "
                "step: where does its KV go?",
            ),
            _mistake(
                "free-newcomers",
                _FreeNewcomers,
                "Two that are admitted in the same step both count on the same free memory.",
            ),
            _mistake(
                "prefill-first",
                _PrefillFirst,
                "In a step with a new prompt nobody else computes. That is a policy too, and a "
                "later section looks at it. Here everybody who runs gets a token in every step.",
            ),
            _mistake("never-admits", _NeverAdmits, "Nobody is ever admitted. Who takes the seats?"),
        ),
    ),
    hints=(
        "Two groups share the step: those who run, with one token each, and those whom you admit, "
        "with their whole prompt. Who is already in `chunks`?",
        "What is free for prompts: memory_tokens, less all that is held, less one token for each "
        "that runs. Admit from the left of `waiting` while there is a seat and the prompt fits.",
        "while self.waiting and len(chunks) < self.seats and self.waiting[0].prompt_tokens <= "
        "room: take it with pop(0), lower room by its prompt, append (request, prompt_tokens).",
    ),
    explanation=(
        "A scheduler for continuous batching is a loop over two lists. Its plan holds everybody "
        "who runs, one token each, and whoever finds a seat and memory, with the whole prompt. It "
        "never asks how long an answer will be, and it needs no clock: an answer that ends has "
        "left `held` before the next step is planned. The loop stops at the first request that "
        "does not fit, so nobody overtakes and nobody starves; the price is that a large prompt "
        "at the head makes smaller ones behind it wait."
    ),
)
