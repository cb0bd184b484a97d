"""Names for pages of a prompt: equal keys mean an equal prefix, up to and including that page.

A key says more than "the same 16 tokens": keys and values of a token depend on everything before
it, so a page may be shared only where the whole prefix agrees. Chaining does that: each key is made
from its parent's key and the page's tokens (as in vLLM and nano-vllm). Only full pages have one.
"""

from array import array
from collections.abc import Hashable, Sequence
from hashlib import blake2b

from labutils import arguments


def unshared(page_tokens: int) -> tuple[Hashable, ...]:
    """The keys of a request that shares nothing: none at all, so its pages are never looked up."""
    return ()


def chained_keys(tokens: Sequence[int], page_tokens: int, *, salt: str = "") -> tuple[bytes, ...]:
    """Keys of the full pages of ``tokens``: each a digest of its parent's key and its own tokens.

    Prompts with different ``salt`` never share a page (two tenants, two adapters). A request takes
    them as ``keys=functools.partial(chained_keys, tokens)``.
    """
    page_tokens = arguments.whole("page_tokens", page_tokens)
    raw = array("q", tokens).tobytes()
    page_bytes = 8 * page_tokens
    keys, parent = [], blake2b(salt.encode(), digest_size=16).digest()
    for start in range(0, len(raw) - page_bytes + 1, page_bytes):
        parent = blake2b(parent + raw[start : start + page_bytes], digest_size=16).digest()
        keys.append(parent)
    return tuple(keys)


def trace_keys(
    prefix_keys: Sequence[Hashable], key_tokens: int, prompt_tokens: int, page_tokens: int
) -> tuple[Hashable, ...]:
    """Keys for pages of ``page_tokens``, from a trace that names blocks of ``key_tokens``.

    The trace's own keys must be chained (Mooncake's ``hash_ids`` are). Smaller pages split a block,
    larger ones take the key of their last block. Pages that the prompt does not fill get none.

    ``ValueError`` unless one of the two sizes divides the other.
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
    keys = [(key, part) for key in prefix_keys for part in range(pages_in_block)]
    return tuple(keys[:full_pages])
