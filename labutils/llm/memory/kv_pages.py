"""Cache memory in pages: how many a sequence takes, and what stands empty."""

from labutils.ground import arguments


def pages_for(tokens: int, page_tokens: int) -> int:
    """Pages that hold ``tokens`` of one sequence: ⌈n / page⌉.

    Pages belong to one sequence; only the last of them is partly empty (Kwon et al.,
    PagedAttention, SOSP 2023, section 4.2).
    """
    page = arguments.whole("page_tokens", page_tokens)
    return -(-arguments.whole("tokens", tokens, at_least=0) // page)


def empty_slots(tokens: int, page_tokens: int) -> int:
    """Places for tokens that stand empty in the last page, 0 to page − 1."""
    return pages_for(tokens, page_tokens) * int(page_tokens) - int(tokens)


def mean_empty_slots(page_tokens: int) -> float:
    """Empty places of a sequence on average, (page − 1) / 2: its last page ends anywhere in it."""
    return (arguments.whole("page_tokens", page_tokens) - 1) / 2


def reserved_waste(mean_tokens: float, reserved_tokens: float) -> float:
    """Share of a contiguous reservation that never holds a token: 1 − mean / reserved.

    The internal waste of Kwon et al. (2023, section 3.1), at the moment a sequence ends. While it
    still grows, more stands empty.
    """
    reserved = arguments.positive("reserved_tokens", reserved_tokens)
    mean = arguments.non_negative("mean_tokens", mean_tokens)
    if mean > reserved:
        raise ValueError(
            f"mean_tokens = {mean_tokens!r}: expected at most reserved_tokens = {reserved_tokens!r}"
        )
    return 1 - mean / reserved
