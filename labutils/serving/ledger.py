"""The simulator's own books: what every request has computed, whatever its scheduler believes.

A scheduler may be a learner's first. So each plan is checked against these books before it costs
time. Tokens are conserved by construction: they are counted here, once, up to the true length.
"""

from collections.abc import Hashable

from .account import Account
from .decode_group import DecodeGroup
from .errors import BadPlan
from .page_watch import PageWatch
from .plan import StepPlan, StepShape, attention_pairs

MOST_FRUITLESS_PREEMPTIONS = 10_000


class Ledger:
    """Accounts of the requests that have arrived and have not ended."""

    def __init__(self, pages: PageWatch, max_sequences: int | None, token_budget: int | None):
        self.pages, self.max_sequences, self.token_budget = pages, max_sequences, token_budget
        self.open: dict[Hashable, Account] = {}
        self.decoding = DecodeGroup()  # accounts that decoded in the last plan that did
        self.num_running = 0
        self.stored_tokens = 0  # KV that exists, shared or not
        self.prompt_tokens = self.cached_tokens = 0  # of requests admitted for the first time
        self._fruitless = 0  # preemptions since the last token
        self._prompts: list[tuple[Account, int]] = []

    def check(self, plan: StepPlan, now: int) -> StepShape:
        """The true shape of ``plan``, which is about to run; ``BadPlan`` if it cannot."""
        for request_id in plan.preempted:
            self._preempt(self._account(request_id, "preempted"), now)
        cached = dict(plan.cached)
        decodes, prompts = self._sort(plan.chunks)
        for account, new_tokens in prompts:
            self._check_prompt(account, new_tokens, cached.pop(account.id, 0), now)
        if cached:
            raise BadPlan(f"cached = {plan.cached}: expected only requests that start in this step")
        self._prompts = prompts
        shape = self._shape(decodes)
        self._check_step(plan, shape)
        return shape

    def carry_out(self, shape: StepShape, steps: int, end: int) -> list[Account]:
        """Count the tokens of the plan just checked, up to the tick ``end``; returns who ended."""
        ended = self._decode(steps) if shape.decode_sequences else []
        for account, new_tokens in self._prompts:
            self.stored_tokens += new_tokens
            if account.compute(new_tokens):
                self._catch_up(account, end)
                if account.is_complete:
                    ended.append(account)
        return ended

    def close(self, account: Account, now: int) -> None:
        """Take a request out of the books: its answer has ended."""
        self._stop(account, now)
        self.pages.check_room(account.id, account.computed)
        if account.tokens_out != account.most - account.request.prompt_tokens:
            raise AssertionError(f"request {account.id!r}: tokens were lost or invented")
        del self.open[account.id]

    def break_off(self, account: Account) -> None:
        """Bring an account up to date that the run leaves unfinished."""
        self._rest(account)
        del self.open[account.id]

    def _sort(self, chunks) -> tuple[int, list[tuple[Account, int]]]:
        """How many decode, after the group was made to hold just those; and the prompts."""
        members, usual = self.decoding.members, self.decoding.chunks
        decodes, rest, prompts = 0, chunks, []
        if usual and isinstance(chunks, tuple) and chunks[: len(usual)] == usual:
            decodes, rest = len(usual), chunks[len(usual) :]
            if not rest:
                return decodes, []
        planned = self._each_once(rest)
        for request_id, new_tokens in rest:
            account = self._account(request_id, "scheduled")
            if new_tokens != 1 or not account.has_caught_up:
                prompts.append((account, new_tokens))
                continue
            if request_id not in members:
                self._join(account, None)
            elif rest is not chunks:
                self._each_once(chunks)  # it stands in both parts
            decodes += 1
        if 0 < decodes < len(members):
            for request_id in [one for one in members if one not in planned]:
                self._rest(members[request_id])
        return decodes, prompts

    def _each_once(self, chunks) -> dict[Hashable, int]:
        try:
            planned = dict(chunks)
        except (TypeError, ValueError):
            raise BadPlan(f"chunks = {chunks!r}: expected pairs (request id, new tokens)") from None
        if len(planned) < len(chunks):
            raise BadPlan(f"chunks = {chunks!r}: expected each request at most once")
        return planned

    def _check_prompt(self, account: Account, new_tokens: int, cached: int, now: int) -> None:
        if not account.is_running:
            self._admit(account, cached, now)
        if not 1 <= new_tokens <= account.to_compute or account.has_caught_up:
            raise BadPlan(
                f"request {account.id!r} is to compute {new_tokens} tokens: expected from 1 to "
                f"{account.known - account.computed}, what it knows and has not computed"
            )
        self.pages.check_room(account.id, account.computed + new_tokens)

    def _admit(self, account: Account, cached: int, now: int) -> None:
        if not 0 <= cached < account.known:
            raise BadPlan(
                f"request {account.id!r} starts behind {cached} cached tokens: expected fewer than "
                f"the {account.known} that it knows"
            )
        if not account.stays:
            account.cached = cached
            self.prompt_tokens += account.known
            self.cached_tokens += cached
        account.stays.append([now, None, None])
        account.computed = cached
        self.stored_tokens += cached
        self.num_running += 1

    def _shape(self, decodes: int) -> StepShape:
        tokens = pairs = 0
        for account, new_tokens in self._prompts:
            tokens += new_tokens
            pairs += attention_pairs(new_tokens, account.computed)
        return StepShape(tokens, pairs, decodes, self.decoding.context_tokens if decodes else 0)

    def _check_step(self, plan: StepPlan, shape: StepShape) -> None:
        if not plan.chunks or plan.repeat < 1 or (plan.repeat > 1 and self._prompts):
            raise BadPlan(
                f"{len(plan.chunks)} chunks, repeat = {plan.repeat}: expected one or more, "
                "and repeat = 1 where a request prefills"
            )
        if plan.shape is not None and plan.shape != shape:
            raise BadPlan(f"shape = {plan.shape}: expected {shape} for the chunks of this plan")
        if self.max_sequences is not None and self.num_running > self.max_sequences:
            raise BadPlan(
                f"{self.num_running} requests run after {plan.chunks[-1][0]!r} was added: expected "
                f"at most max_sequences = {self.max_sequences}"
            )
        if self._prompts and self.token_budget is not None and len(plan.chunks) > 1:
            tokens = shape.prefill_tokens + shape.decode_sequences
            if tokens > self.token_budget:
                raise BadPlan(
                    f"{tokens} tokens up to request {plan.chunks[-1][0]!r}: expected at most "
                    f"token_budget = {self.token_budget} in a step that several requests share"
                )

    def _decode(self, steps: int) -> list[Account]:
        self._fruitless = 0
        self.stored_tokens += steps * len(self.decoding.members)
        ended = self.decoding.advance(steps)
        for account in ended:
            account.pieces[-1][2] = self.decoding.steps
        return ended

    def _catch_up(self, account: Account, now: int) -> None:
        self._fruitless = 0
        account.stays[-1][1] = now
        if account.first_token is None:
            account.first_token = now
        if account.is_complete:
            account.pieces.append([now, 0, 0])
        else:
            self._join(account, now)

    def _join(self, account: Account, token: int | None) -> None:
        account.pieces.append([token, self.decoding.steps, None])
        self.decoding.join(account)

    def _rest(self, account: Account) -> None:
        if account.id in self.decoding.members:
            self.decoding.leave(account.id)
            account.pieces[-1][2] = self.decoding.steps

    def _preempt(self, account: Account, now: int) -> None:
        if not account.is_running:
            raise BadPlan(f"request {account.id!r} is preempted: expected one that runs")
        self.pages.check_released(account.id, "was preempted")
        self._stop(account, now)
        account.computed = 0
        account.preemptions += 1
        self._fruitless += 1
        if self._fruitless > MOST_FRUITLESS_PREEMPTIONS:
            raise BadPlan(
                f"request {account.id!r} is preempted: expected a token within "
                f"{MOST_FRUITLESS_PREEMPTIONS:,} preemptions"
            )

    def _stop(self, account: Account, now: int) -> None:
        self._rest(account)
        account.stays[-1][2] = now
        self.stored_tokens -= account.computed
        self.num_running -= 1

    def _account(self, request_id, what: str) -> Account:
        try:
            return self.open[request_id]
        except KeyError:
            raise BadPlan(
                f"request {request_id!r} is {what}: expected one that has arrived and not ended"
            ) from None
