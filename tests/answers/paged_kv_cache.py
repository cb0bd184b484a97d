"""Trial answers to three exercises of lab 5: the slots, the page of 16 KiB, the fences."""

from tests.answers.answer import right, wrong


def slots(expression: str) -> str:
    """The slots by this expression."""
    return f"def slots_of(pages, start, end, page_tokens):\n    return {expression}\n"


ANSWERS = [
    wrong(
        "packing.slots",
        "the page's number is not multiplied",
        slots("[pages[i // page_tokens] + i % page_tokens for i in range(start, end)]"),
        true=("page-for-slot",),
    ),
    wrong(
        "packing.slots",
        "the end counts",
        slots(
            "[pages[i // page_tokens] * page_tokens + i % page_tokens"
            " for i in range(start, end + 1) if i // page_tokens < len(pages)]"
        ),
    ),
    wrong(
        "packing.slots",
        "from the first token on",
        slots(
            "[pages[i // page_tokens] * page_tokens + i % page_tokens for i in range(end - start)]"
        ),
        true=("counted-from-start",),
    ),
    wrong(
        "packing.slots",
        "side by side behind the first",
        slots(
            "[pages[start // page_tokens] * page_tokens + start % page_tokens + i"
            " for i in range(end - start)]"
        ),
        true=("side-by-side",),
    ),
    wrong(
        "packing.slots",
        "the page's index for its number",
        slots("[i // page_tokens * page_tokens + i % page_tokens for i in range(start, end)]"),
        true=("index-for-number",),
    ),
    wrong(
        "packing.slots",
        "sorted pages",
        slots(
            "[sorted(pages)[i // page_tokens] * page_tokens + i % page_tokens"
            " for i in range(start, end)]"
        ),
        true=("sorted-pages",),
    ),
    wrong(
        "packing.slots",
        "quotient and rest exchanged",
        slots(
            "[pages[i // page_tokens] * page_tokens + i // page_tokens for i in range(start, end)]"
        ),
    ),
    right(
        "packing.slots",
        "all slots, then a slice",
        slots("[p * page_tokens + k for p in pages for k in range(page_tokens)][start:end]"),
    ),
    right(
        "packing.slots",
        "divmod",
        slots(
            "[pages[q] * page_tokens + r for q, r in"
            " (divmod(i, page_tokens) for i in range(start, end))]"
        ),
    ),
    wrong("paged.sixteen_kb", "all layers", 16_384 / (24 * 512), true=("all-layers",)),
    wrong(
        "paged.sixteen_kb",
        "query heads",
        16_384 // (2 * 14 * 64 * 2),
        false=("scale",),
        true=("query-heads-rounded",),
    ),
    wrong("paged.sixteen_kb", "keys alone", 64, true=("keys-alone",)),
    wrong("paged.sixteen_kb", "numbers, not bytes", 64.0, true=("keys-alone",)),
    wrong("paged.sixteen_kb", "kilobytes", 16_000 / 512, true=("kilobytes",)),
    wrong("paged.sixteen_kb", "one head, keys alone", 128, true=("one-number",)),
    wrong("paged.sixteen_kb", "bytes of a token", 512, true=("bytes-of-a-token",)),
    right("paged.sixteen_kb", "a power", 2**14 // 2**9),
    right("paged.sixteen_kb", "a float", 32.0),
    wrong("paged.pools", "the draft model alone", "b", true=("without-e",)),
    wrong("paged.pools", "tenants too", "b, c, e", true=("c",)),
    wrong("paged.pools", "page sizes too", "b, d, e", true=("d",)),
    wrong("paged.pools", "short and long too", "a, b, e", true=("a",)),
    wrong("paged.pools", "the windows alone", "e", true=("without-b",)),
    wrong("paged.pools", "all", "a, b, c, d, e", true=("a",)),
    right("paged.pools", "turned round", "e b"),
    right("paged.pools", "capitals", "B, E"),
]
