"""Walk a scheduler through a few requests, one step a second, and tell what happens in sentences.

Unlike ``drive`` it takes prompts in pieces, memory that runs out, and ends that are told late, and
it holds a scheduler to the auditor's rules: its token budget, its places, its memory, no token
twice, the queue's order, no request lost.
"""

from collections.abc import Sequence
from typing import NamedTuple

from labutils.engine import Plan, Request
from labutils.serving.scheduling.audited import Audited
from labutils.serving.scheduling.bad_plan import BadPlan
from labutils.serving.scheduling.book import Book

MOST_STEPS = 60


class Coming(NamedTuple):
    """A request to come: its name, the step (from 1), tokens of its prompt and of its answer."""

    name: str
    step: int
    prompt: int
    answer: int


def walk(
    scheduler,
    requests: Sequence[tuple[str, int, int, int]],
    *,
    late: bool = False,
    alike: bool = False,
    cancels: Sequence[tuple[int, str]] = (),
    fails: Sequence[tuple[int, str]] = (),
    most_steps: int = MOST_STEPS,
    in_order: bool = True,
) -> list[str]:
    """A sentence for each step: ``step 2: A decodes, B prefills 3 of 5; 1 page free``.

    ``requests`` are (name, step in which it comes, prompt tokens, answer tokens), in order of
    arrival. Every other one gets the longest answer that it may get; the others end before that,
    which nobody can know. With ``late`` ends are told when the next step runs already, as by an
    engine that plans ahead. With ``alike`` all prompts begin with the same tokens, so that pages
    can be found. ``cancels`` are pairs (step, name); so are ``fails``: in that step the request is
    planned, its computation fails, and it ends without having run.

    A plan that cannot be carried out ends the story: its last sentence says which request was lost,
    overtaken or started without memory. It also ends after ``most_steps``.
    """
    told = _Walk(scheduler, [Coming(*one) for one in requests], in_order=in_order, alike=alike)
    try:
        for step in range(1, most_steps + 1):
            if told.is_over:
                return told.sentences
            cancelled, failing = ([n for at, n in ends if at == step] for ends in (cancels, fails))
            told.step(step, late=late, cancelled=cancelled, failing=failing)
        told.say(f"after {most_steps} steps there is no end of {', '.join(told.open_names())}")
    except BadPlan as wrong:
        told.say(str(wrong))
    return told.sentences


class _Walk:
    """The sentences so far, and the requests that have arrived and not ended."""

    def __init__(self, scheduler, coming: Sequence[Coming], *, in_order: bool, alike: bool):
        self.scheduler = scheduler
        self.audited = Audited(scheduler, in_order=in_order)
        self.coming, self.alike = list(coming), alike
        self.answers = {one.name: one.answer for one in coming}
        self.most = {one.name: one.answer + 2 * (k % 2) for k, one in enumerate(coming)}
        self.got = dict.fromkeys(self.answers, 0)
        self.open: dict[str, Request] = {}
        self.ended: list[str] = []  # and the scheduler has not heard of it yet
        self.sentences: list[str] = []

    @property
    def is_over(self) -> bool:
        return not self.coming and not self.open

    def open_names(self) -> list[str]:
        return list(self.open)

    def say(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def step(
        self, number: int, *, late: bool, cancelled: Sequence[str], failing: Sequence[str]
    ) -> None:
        """Let come who comes, cancel, plan, run, and tell of the ends."""
        parts = self._arrive(number)
        for name in cancelled:
            if name in self.open and name not in self.ended:
                self._finish(name)
                parts.append(f"{name} is cancelled")
        plan = self._planned(number)
        parts += self._lives(plan)
        ended_before, self.ended = self.ended, []
        failed = [request.id for request, _ in plan.chunks if request.id in failing]
        chunks = [chunk for chunk in plan.chunks if chunk[0].id not in failed]
        self.audited.commit(Plan(chunks, plan.preempted) if failed else plan)
        for name in failed:
            self._finish(name)
            parts.append(f"{name} fails")
        for name in ended_before:
            self._finish(name)
        for book in self.audited.yields if plan.chunks else ():
            self._take(book)
        self.ended = [name for name in self.open if name in self.ended]  # in order of arrival
        ends = [f"{name} ends{self._times(name)}; " for name in self.ended]
        for name in () if late else self.ended:
            self._finish(name)
        self.ended = self.ended if late else []
        if self.is_over:
            self._check_all_back()
        free = self.audited.pool.num_free if self.audited.pool else 0
        pages = f"{free} page{'' if free == 1 else 's'} free"
        self.say(
            f"step {number}: {', '.join(parts) or 'nothing is computed'}; {''.join(ends)}{pages}"
        )

    def _arrive(self, number: int) -> list[str]:
        refused = []
        while self.coming and self.coming[0].step <= number:
            one = self.coming.pop(0)
            request = Request(
                one.name, one.prompt, self.most[one.name], float(number),
                keys=self._keys(one.prompt),
            )  # fmt: skip
            try:
                self.audited.add(request)
                self.open[one.name] = request
            except ValueError:
                refused.append(f"{one.name} is refused, as it could outgrow the memory")
        return refused

    def _keys(self, prompt: int) -> tuple[str, ...]:
        """Names of the full pages of a prompt."""
        full = prompt // self.audited.pool.page_tokens if self.alike else 0
        return tuple(f"page {k}" for k in range(full))

    def _planned(self, number: int) -> Plan:
        """The plan of this step, an empty one where nothing is to be computed."""
        plan = self.audited.schedule(float(number))
        for name, request in self.open.items():
            places = request in self.scheduler.waiting, request in self.scheduler.running
            if not any(places):
                raise BadPlan(f"request {name!r} is lost: it neither waits nor runs")
            if all(places):
                raise BadPlan(f"request {name!r} waits and runs at the same time")
        if plan is None and self.open and not self.coming and not self.ended:
            raise self.audited.stuck(float(number), plan)
        return plan or Plan([], [])

    def _lives(self, plan: Plan) -> list[str]:
        """What happens to each request in a step, in order of arrival."""
        new = {request.id: count for request, count in plan.chunks}
        lost = {request.id for request in plan.preempted}
        started = {book.request.id for book in self.audited.started if plan.chunks}
        parts = []
        for name, request in self.open.items():
            if name in lost:
                parts.append(f"{name} is preempted")
            if name not in new:
                continue
            starts = "starts and " if name in started else ""
            what = f"prefills {new[name]} of {request.to_compute}"
            parts.append(f"{name} {starts}{'decodes' if request.to_compute == 1 else what}")
        return parts

    def _take(self, book: Book) -> None:
        """A request has caught up, and gets a token: perhaps its last."""
        name = book.request.id
        if name in self.open:
            self.got[name] += 1
            if self.got[name] == self.answers[name]:
                self.ended.append(name)

    def _times(self, name: str) -> str:
        """How often it was preempted, by the scheduler's own count."""
        count = self.open[name].preemptions
        return f", preempted {count} ×" if count else ""

    def _finish(self, name: str) -> None:
        self.audited.finish(self.open.pop(name))

    def _check_all_back(self) -> None:
        self.audited.check_idle()
        self.audited.memory.check_books([])
