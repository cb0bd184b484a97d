"""The engine: the scheduler of the simulator, driven by the wall clock and a real model.

One step: ask the scheduler who computes what, put the inputs together, launch the model, tell the
scheduler that the step runs, hand out the tokens of the last step that has ended. Whatever the host
has to know for the next step is known when the step is launched, since the tokens themselves stay
on the device. So with ``overlap`` the next step is planned and launched while this one runs, and
its tokens are read, and ends reported, one step late.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence

from labutils.metrics import RequestLog, RequestRecord

from .answer import Answer, Answers, rejection
from .attention import best_path
from .block_manager import BlockManager
from .errors import BadPlan
from .flight import Flight
from .intake import check_prompt, prompt_of, request_of
from .kv_layout import kv_layout, pages_that_fit
from .launch import Launcher
from .open_request import OpenRequest, Stop
from .plan import StepPlan
from .runner import Runner
from .sampling import Sampling
from .scheduler import Continuous, Scheduler
from .step_record import StepRecord

LONGEST_NAP_S = 0.05


class Engine:
    """Serves requests with ``model``: ``add_request``, then ``step`` until ``has_work`` is False.

    ``scheduler`` is any ``Scheduler``; its ``blocks`` say where the KV lies. The default is
    ``Continuous`` over a ``BlockManager`` of ``num_pages`` pages (default: what fits into a quarter
    of a GiB, on CUDA into 80 % of the free memory, at most what ``max_sequences`` could ever fill).
    ``attention`` names a path of ``attention_path``. ``overlap`` plans ahead; ``graphs`` replays
    decode steps as CUDA graphs (the default of both: on CUDA, where the attention allows it).

    Whatever is wrong with one request ends that request alone, as ``answers[id]`` says. A plan that
    cannot be carried out raises ``BadPlan``: it is the scheduler's fault, and nobody else's.

    ``on_step(engine, plan)`` is called after each launch, before its tokens are handed out. One
    thread at a time may use an engine; callbacks may add and cancel requests.
    """

    def __init__(
        self,
        model,
        scheduler: Scheduler | None = None,
        *,
        num_pages: int | None = None,
        page_tokens: int = 16,
        max_sequences: int = 16,
        token_budget: int = 512,
        chunked: bool = True,
        prefix_sharing: bool = True,
        attention: str = "auto",
        tokenizer=None,
        clock: Callable[[], float] = time.perf_counter,
        overlap: bool | None = None,
        graphs: bool | None = None,
    ):
        if num_pages is None:
            num_pages = pages_that_fit(model, page_tokens, max_sequences)
        if scheduler is None:
            blocks = BlockManager(num_pages, page_tokens, prefix_sharing=prefix_sharing)
            scheduler = Continuous(
                max_sequences, blocks, token_budget=token_budget, chunked=chunked
            )
        self.model, self.scheduler, self.tokenizer, self.clock = model, scheduler, tokenizer, clock
        self.blocks = getattr(scheduler, "blocks", None)
        self.prefix_sharing = prefix_sharing
        self.layout = kv_layout(self.blocks, num_pages=num_pages, page_tokens=page_tokens)
        weights = next(model.parameters())
        on_cuda = weights.device.type == "cuda"
        if attention == "auto":
            attention = best_path(weights.device, weights.dtype)
        if graphs is None:
            graphs = on_cuda and attention == "triton" and self.page_tokens > 1
        rows = getattr(scheduler, "max_sequences", max_sequences) if graphs else 0
        self.runner = Runner(model, self.layout, attention=attention, graph_rows=rows, clock=clock)
        self.overlap = on_cuda if overlap is None else overlap
        self.answers = Answers()
        self.steps: list[StepRecord] = []
        self.on_step: Callable[[Engine, StepPlan], None] | None = None
        self.idle_until_s: float | None = None
        self._open: dict[Hashable, OpenRequest] = {}
        self._flights: deque[Flight] = deque()
        self._launcher = Launcher(scheduler, self.runner, self._open, clock)
        self._finish_s = 0.0

    @property
    def has_work(self) -> bool:
        """Whether some request has not ended."""
        return bool(self._open or self._flights)

    @property
    def page_tokens(self) -> int:
        """Tokens per page of KV; 1 where it is reserved in one piece."""
        return self.layout.page_tokens

    @property
    def log(self) -> RequestLog:
        """The requests that have ended, in the order in which they came, as columns."""
        return RequestLog.of(self.records())

    def records(self) -> list[RequestRecord]:
        """The same, one record each."""
        return self.answers.records()

    def add_request(
        self,
        prompt: Sequence[int] | str,
        *,
        max_output_tokens: int = 64,
        sampling: Sampling = Sampling(),  # noqa: B008 (frozen)
        stop: Stop = (),
        id: Hashable | None = None,
        on_token: Callable[[Hashable, int], None] | None = None,
        arrival_s: float | None = None,
    ) -> Hashable:
        """Let a request wait for its answer; returns its id.

        The answer ends after ``max_output_tokens``, or with a token in ``stop``, or when ``stop``,
        called with the answer so far, says so. ``on_token(id, token)`` hears each token when it is
        known. ``arrival_s`` is when the user asked, on the engine's clock (default: now). A request
        that can never be served is answered at once: rejected, and ``error`` says why.
        """
        now = self.clock()
        id, tokens = self.answers.new_id(id), []
        arrival_s = now if arrival_s is None else min(arrival_s, now)
        try:
            tokens = prompt_of(prompt, self.tokenizer)
            check_prompt(tokens, max_output_tokens, self.model.spec)
            request = request_of(id, tokens, max_output_tokens, arrival_s, self.prefix_sharing)
            self.scheduler.add(request)
        except ValueError as error:
            self.answers[id] = rejection(id, tokens, error, arrival_s, now)
            return id
        self._open[id] = OpenRequest(
            request, tokens, sampling=sampling, stop=stop, on_token=on_token, sent_s=now
        )
        return id

    def generate(self, prompts: Iterable[Sequence[int] | str], **options) -> list[Answer]:
        """The answers to ``prompts``, in their order; ``options`` are those of ``add_request``."""
        if isinstance(prompts, str):
            raise ValueError(f"prompts = {prompts!r}: expected a list of prompts, not a single one")
        ids = [self.add_request(prompt, **options) for prompt in prompts]
        self.run()
        return [self.answers[id] for id in ids]

    def cancel(self, id: Hashable) -> bool:
        """End a request now; False if it had ended before. ``ValueError`` for an unknown id."""
        if id not in self.answers.ids:
            raise ValueError(f"id = {id!r}: expected that of a request")
        if id in self._open:
            self._end(self._open[id], "cancelled")
            return True
        return False

    def run(self) -> None:
        """Step until every request has ended."""
        while self.has_work:
            self.step()
            if self.idle_until_s is not None:
                self._pause()

    def step(self) -> list[tuple[Hashable, int]]:
        """Launch the next step; returns the tokens that became known meanwhile, as (id, token).

        ``idle_until_s`` then says until when there was nothing to compute (infinity: until somebody
        arrives); it is None after a step that did something.
        """
        flight = self._launcher.launch()
        self.idle_until_s = self._launcher.idle_until_s
        if flight is not None:
            self._flights.append(flight)
            self._took_off(flight)
        told = []
        while len(self._flights) > (1 if self.overlap and flight else 0):
            self.idle_until_s = None
            told += self._deliver(self._flights.popleft())
        return told

    def check(self) -> None:
        """Raise ``PageLeak`` or ``BadPlan`` unless every page and row is where it should be."""
        self.layout.check(nobody_runs=not self._open)
        self.runner.check(self._open.values())

    def _took_off(self, flight: Flight) -> None:
        for id, error in flight.failed.items():
            if id in self._open:
                self._end(self._open[id], "failed", error)
        if self.on_step is not None:
            self.on_step(self, flight.plan)

    def _deliver(self, flight: Flight) -> list[tuple[Hashable, int]]:
        """Hand out the tokens of a step, and end the answers that end with them."""
        begin_s, self._finish_s, told = self.clock(), 0.0, []
        waited_s = -flight.blocked_s
        for request, token, now_s in flight.tokens(self.clock):
            told.append((request.id, token))
            self._tell(request, token, now_s)
        end_s = self.clock()
        waited_s += flight.blocked_s
        flight.schedule_s += self._finish_s
        flight.host_s += end_s - begin_s - self._finish_s - waited_s
        self.steps.append(flight.record(end_s))
        return told

    def _tell(self, request: OpenRequest, token: int, now_s: float) -> None:
        """One more token of an answer, which may end with it, or by its own callback."""
        try:
            reason, error = request.take(token, now_s), None
            if request.on_token is not None:
                request.on_token(request.id, token)
        except Exception as raised:
            reason, error = "failed", raised
        if reason is not None and not request.has_ended:
            self._end(request, reason, error)

    def _end(self, request: OpenRequest, reason: str, error: Exception | None = None) -> None:
        """Take a request out: its memory goes back, its answer is there."""
        begin_s = self.clock()
        self.scheduler.finish(request.id)
        now_s = self.clock()
        self._finish_s += now_s - begin_s
        self.layout.release(request.id)
        self.runner.forget(request)
        del self._open[request.id]
        text = None
        try:
            text = request.text(reason, self.tokenizer)
        except Exception as raised:
            reason, error = "failed", error or raised
        self.answers[request.id] = request.end(reason, error, now_s, text)

    def _pause(self) -> None:
        """Wait until the scheduler wants to be asked again."""
        if math.isinf(self.idle_until_s):
            raise BadPlan(
                f"schedule returned None: expected a step, since request "
                f"{next(iter(self._open))!r} waits"
            )
        time.sleep(max(0.0, min(self.idle_until_s - self.clock(), LONGEST_NAP_S)))
