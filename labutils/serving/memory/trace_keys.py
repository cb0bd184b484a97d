"""Names of pages, from a trace that names blocks of another size."""

from collections.abc import Hashable, Sequence

from labutils.ground import arguments


def trace_keys(
    prefix_keys: Sequence[Hashable], key_tokens: int, prompt_tokens: int, page_tokens: int
) -> tuple[Hashable, ...]:
    """Names for pages of ``page_tokens``, from a trace that names blocks of ``key_tokens``.

    The trace's own keys must be chained (Mooncake's ``hash_ids`` are): each says that all before it
    is equal too. Smaller pages split a block, larger ones take the key of their last block. Pages
    that the prompt does not fill get none.

    ``ValueError`` unless one of the two sizes divides the other.

    >>> trace_keys([7, 9], key_tokens=4, prompt_tokens=7, page_tokens=2)
    ((7, 0), (7, 1), (9, 0))
    >>> trace_keys([7, 9, 4], key_tokens=4, prompt_tokens=12, page_tokens=8)
    (9,)
    """
    page_tokens = arguments.whole("page_tokens", page_tokens)
    full_pages = prompt_tokens // page_tokens
    if page_tokens % key_tokens == 0:
        blocks_in_page = page_tokens // key_tokens
        return tuple(prefix_keys[blocks_in_page - 1 :: blocks_in_page][:full_pages])
    if key_tokens % page_tokens:
        raise ValueError(
            f"page_tokens = {page_tokens}: expected a divisor or a multiple of the trace's "
            f"{key_tokens} tokens per key"
        )
    pages_in_block = key_tokens // page_tokens
    blocks = prefix_keys[: -(-full_pages // pages_in_block)]
    return tuple((key, part) for key in blocks for part in range(pages_in_block))[:full_pages]
