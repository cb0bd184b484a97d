"""A pipeline of stages: when each works, and when it waits."""

from labutils.ground import arguments


def bubble_share(stages: int, micro_batches: int) -> float:
    """Share of the time that stages wait while a pipeline fills and drains: (p − 1)/(m + p − 1).

    ``micro_batches`` (m) pass ``stages`` (p), all equally long (Huang et al., GPipe, 2019, section
    2.3). A prompt in chunks is such a train: it begins in an empty pipeline, and its last chunk
    must come out.

    >>> round(bubble_share(4, 8), 3)
    0.273
    """
    p = arguments.whole("stages", stages)
    m = arguments.whole("micro_batches", micro_batches)
    return (p - 1) / (m + p - 1)


def train_s(stages: int, micro_batches: int, stage_s: float) -> float:
    """Seconds until the last of ``micro_batches`` has left the last stage: (m + p − 1) · t."""
    p = arguments.whole("stages", stages)
    m = arguments.whole("micro_batches", micro_batches)
    return (m + p - 1) * arguments.non_negative("stage_s", stage_s)


def decode_micro_batches(stages: int, sequences: int) -> int:
    """Micro-batches that keep a decoding pipeline busy: a stage each, if there are as many.

    A sequence needs its last token before it can begin the next, so it is in one stage at a time:
    with fewer sequences than stages some stage stands idle. More micro-batches than stages would
    read each stage's weights more often for the same tokens.
    """
    p = arguments.whole("stages", stages)
    return min(p, arguments.whole("sequences", sequences))


def decode_round_s(stages: int, micro_batches: int, stage_s: float) -> float:
    """Seconds between two tokens of a sequence: max(p, m) · t, once the pipeline is full."""
    p = arguments.whole("stages", stages)
    m = arguments.whole("micro_batches", micro_batches)
    return max(p, m) * arguments.non_negative("stage_s", stage_s)
