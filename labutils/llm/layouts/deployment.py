"""A model under a layout on given cards: whether it fits, how long steps take, what they cost."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from labutils.ground import arguments
from labutils.llm.layouts.hosts import PEAKS, Hosts, Rates
from labutils.llm.layouts.layer_share import Stage
from labutils.llm.layouts.layout import Layout
from labutils.llm.layouts.pipeline import decode_micro_batches
from labutils.llm.layouts.terms import LayoutStep, Work
from labutils.llm.specification.spec import ModelSpec
from labutils.llm.steps.attention import decode_attention_flops
from labutils.llm.steps.cost import cost_per_million_tokens
from labutils.llm.steps.prefill import prefill_flops


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """``model`` cut by ``layout`` onto the cards of ``hosts``.

    Requests are dealt evenly to the copies, which are alike: a step here is the step of one copy.
    ``popularity`` is each expert's share of the picks (None: even). ``ValueError`` if the layout
    does not divide the model; whether it fits is asked of ``fits``.

    >>> from labutils import llm
    >>> hosts = Hosts(device=llm.accelerator("H100 SXM"))
    >>> eight = Deployment(model=llm.model("Llama-3.1-70B"), layout=Layout(tp=8), hosts=hosts)
    >>> round(1e3 * eight.decode(64, 2000).time_s, 2), eight.decode(64, 2000).largest
    (11.87, 'read weights')
    """

    model: ModelSpec
    layout: Layout
    hosts: Hosts
    rates: Rates = PEAKS
    popularity: Sequence[float] | None = None

    def __post_init__(self):
        self.layout.require(self.model)

    @cached_property
    def stage(self) -> Stage:
        """One stage of a copy; all stages are alike."""
        return Stage(self.model, self.layout, self.hosts, self.rates, self.popularity)

    @property
    def weight_bytes_per_card(self) -> float:
        """Weights that each card stores."""
        return sum(self.stage.stored_bytes)

    @property
    def kv_bytes_per_copy(self) -> float:
        """Room for caches in one copy, over all of its cards: 0 if the weights do not fit."""
        usable = self.rates.usable_share * self.hosts.device.memory_bytes
        return max(0.0, usable - self.weight_bytes_per_card) / self.stage.kv_share

    def max_batch(self, context_tokens: float) -> int:
        """Sequences of ``context_tokens`` that fit into all copies together."""
        each = self.model.kv_bytes(
            arguments.positive("context_tokens", context_tokens), self.rates.bytes_per_value
        )
        return self.layout.dp * math.floor(self.kv_bytes_per_copy / each)

    def kv_tokens_per_copy(self) -> int:
        """Tokens that the caches of one copy hold, windows left out."""
        each = self.model.kv_bytes_per_token(self.rates.bytes_per_value)
        return math.floor(self.kv_bytes_per_copy / each)

    def fits(self, batch: int = 1, context_tokens: float = 1.0) -> bool:
        """Whether weights and the caches of ``batch`` such sequences find room."""
        return self.max_batch(context_tokens) >= arguments.whole("batch", batch)

    def decode(self, batch: int, context_tokens: float) -> LayoutStep:
        """A token for each of ``batch`` sequences over all copies, by term; its time is the TPOT.

        A pipeline deals a copy's sequences to as many micro-batches as it has stages: each stage
        works for all of them in turn, and waits only where there are fewer sequences than stages.
        """
        rows = math.ceil(arguments.whole("batch", batch) / self.layout.dp)
        context = arguments.non_negative("context_tokens", context_tokens)
        work = Work(
            tokens=rows,
            rows=rows,
            kv_bytes=rows * self.model.kv_bytes_read(context, self.rates.bytes_per_value),
            decode_flops=rows * decode_attention_flops(self.model, context),
        )
        return self.round(work, decode_micro_batches(self.layout.pp, rows))

    def round(self, work: Work, micro_batches: int) -> LayoutStep:
        """``work`` in as many micro-batches, through a pipeline that is full if they suffice."""
        stage = self.stage.terms(work.split(micro_batches))
        return stage.repeated(micro_batches, self.layout.pp - micro_batches)

    def prefill(self, prompt_tokens: int, *, chunk_tokens: int | None = None) -> LayoutStep:
        """One prompt alone in its copy, by term; its time is the least TTFT.

        In chunks it is a train through the pipeline, (m + p − 1) stages long. All chunks are taken
        as equally long, and what a chunk reads of the prompt's earlier cache is left out.
        """
        prompt = arguments.whole("prompt_tokens", prompt_tokens)
        chunk = prompt if chunk_tokens is None else arguments.whole("chunk_tokens", chunk_tokens)
        chunks = math.ceil(prompt / chunk)
        work = Work(
            tokens=prompt,
            prefill_flops=prefill_flops(self.model, prompt).attention,
            prompt_kv_bytes=self.model.kv_bytes(prompt, self.rates.bytes_per_value),
        )
        return self.stage.terms(work.split(chunks)).repeated(chunks, self.layout.pp - 1)

    def tokens_per_s_per_card(self, batch: int, context_tokens: float) -> float:
        """Decode tokens of all copies per second and card."""
        return batch / self.decode(batch, context_tokens).time_s / self.layout.cards

    def cost_per_million_tokens(
        self, batch: int, context_tokens: float, *, price_per_hour: float
    ) -> float:
        """Price of 10⁶ decoded tokens, ``price_per_hour`` for each card."""
        rate = batch / self.decode(batch, context_tokens).time_s
        return cost_per_million_tokens(price_per_hour, rate, num_devices=self.layout.cards)
