"""A scheduler around another one, which checks that each of its plans is allowed."""

import math
from collections.abc import Sequence
from numbers import Integral

from labutils.engine import OutOfPages, Plan, Request

from .bad_plan import BadPlan
from .batches import WaitUntil
from .book import WAITS, Book, Steady
from .memory_watch import MemoryWatch
from .step_shape import StepShape, attention_pairs

MOST_FRUITLESS_PREEMPTIONS = 10_000


class Audited:
    """Passes each call on to ``scheduler``, and checks its plans against counts of its own.

    It has the four verbs of a scheduler, so it can stand in the place of one, in a simulation or in
    an engine. ``BadPlan`` names the request, what was planned and what was expected: a request that
    is unknown, scheduled twice, or to compute what it has not; a start without memory, a token
    without room, memory kept after an end or a preemption; more places or tokens than
    ``scheduler.max_sequences`` and ``scheduler.token_budget`` allow (where it has them). With
    ``in_order`` it also names who was overtaken: whoever runs must have come before whoever waits.

    ``shape``, ``yields``, ``started`` and ``preempted`` tell about the last plan; ``repeats`` says
    that its chunks are those of the plan before, each a token for a request that decodes.
    """

    def __init__(self, scheduler, *, in_order: bool = False):
        self.scheduler, self.in_order = scheduler, in_order
        self.memory = MemoryWatch(getattr(scheduler, "pool", None))
        self.max_sequences = getattr(scheduler, "max_sequences", math.inf)
        self.token_budget = getattr(scheduler, "token_budget", math.inf)
        self.books: dict[Request, Book] = {}  # of requests that have come and not ended
        self.num_running = self.num_come = 0
        self.stored_tokens = 0  # computed by requests that run, shared or not
        self.shape, self.yields = StepShape(), []
        self.started: Sequence[Book] = ()
        self.preempted: Sequence[Book] = ()
        self.repeats = False
        self._fruitless = 0  # preemptions since the last token
        self._steady = Steady(anywhere=self.memory.is_unlimited)

    @property
    def pool(self):
        """The memory that the scheduler plans with; None if it has none."""
        return self.memory.pool

    def add(self, request: Request, book: Book | None = None) -> None:
        """Let a request wait. Whoever wants to note more about it brings a ``book``."""
        self.scheduler.add(request)
        self.books[request] = book or Book(request, self.num_come)
        self.num_come += 1

    def schedule(self, now_s: float) -> Plan | WaitUntil | None:
        """The next step of the scheduler, checked. The books take it as carried out."""
        try:
            answer = self.scheduler.schedule(now_s)
        except OutOfPages as error:
            raise BadPlan(f"{error}; nobody asked before") from error
        if hasattr(answer, "chunks"):  # a Plan, of this engine or of a learner's
            self._check(answer)
        elif answer is not None and not (
            isinstance(answer, WaitUntil) and math.isfinite(answer.t_s)
        ):
            what = answer if isinstance(answer, WaitUntil) else f"a {type(answer).__name__}"
            raise BadPlan(f"schedule returned {what}: expected a Plan, WaitUntil or None")
        return answer

    def commit(self, plan: Plan) -> None:
        """``plan`` runs."""
        self.scheduler.commit(plan)

    def finish(self, request: Request) -> None:
        """The answer has ended: the scheduler has to give back what the request holds."""
        self.settle()
        book = self.books.pop(request)
        self.scheduler.finish(request)
        self.memory.check_released(request, "has ended")
        if book.runs:
            self._stop(book)

    def check_idle(self) -> None:
        """``BadPlan`` if something is held though no request runs."""
        self.memory.check_unused(nobody_runs=not self.num_running)

    def stuck(self, now_s: float, answer) -> BadPlan:
        """What to say when open requests are left, none is to come, and no step is planned."""
        book = next(iter(self.books.values()))
        waiting = getattr(self.scheduler, "waiting", None)
        what = "runs and gets no step" if book.runs else "waits for ever"
        if not book.runs and hasattr(waiting, "__contains__") and book.request not in waiting:
            what = "was lost: it neither waits nor runs"
        return BadPlan(
            f"schedule returned {answer} at {now_s:.6g} s: expected a step, or a later time; "
            f"request {book.request.id!r} {what}"
        )

    def settle(self) -> None:
        """Bring all books up to date."""
        self._steady.settle()

    def _check(self, plan: Plan) -> None:
        self.started = self.preempted = ()
        self.repeats = not plan.preempted and self._steady.comes_again(plan.chunks)
        if self.repeats:
            _, _, decodes, context = self.shape
            self.shape = tuple.__new__(StepShape, (0, 0, decodes, context + decodes))  # in a hurry
            self.stored_tokens += decodes
            return
        self.started, self.preempted = [], []
        self.settle()
        for request in plan.preempted:
            self._preempt(request)
        chunks = _each_once(plan.chunks)
        if not chunks and not self.preempted:
            raise BadPlan("0 chunks: expected one or more, or None in the place of a plan")
        self._compute(chunks)
        self._check_limits(chunks)
        if self.in_order and self.started:
            self._check_order()
        if self.shape.decode_sequences == len(chunks):
            self._steady.begin(plan.chunks, self.yields)

    def _compute(self, chunks: dict[Request, int]) -> None:
        """Write down what each request computes, and sum up the step's work."""
        books, anywhere = self.books, self.memory.is_unlimited
        prefill_tokens = pairs = decodes = context = 0
        self.yields = yields = []
        for request, new in chunks.items():
            book = books.get(request)
            if book is None or new != 1 or book.known - book.computed != 1:
                before = self._check_chunk(request, book, new)
                if before + 1 < book.known:
                    prefill_tokens += new
                    pairs += attention_pairs(new, before)
                    book.computed = before + new
                    if book.computed == book.known:
                        book.known += 1
                        yields.append(book)
                    continue
            known = book.known
            if request.room < known and not anywhere:
                raise self.memory.no_room(request, known)
            decodes += 1
            context += known
            book.computed = known
            book.known = known + 1
            yields.append(book)
        self.shape = StepShape(prefill_tokens, pairs, decodes, context)
        self.stored_tokens += prefill_tokens + decodes
        if yields:
            self._fruitless = 0

    def _check_chunk(self, request: Request, book: Book | None, new: int) -> int:
        """Check a chunk that is not an ordinary decode; returns the tokens computed before it."""
        if book is None:
            raise self._unknown(request, "scheduled")
        if not book.runs:
            self._start(book)
        left = book.known - book.computed
        if not isinstance(new, Integral) or not 1 <= new <= left:
            raise BadPlan(
                f"request {request.id!r} is to compute {new} tokens: expected from 1 to {left}, "
                "what it knows and has not computed"
            )
        self.memory.check_room(request, book.computed + new)
        return book.computed

    def _start(self, book: Book) -> None:
        request, cached = book.request, book.request.computed
        if not 0 <= cached < book.known:
            raise BadPlan(
                f"request {request.id!r} starts behind {cached} cached tokens: expected fewer than "
                f"the {book.known} that it knows"
            )
        self.memory.check_start(request)
        if book.cached is None:
            book.cached = cached
        book.computed = cached
        self.stored_tokens += cached
        self.num_running += 1
        self.started.append(book)

    def _preempt(self, request: Request) -> None:
        book = self.books.get(request)
        if book is None or not book.runs:
            raise BadPlan(f"request {_name(request)} is preempted: expected one that runs")
        self.memory.check_released(request, "was preempted")
        self._stop(book)
        book.computed = WAITS
        book.preemptions += 1
        self.preempted.append(book)
        self._fruitless += 1
        if self._fruitless > MOST_FRUITLESS_PREEMPTIONS:
            raise BadPlan(
                f"request {request.id!r} is preempted: expected a token within "
                f"{MOST_FRUITLESS_PREEMPTIONS:,} preemptions"
            )

    def _stop(self, book: Book) -> None:
        self.num_running -= 1
        self.stored_tokens -= book.computed

    def _check_limits(self, chunks: dict[Request, int]) -> None:
        if self.num_running > self.max_sequences:
            raise BadPlan(
                f"{self.num_running} requests run after {self.started[-1].request.id!r} was "
                f"added: expected at most max_sequences = {self.max_sequences}"
            )
        tokens = self.shape.prefill_tokens + self.shape.decode_sequences
        if tokens > self.token_budget and self.shape.prefill_tokens and len(chunks) > 1:
            raise BadPlan(
                f"{tokens} tokens up to request {_name(next(reversed(chunks)))}: expected at most "
                f"token_budget = {self.token_budget} in a step that several requests share"
            )

    def _check_order(self) -> None:
        """``BadPlan`` if a request that starts came after one that waits."""
        late = max(self.started, key=lambda book: book.rank)
        for book in self.books.values():
            if not book.runs and book.rank < late.rank:
                raise BadPlan(
                    f"request {late.request.id!r} starts while {book.request.id!r} waits, which "
                    f"came first: {book.request.id!r} is overtaken"
                )

    def _unknown(self, request, what: str) -> BadPlan:
        by_id = any(request == book.request.id for book in self.books.values())
        expected = "the request itself, not its id" if by_id else "one that has come and not ended"
        return BadPlan(f"request {_name(request)} is {what}: expected {expected}")


def _each_once(chunks: Sequence[tuple[Request, int]]) -> dict[Request, int]:
    try:
        planned = dict(chunks)
    except (TypeError, ValueError):
        raise BadPlan(f"chunks = {chunks!r}: expected pairs (request, new tokens)") from None
    if len(planned) < len(chunks):
        twice = next(one for one, _ in chunks if sum(one == other for other, _ in chunks) > 1)
        raise BadPlan(f"request {_name(twice)} is in two chunks: expected each request once")
    return planned


def _name(request) -> str:
    return repr(getattr(request, "id", request))
