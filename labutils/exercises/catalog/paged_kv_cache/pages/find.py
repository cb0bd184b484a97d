"""pages.find · Which pages are there already · 3 minutes

> Two things end the search: a key that leads nowhere; and the page of the last known token.
> The last known token has the number `request.known - 1`. How many full pages lie before its own?
> Walk through `request.keys[: (request.known - 1) // self.page_tokens]`, break at the first key
  that is not in `self.page_of`, and collect `self.page_of[key]` until then.

A key names its page and all before it, so a key that is found vouches for the whole beginning;
behind a gap nothing can be used, since every token attends to all before it. And at least one token
has to be computed, or there are no logits to choose the next token from: the page of the last known
token is never shared, even if it is full and found. vLLM has the same rule, and nano-vllm issue 144
is what happens without it.
"""

from labutils.exercises.definition.sheet import exercise

from . import walks
from .pool_walk import piece_of_pool

_MISTAKES = """
one-page-short: You leave out the last page that was found. The page of the last known token is left
    out before you look: not twice.
- return found
+ return found[:-1]

held-alone: A page that is idle is not found. Idle means: nobody holds it, and it can be found.
- if key not in self.page_of:
+ if key not in self.page_of or self.page_of[key] in self.idle:

finds-nothing: Nothing is ever found. Where does `page_of` lead?
- return found
+ return []

nothing-left-to-compute: The whole prompt comes out of memory, and nothing is left to compute. From
    which token's output does the next one come?
- (request.known - 1) // self.page_tokens
+ request.known // self.page_tokens

never-the-last-key: You leave the last key out, whatever is behind it. A prompt that ends in the
    middle of a page has its last token there: may all of its full pages be shared?
- request.keys[: (request.known - 1) // self.page_tokens]
+ request.keys[:-1]

over-the-gap: You go on behind a page that is not there. At which place of the table would the
    tokens behind the gap stand?
- break
+ continue

a-page-less: A prompt that ends in the middle of a page has its last token there. May all of its
    full pages be shared?
- for key in request.keys[: (request.known - 1) // self.page_tokens]:
+ for key in request.keys[: request.known // self.page_tokens]:
- return found
+ return found[:-1]

all-or-none: The beginning is there and the end is not. What can be used of it?
- if key not in self.page_of:
-     break
+ if key not in self.page_of:
+     return []

without-page-0: Page 0 is a page like any other, and `if not page` takes it for none.
- if key not in self.page_of:
+ if not self.page_of.get(key):

counts-the-prompt: A request came back after a preemption with more known tokens than its prompt
    has. Which token is its last one now?
- request.known - 1
+ request.prompt_tokens - 1
"""

FIND = exercise(
    __doc__,
    piece_of_pool(
        _MISTAKES,
        "find",
        through=(walks.the_same_twice, walks.same_beginning, walks.after_the_gap, walks.back_again),
    ),
)
