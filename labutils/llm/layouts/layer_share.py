"""What one stage of a layout takes for a micro-batch: each term from bytes, operations, messages.

Every card of a stage does the same at the same time, so a stage is as fast as its busiest card.
"""

from labutils.llm.layouts.exchanges import all_reduce_s, expert_exchange_s, hand_over_s
from labutils.llm.layouts.expert_load import device_shares, even, expected_busiest
from labutils.llm.layouts.hosts import Hosts, Rates
from labutils.llm.layouts.layout import Layout
from labutils.llm.layouts.terms import LayoutStep, Work
from labutils.llm.levers.parallel import ALL_REDUCES_PER_LAYER
from labutils.llm.specification.spec import ModelSpec
from labutils.llm.steps.coverage import expert_coverage

ACTIVATION_BYTES = 2  # of a value that travels, in 16 bits


class Stage:
    """One stage of ``layout``: 1/pp of the layers on tp · sp cards, and its part of the experts.

    Embeddings are taken to be spread evenly over the stages. ``popularity`` is each expert's share
    of the picks; None for even ones.
    """

    def __init__(
        self, model: ModelSpec, layout: Layout, hosts: Hosts, rates: Rates, popularity=None
    ):
        self.model, self.layout, self.hosts, self.rates = model, layout, hosts, rates
        device = hosts.device
        self.bytes_per_s = device.bandwidth_bytes_per_s * rates.bandwidth_share
        self.flops_per_s = device.peak(rates.precision) * rates.flops_share
        self.expert_shares = None
        if model.experts and layout.ep > 1:
            picks = even(model.experts.num) if popularity is None else popularity
            self.expert_shares = device_shares(picks, layout.ep)

    def terms(self, work: Work) -> LayoutStep:
        """Seconds by term for one micro-batch."""
        busiest = self.busiest(work)
        weights_s = self.weight_bytes_read(work, busiest) / self.bytes_per_s
        kv_s = work.kv_bytes * self.kv_share / self.bytes_per_s
        linear_s = self.linear_flops(work, busiest) / self.flops_per_s
        share = 1 / self.layout.cards_of_a_copy
        decode_s = work.decode_flops * share / self.flops_per_s
        return LayoutStep(
            read_weights_s=weights_s,
            read_kv_s=kv_s,
            arithmetic_s=max(0.0, linear_s - weights_s)
            + max(0.0, decode_s - kv_s)
            + work.prefill_flops * share / self.flops_per_s,
            all_reduce_s=self.all_reduces_s(work),
            all_to_all_s=self.all_to_alls_s(work, busiest),
            sequence_exchange_s=self.sequence_exchange_s(work),
            hand_over_s=self.hand_over_s(work),
            launch_s=self.launch_s,
        )

    @property
    def launch_s(self) -> float:
        """What the stage's part of the layers takes apart from bytes and operations."""
        whole_s = self.rates.launch_s + self.rates.per_layer_s * self.model.layers
        return whole_s / self.layout.pp

    @property
    def kv_share(self) -> float:
        """The part of a copy's cache on each card: heads, layers and sequences are dealt out.

        Latent attention has one vector for all heads: each of the tp cards keeps it whole.
        """
        heads = 1 if self.model.latent else self.layout.tp
        return 1 / (heads * self.layout.pp * self.layout.sp)

    @property
    def stored_bytes(self) -> tuple[float, float]:
        """Weights on a card: those that every token visits, and its part of the routed experts."""
        layout, rates, routed = self.layout, self.rates, self.model.expert_parameters
        plain = (self.model.parameters - routed) * rates.bytes_per_weight
        width = rates.bytes_per_expert_weight or rates.bytes_per_weight
        parts = layout.pp * max(layout.tp, layout.ep)
        return plain / (layout.tp * layout.pp), routed * width / parts

    def group_tokens(self, work: Work) -> float:
        """Tokens that meet at the experts: those of all copies whose cards hold them together."""
        return work.tokens * max(1, self.layout.ep / self.layout.tp)

    def busiest(self, work: Work) -> float:
        """Picks of the busiest card's experts over the mean card's; 1 where experts are cut.

        Low by up to a fifth below ten picks a card (4 tokens, 8 of 256 experts, 64 cards: 4.3,
        drawn 5.3).
        """
        if self.expert_shares is None or not work.tokens:
            return 1.0
        experts = self.model.experts
        tokens = self.group_tokens(work)
        return expected_busiest(self.expert_shares, tokens, experts.per_token, experts.num)

    def weight_bytes_read(self, work: Work, busiest: float = 1.0) -> float:
        """Bytes of weights that the busiest card reads: of its experts, those that are touched."""
        plain, routed = self.stored_bytes
        if not routed:
            return plain
        experts = self.model.experts
        touched = expert_coverage(experts.num, experts.per_token, self.group_tokens(work))
        return plain + routed * min(1.0, busiest * touched / experts.num)

    def linear_flops(self, work: Work, busiest: float = 1.0) -> float:
        """Operations with weights on the busiest card: 2 for each weight and token."""
        plain = self.model.parameters - self.model.expert_parameters
        routed = self.model.active_parameters - plain
        return 2 * work.tokens * (plain + routed * busiest) / self.layout.cards_of_a_copy

    @property
    def expert_layers(self) -> float:
        """Layers of the stage that hold experts."""
        if not self.model.experts:
            return 0.0
        return (self.model.layers - self.model.experts.dense_layers) / self.layout.pp

    def message_bytes(self, work: Work) -> float:
        """The hidden vectors of a micro-batch, on a card."""
        return ACTIVATION_BYTES * work.tokens * self.model.hidden_size / self.layout.sp

    def all_reduces_s(self, work: Work) -> float:
        """Two a layer, after attention and after the feed-forward; placed experts need one."""
        if self.layout.tp == 1:
            return 0.0
        count = ALL_REDUCES_PER_LAYER * self.model.layers / self.layout.pp
        count -= self.expert_layers if self.layout.ep > 1 else 0
        link = self.hosts.link_among(self.layout.tp)
        return count * all_reduce_s(self.message_bytes(work), self.layout.tp, link)

    def all_to_alls_s(self, work: Work, busiest: float = 1.0) -> float:
        """Tokens to their experts and back, in every layer with experts; within a host free of
        charge where others leave it."""
        ep = self.layout.ep
        if ep == 1:
            return 0.0
        link, near = self.hosts.link_among(ep), self.hosts.host_cards
        return self.expert_layers * expert_exchange_s(
            busiest * work.tokens / self.layout.tp,
            picks=self.model.experts.per_token,
            hidden_size=self.model.hidden_size,
            away_share=(ep - (near if ep > near else 1)) / ep,
            start_s=link.start_s + link.hop_s,
            rate_bytes_per_s=link.rate_bytes_per_s,
        )

    def sequence_exchange_s(self, work: Work) -> float:
        """Keys and values of prompts go round a ring of the sp cards; rows that decode send their
        queries to all and get parts of answers back, as many bytes as an all-reduce."""
        sp, layers = self.layout.sp, self.model.layers / self.layout.pp
        if sp == 1:
            return 0.0
        link = self.hosts.link_among(self.layout.tp * sp).among(sp)
        seconds = 0.0
        if work.prompt_kv_bytes:
            moved = work.prompt_kv_bytes * self.kv_share * (sp - 1)
            seconds += layers * (sp - 1) * link.hop_s + moved / link.rate_bytes_per_s
        if work.rows:
            values = work.rows * self.model.num_heads * self.model.head_dim / self.layout.tp
            seconds += layers * all_reduce_s(ACTIVATION_BYTES * values, sp, link)
        return seconds

    def hand_over_s(self, work: Work) -> float:
        """The hidden vectors go on to the next stage."""
        if self.layout.pp == 1:
            return 0.0
        link = self.hosts.link_among(self.layout.cards_of_a_copy).among(2)
        return hand_over_s(self.message_bytes(work), link)
