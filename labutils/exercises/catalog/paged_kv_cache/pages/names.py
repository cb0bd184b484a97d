"""pages.keys · Names that are chained · 4 minutes

> A page's name has to depend on its own tokens and on all before it. The name of the page before
  already says what lies before.
> Begin with a digest of the salt. For each full page: the next name is a digest of the last name
  and the page's tokens.
> `array("q", page).tobytes()` are the tokens as bytes, eight for each; `blake2b(name + those,
  digest_size=16).digest()` is the next name. Full pages end at range(page_tokens, len(tokens) + 1,
  page_tokens).

A chain: each name is made of the last name and the page's tokens, so equal names mean equal prompts
from the first token on, in 16 bytes, however long the prompt. It has to be a digest that nobody can
aim at: vLLM began with Python's `hash`, whose collisions could be predicted (advisory
GHSA-rm76-4mrf-v9r8), and has SHA-256 since v0.10.2. The salt keeps tenants apart, since a page that
is found answers measurably faster.
"""

from collections.abc import Sequence

from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise
from labutils.exercises.running.clocks import names_in


def share_names(engine, prompts: Sequence[tuple] | range, page_tokens: int) -> list:
    """Names of the pages of each prompt (tokens, salt), numbered in the order in which they come.

    What a name is does not matter; which pages have the same one does. Of a range of numbers each
    begins a prompt of four tokens in a row, and the names are counted alone.
    """
    if "hash" in names_in(engine.page_keys.__code__):
        return ["Python's `hash` makes the names: whoever sends prompts can aim at equal ones"]
    numbers: dict = {}
    if isinstance(prompts, range):
        for first in prompts:
            numbers.update(dict.fromkeys(engine.page_keys([*range(first, first + 4)], page_tokens)))
        return [f"{4 // page_tokens * len(prompts)} different pages have {len(numbers)} names"]
    return [
        [numbers.setdefault(name, len(numbers)) for name in named]
        for tokens, salt in prompts
        for named in [engine.page_keys(list(tokens), page_tokens, salt=salt)]
    ]


def _inputs():
    """Two to four prompts over few tokens, many of which begin alike; two tenants.

    Or two prompts whose tokens read alike where one is written behind the other, or where each is
    cut to one byte.
    """
    from hypothesis import strategies as st

    @st.composite
    def cases(draw):
        token = st.sampled_from((1, 2, 12, 21, 112))
        tokens = st.lists(token, max_size=6)
        size, head, other = draw(st.integers(1, 3)), draw(tokens), draw(tokens)
        heads = st.sampled_from(([], head, other, head + other, other + head))
        salts = st.sampled_from(("", "", "a"))
        prompt = st.tuples(st.tuples(heads, tokens).map(sum_of), salts)
        return draw(st.lists(prompt, min_size=2, max_size=4)), size

    @st.composite
    def alike_in_digits(draw):
        first, then = draw(st.permutations([(1, 12), (11, 2)]))
        rest = draw(st.lists(st.sampled_from((1, 2, 12)), max_size=3))
        return [((*first, *rest), ""), ((*then, *rest), "")], 2

    @st.composite
    def alike_in_a_byte(draw):
        tokens = draw(st.lists(st.sampled_from((1, 2, 12)), min_size=2, max_size=4))
        return [(tuple(tokens), ""), ((tokens[0] + 256, *tokens[1:]), "")], 2

    return st.one_of(cases(), cases(), alike_in_digits(), alike_in_a_byte())


def sum_of(parts: tuple[list, list]) -> tuple:
    """Both lists in one tuple."""
    return (*parts[0], *parts[1])


_WORDS = tuple(range(1, 17))  # a page of them, as the engine has it by default
_ALWAYS = (
    ([((1, 2), ""), ((2, 1), "")], 2),
    # what stands in two bytes, what does not, and what is the same there
    ([((1, 2), ""), ((65_537, 2), ""), ((1, 131_074), "")], 2),
    ([((1, 2), "Søren"), ((1, 2), "Søłren")], 2),  # letters beyond ASCII count
    ([((first, 2, 3, 4, 5, 6, 7, 8), "") for first in (1, 9)], 2),  # all four pages differ
    # only the ninth token of a page differs, and only the last
    ([(_WORDS, ""), ((*_WORDS[:8], 99, *_WORDS[9:]), ""), ((*_WORDS[:15], 99), "")], 16),
    ([((12, 7), ""), ((2, 7), "1")], 2),  # a salt is no token, nor part of one
    (range(4_000), 1),  # so many names that those of three bytes meet
)


_MISTAKES = """
page-alone: Two pages have the same tokens and stand behind different ones, and you give them one
    name. Do their keys and values agree, too?
- name = blake2b(name + page, digest_size=16).digest()
+ name = salt, page

page-and-place: Same tokens at the same place, behind another beginning: you give these pages one
    name. What do keys and values of a token depend on?
- name = blake2b(name + page, digest_size=16).digest()
+ name = salt, end, page

last-page-alone: Your names reach back by one page. What about the pages before that one?
- name = blake2b(name + page, digest_size=16).digest()
+ name = salt, tuple(tokens[max(end - 2 * page_tokens, 0) : end])

no-salt: Prompts with different salt share a name: tenants find each other's pages, and can time
    which prompts others have sent.
- salt.encode()
+ b""

salt-before-the-digits: Salt "1" in front of token 2 reads like token 12 without a salt: two tenants
    share a page. Where does the salt end?
- blake2b(salt.encode(), digest_size=16).digest()
+ salt.encode()
- page = array("q", tokens[end - page_tokens : end]).tobytes()
+ page = ",".join(map(str, tokens[end - page_tokens : end])).encode()

half-full-pages: A page that is filled in part has a name. It will be filled by an answer that
    nobody knows yet.
- len(tokens) + 1, page_tokens
+ len(tokens) + page_tokens, page_tokens

last-page-left-out: A prompt that fills its last page to the end has no name for it. Does your
    counting reach the last token?
- len(tokens) + 1, page_tokens
+ len(tokens), page_tokens

sums: Different tokens come to the same name. Two texts with one name: one user reads the other's
    answer.
- name = blake2b(name + page, digest_size=16).digest()
+ name = salt, sum(tokens[:end])

in-any-order: The same tokens in another order have the same name.
- tokens[end - page_tokens : end]
+ sorted(tokens[end - page_tokens : end])

digits-in-a-row: Tokens 1 and 12 in a row read like 11 and 2. Where does one token end?
- name = blake2b(name + page, digest_size=16).digest()
+ name = salt + "".join(map(str, tokens[:end]))

digits-in-a-row-of-a-page: Tokens 1 and 12 in a row read like 11 and 2. Where does one token end?
- array("q", tokens[end - page_tokens : end]).tobytes()
+ "".join(map(str, tokens[end - page_tokens : end])).encode()

sum-of-a-page: Different tokens of a page come to the same name. Two texts with one name: one user
    reads the other's answer.
- array("q", tokens[end - page_tokens : end]).tobytes()
+ str(sum(tokens[end - page_tokens : end])).encode()

one-byte-each: Tokens that differ by 256 get one name. The model has 1,024 tokens: how many bytes
    does one need?
- page = array("q", tokens[end - page_tokens : end]).tobytes()
+ page = bytes(token & 255 for token in tokens[end - page_tokens : end])

two-bytes-each: Tokens that differ by 65,536 get one name. Vocabularies of 150,000 tokens are
    common: how many bytes does one need?
- array("q", tokens[end - page_tokens : end]).tobytes()
+ array("H", [token & 65_535 for token in tokens[end - page_tokens : end]]).tobytes()

eight-tokens-of-each: You name a page by its first eight tokens: two texts that part behind them get
    one name, and one user reads the other's answer. All tokens of a page count.
- tokens[end - page_tokens : end]
+ tokens[end - page_tokens : end][:8]

ascii-salt: Salts that differ in a letter beyond ASCII share names. `salt.encode()` leaves no letter
    out.
- salt.encode()
+ salt.encode("ascii", "ignore")

pythons-hash: Names made by Python's `hash` can be aimed at: whoever sends prompts finds two with
    one name, and reads another's pages. Take a digest of `hashlib`.
- name = blake2b(name + page, digest_size=16).digest()
+ name = hash((name, page))

each-prompt-its-own: Prompts that begin alike and end differently have no name in common: nothing
    would ever be shared.
- name = blake2b(name + page, digest_size=16).digest()
+ name = salt, tuple(tokens), end
"""

KEYS = exercise(
    __doc__,
    piece_of(
        "pages:page_keys", tried=share_names, inputs=_inputs, always=_ALWAYS, mistakes=_MISTAKES
    ),
)
