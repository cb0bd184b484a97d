"""One model on several cards: how it is cut, whether it fits, and where the time of a step goes.

1. ``layout``: tensor, pipeline, data, expert and sequence parallel, and what divides
2. ``links``, ``exchanges``: what a link carries; all-reduce, all-to-all, hand-over
3. ``pipeline``, ``expert_load``: bubbles, and the busiest card's picks
4. ``hosts``: where the cards stand; ``terms``, ``layer_share``: a step term by term
5. ``deployment``: all of it together; ``pools``: prefill and decode apart
"""

from labutils.llm.layouts.deployment import Deployment
from labutils.llm.layouts.exchanges import (
    all_reduce_s,
    all_to_all_s,
    expert_exchange_s,
    hand_over_s,
    one_shot_all_reduce_s,
    ring_all_reduce_s,
    two_shot_all_reduce_s,
)
from labutils.llm.layouts.expert_load import (
    busiest_over_even,
    device_shares,
    even,
    expected_busiest,
    one_hot_expert,
)
from labutils.llm.layouts.hosts import Hosts, Rates
from labutils.llm.layouts.layout import Layout, layouts_of
from labutils.llm.layouts.links import LINKS, Link, link, link_of
from labutils.llm.layouts.pipeline import (
    bubble_share,
    decode_micro_batches,
    decode_round_s,
    train_s,
)
from labutils.llm.layouts.pools import Pools
from labutils.llm.layouts.terms import LayoutStep, Work

__all__ = [
    "LINKS",
    "Deployment",
    "Hosts",
    "Layout",
    "LayoutStep",
    "Link",
    "Pools",
    "Rates",
    "Work",
    "all_reduce_s",
    "all_to_all_s",
    "bubble_share",
    "busiest_over_even",
    "decode_micro_batches",
    "decode_round_s",
    "device_shares",
    "even",
    "expected_busiest",
    "expert_exchange_s",
    "hand_over_s",
    "layouts_of",
    "link",
    "link_of",
    "one_hot_expert",
    "one_shot_all_reduce_s",
    "ring_all_reduce_s",
    "train_s",
    "two_shot_all_reduce_s",
]
