"""A night: a chat all the time, and documents that come at once."""

import numpy as np

from labutils.ground import arguments
from labutils.serving.promises import Promise

from .workload import Part, Workload

CHAT = Promise(ttft_s=2.0, tpot_s=0.06, priority=0, tenant="shop", kind="chat")
DOCUMENTS = Promise(ttft_s=120.0, priority=2, tenant="lawyers", kind="documents")
COME = 0.3
"""When the documents come, as a share of the night."""
PROMPT_TOKENS, ANSWER_TOKENS = (12_000, 16_000), (150, 450)
"""Of a document and of its summary, from and to."""


class Documents(Part):
    """Long prompts, all at once."""

    def draw(self, count: int, duration_s: float, seed: int) -> list[tuple[float, int, int]]:
        """Rows (arrival in seconds, prompt tokens, answer tokens)."""
        rng = np.random.default_rng(seed)
        lengths = rng.integers(*PROMPT_TOKENS, count), rng.integers(*ANSWER_TOKENS, count)
        come_s = COME * duration_s + 0.01 * np.arange(count)
        return list(zip(come_s.tolist(), *(column.tolist() for column in lengths)))


def night(
    *, seed: int, chat_per_s: float = 4.0, duration_s: float = 80.0, documents: int = 6,
    chat: Promise = CHAT, bulk: Promise = DOCUMENTS,
) -> Workload:  # fmt: skip
    """Conversations for ``duration_s``, and after a third of it ``documents`` long prompts at once.

    The chat has the lengths of a public trace, and its requests are the same for any number of
    documents. ``chat`` and ``bulk`` are what is promised.
    """
    duration_s = arguments.positive("duration_s", duration_s)
    count = round(arguments.positive("chat_per_s", chat_per_s) * duration_s)
    parts = [Part(mix="azure-conversation", share=count, promise=chat, burstiness=1.0)]
    if arguments.whole("documents", documents, at_least=0):
        parts.append(Documents(mix="long-context", share=documents, promise=bulk))
    total = count + documents
    return Workload.of(
        "night", parts, num_requests=total, rate_per_s=total / duration_s, seed=seed
    )  # fmt: skip
