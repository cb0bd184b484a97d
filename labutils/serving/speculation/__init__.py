"""Speculative decoding around the engine: several tokens from one step of the target.

1. ``proposal``: what any draft says, and what it is asked
2. ``lookup_draft``, ``model_draft``: a free draft, and a small model with a memory of its own
3. ``shares``: what a request's next token is drawn from
4. ``acceptance``: the rule that keeps the target's distribution
5. ``stretch``: a request with drafted tokens behind it, packed with logits at each place
6. ``spare_pages``: room for drafts, and its way back
7. ``speculative``: the engine with all of it around; ``tally``: what was accepted, place by place
8. ``drafts_that_pay``: how many drafts pay
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

from .drafts_that_pay import Choice, best_drafts, gains
from .lookup_draft import LookupDraft
from .proposal import Draft, Proposal
from .tally import Tally

if TYPE_CHECKING:
    from .acceptance import accepted, accepted_greedily
    from .model_draft import ModelDraft
    from .shares import token_shares
    from .speculative import Speculative

_HOME = {  # these need torch
    "ModelDraft": "model_draft",
    "Speculative": "speculative",
    "accepted": "acceptance",
    "accepted_greedily": "acceptance",
    "token_shares": "shares",
}

__all__ = [
    "Choice", "Draft", "LookupDraft", "ModelDraft", "Proposal", "Speculative", "Tally", "accepted",
    "accepted_greedily", "best_drafts", "gains", "token_shares",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, _HOME)
