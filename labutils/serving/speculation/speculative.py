"""The engine with a draft around it: a step may yield several tokens of each request."""

import math
from collections.abc import Hashable, Mapping, Sequence

import torch

from labutils.engine import Engine, Generation, Plan
from labutils.ground import arguments
from labutils.serving.fast.fast_engine import FastEngine

from .acceptance import accepted, accepted_greedily
from .proposal import Draft, Proposal
from .shares import certain, token_shares
from .spare_pages import give_back, make_room
from .stretch import Wanted, verification
from .tally import Tally

Chunks = Sequence[tuple[Generation, int]]
Runs = dict[Generation, list[int]]


class Speculative:
    """Serves requests with ``engine``, whose steps verify up to ``tokens`` drafts of each request.

    Answers are those of the engine alone: token by token where they are greedy, in distribution
    where they are sampled. (A seed repeats an answer as long as the same drafts are made: the room
    for them depends on the company.) Drafts get what is left: of the step's token budget, of the
    free pages, of the answer's length. ``tokens = 0`` is the engine alone.

    All else is the engine's: ``add_request``, ``cancel``, ``requests``, ``on_step``. Use ``step``,
    ``run`` and ``generate`` of this object, not the engine's. ``tally`` counts what was accepted,
    ``repeated`` holds the errors of steps that had to be computed again without drafts.
    """

    def __init__(self, engine: Engine, draft: Draft, *, tokens: int = 4):
        if isinstance(engine, FastEngine):
            raise ValueError("engine is a FastEngine, which reads its tokens late: expected Engine")
        self.tokens = arguments.whole("tokens", tokens, at_least=0)
        self.engine, self.draft, self.tally = engine, draft, Tally()
        self.repeated: list[Exception] = []
        draft.bind(engine)

    def __getattr__(self, name: str):
        return getattr(self.engine, name)

    run, generate = Engine.run, Engine.generate  # the same words, with the ``step`` below

    def step(self) -> list[tuple[Hashable, int]] | None:
        """Compute the next step; returns its tokens as pairs (id, token); None: no step."""
        engine, now_s = self.engine, self.engine.clock()
        plan = engine.scheduler.schedule(now_s)
        if not hasattr(plan, "chunks"):  # None, or a time to wait for
            return None
        for request, _ in plan.chunks:
            request.admitted_s = now_s if request.admitted_s is None else request.admitted_s
        failed: dict[Generation, Exception] = {}
        runs = self._runs(plan.chunks, failed)
        self._commit(plan, runs, failed)
        for request, error in failed.items():
            engine._end(request, "failed", error)
        try:
            if engine.on_step is not None:
                engine.on_step(engine, plan)
        finally:  # a hook that raises loses no token
            pairs = [(request, token) for request, run in runs.items() for token in run]
            told = engine._hand_out(pairs)
        return told

    def _runs(self, chunks: Chunks, failed: dict) -> Runs:
        """The next tokens of each request that catches up: several where drafts were accepted."""
        counts = self._counts(chunks)
        try:
            proposals = self._proposals(counts)
            wanted, logits = self._logits(chunks, proposals)
            if wanted:
                return {one.request: self._run(one, logits, proposals) for one in wanted}
        except Exception:
            for request in counts:
                give_back(self.engine.pool, request)
            raise
        return {one: [token] for one, token in self.engine._compute(chunks, failed)}

    def _counts(self, chunks: Chunks) -> dict[Generation, int]:
        """How many drafts each request that decodes may get: what it can use, and what is left."""
        counts: dict[Generation, int] = {}
        budget = getattr(self.engine.scheduler, "token_budget", None)
        left = math.inf if budget is None else budget - sum(new for _, new in chunks)
        for request, new in chunks:
            useful = min(self.tokens, request.most - request.known - 1, left)
            if new == request.to_compute == 1 and useful > 0:
                room = make_room(self.engine.pool, request, useful)
                counts |= {request: room} if room else {}
                left -= room
        return counts

    def _proposals(self, counts: dict[Generation, int]) -> dict[Generation, Proposal]:
        """The draft's proposals that are not empty. ``ValueError`` for one with too many tokens."""
        if not counts:
            return {}
        said = self.draft.propose(list(counts), list(counts.values()))
        for proposal, count in zip(said, counts.values(), strict=True):
            if len(proposal.tokens) > count:
                raise ValueError(
                    f"draft says {len(proposal.tokens)} tokens: expected up to {count}"
                )
        return {one: proposal for one, proposal in zip(counts, said) if proposal.tokens}

    def _logits(self, chunks: Chunks, proposals: Mapping[Generation, Proposal]):
        """Whose logits are which, and the logits; ``((), None)`` without drafts.

        If the model raises, the step is to be computed without drafts: no guess ends a request.
        """
        if not proposals:
            return (), None
        drafted = {one: proposal.tokens for one, proposal in proposals.items()}
        chunks = sorted(chunks, key=lambda c: (c[0] in drafted or c[1] > 1, c[0].computed))
        try:
            with torch.inference_mode():
                pool, device = self.engine.pool, self.engine.device
                step, wanted = verification(chunks, drafted, pool.page_tokens, device)
                return wanted, self.engine._logits(step)
        except Exception as error:
            self.repeated.append(error)
            return (), None

    def _run(self, wanted: Wanted, logits: torch.Tensor, proposals) -> list[int]:
        """The next tokens of one request: the accepted drafts, and the token behind them."""
        request, rows = wanted.request, logits[wanted.rows]
        drafted, draft_shares = proposals.get(request, Proposal(()))
        if not request.sampling.temperature:
            run = accepted_greedily(drafted, rows.argmax(-1).tolist())
        else:
            target_shares = token_shares(rows, request.sampling)
            if draft_shares is None:
                places = torch.tensor(drafted, dtype=torch.int64, device=rows.device)
                draft_shares = certain(places, rows.shape[-1])
            run = accepted(drafted, draft_shares, target_shares, request.random.random)
        if drafted:
            self.tally.note(len(drafted), len(run))
        return run

    def _commit(self, plan: Plan, runs: Runs, failed: Mapping) -> None:
        """Tell the scheduler what stays of the step, and give back what was for the rest."""
        stays = []
        for request, new in plan.chunks:
            if request not in failed:
                more = len(runs.get(request, (0,))) - 1
                request.known += more
                stays.append((request, new + more))
        self.engine.scheduler.commit(plan._replace(chunks=stays))
        for request, _ in stays:
            if request.to_compute == 1:
                give_back(self.engine.pool, request)
