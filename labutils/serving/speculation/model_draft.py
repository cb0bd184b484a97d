"""A small model that drafts, with keys and values of its own on the pages of the engine's."""

from collections.abc import Sequence

import torch

from labutils.engine import Generation
from labutils.engine.attention import KVMemory, paged_attention
from labutils.engine.packing import pack

from .proposal import Proposal
from .shares import drawn, token_shares
from .stretch import Stretch


class ModelDraft:
    """Drafts with ``model``, token by token, all requests together.

    It has a KV memory of its own, laid out as the engine's: a token has the same slot in both, so
    the pages that a request holds serve both models, and there is no second set of books. What the
    draft has not read yet, a whole prompt at first, it reads when it is first asked.

    With a ``tokenizer`` here and one in the engine, both must have the same words.
    """

    def __init__(self, model, *, tokenizer=None):
        self.model, self.tokenizer = model, tokenizer
        self.steps = 0
        self._memory: KVMemory | None = None
        self._read: dict[Generation, tuple[int, int]] = {}  # preemptions then, tokens read

    def bind(self, engine) -> None:
        """Make memory for the engine's pages. ``ValueError`` for another vocabulary."""
        refuse_other_words(self, engine)
        refuse_short_context(self.model.spec, engine.model.spec)
        weights = next(self.model.parameters())
        sizes = engine.pool.num_pages, engine.pool.page_tokens
        self._memory = KVMemory(self.model.spec, *sizes, dtype=weights.dtype, device=weights.device)
        self._read = {}

    def propose(self, requests: Sequence[Generation], counts: Sequence[int]) -> list[Proposal]:
        """Up to its count of tokens for each request, each drawn as the request draws its own."""
        texts = [list(one.tokens) for one in requests]
        read = [self._still_valid(one) for one in requests]
        shares: list[list[torch.Tensor]] = [[] for _ in requests]
        open = [at for at, count in enumerate(counts) if count]
        while open:
            open.sort(key=lambda at: (len(texts[at]) - read[at] > 1, read[at]))
            logits = self._forward([(requests[at], texts[at], read[at]) for at in open])
            for at, token, share in zip(open, *self._choose(logits, [requests[a] for a in open])):
                read[at] = len(texts[at])
                texts[at].append(token)
                shares[at].append(share)
            open = [at for at in open if len(shares[at]) < counts[at]]
        self._note(requests, read)
        return [
            Proposal(text[len(one.tokens) :], _stacked(rows))
            for one, text, rows in zip(requests, texts, shares)
        ]

    def _still_valid(self, request: Generation) -> int:
        """How many of its tokens have keys and values of the draft's in memory.

        A refused draft's are worthless, and a request that lost its pages lost all.
        """
        preemptions, read = self._read.get(request, (0, 0))
        return min(read, request.computed) if preemptions == request.preemptions else 0

    def _note(self, requests: Sequence[Generation], read: Sequence[int]) -> None:
        """Remember what was read, of requests that have not ended."""
        self._read = {one: seen for one, seen in self._read.items() if one.finish_reason is None}
        for request, tokens in zip(requests, read):
            self._read[request] = request.preemptions, tokens

    def _forward(self, rows: Sequence[tuple[Generation, list[int], int]]) -> torch.Tensor:
        """Logits [rows, vocabulary] behind the last token of each text, of which some is read."""
        chunks = [
            (Stretch(text, read, len(text), request.pages), len(text) - read)
            for request, text, read in rows
        ]
        self.steps += 1
        with torch.inference_mode():
            step = pack(chunks, self._memory.page_tokens, self._memory.keys.device)
            attend = paged_attention(self._memory, step)
            tokens, positions = step.tokens[None], step.positions[None]
            return self.model(tokens, positions, attend=attend, rows=step.last)[0]

    def _choose(self, logits: torch.Tensor, requests: Sequence[Generation]):
        """A token for each row, and the shares that it was drawn from: None for greedy requests."""
        tokens = logits.argmax(-1).tolist()
        shares: list[torch.Tensor | None] = [None] * len(requests)
        for at, one in enumerate(requests):
            if one.sampling.temperature:
                shares[at] = token_shares(logits[at : at + 1], one.sampling)[0]
                tokens[at] = drawn(shares[at], one.random.random())
        return tokens, shares


def refuse_other_words(draft: ModelDraft, engine) -> None:
    """``ValueError`` unless draft and target speak the same tokens, as far as can be seen."""
    mine, target = draft.model.spec.vocab_size, engine.model.spec.vocab_size
    if mine != target:
        raise ValueError(
            f"draft has a vocabulary of {mine} tokens: expected {target}, the target's"
        )
    if draft.tokenizer is None or engine.tokenizer is None or draft.tokenizer is engine.tokenizer:
        return
    for token in range(target):
        words = [one.decode([token]) for one in (draft.tokenizer, engine.tokenizer)]
        if words[0] != words[1]:
            raise ValueError(
                f"draft reads token {token} as {words[0]!r}: expected {words[1]!r}, as the target"
            )


def refuse_short_context(draft, target) -> None:
    """``ValueError`` for a draft that cannot read as far as the target."""
    longest = target.max_context
    if draft.max_context is not None and (longest is None or draft.max_context < longest):
        wanted = "no limit" if longest is None else f"at least {longest}"
        raise ValueError(
            f"draft has a context of {draft.max_context} tokens: expected {wanted}, as the target"
        )


def _stacked(rows: Sequence[torch.Tensor | None]) -> torch.Tensor | None:
    return None if not rows or rows[0] is None else torch.stack(list(rows))
