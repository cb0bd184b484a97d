"""More practice: the optional exercises of the chapter."""

import math

from labutils.exercises.checkers.sheets import choice, number

CHUNKS = choice("""
continuous.chunks · What chunked prefill does · 3 minutes, optional

- a: The first token of the long prompt comes out after its first chunk.
! The first answer token is predicted from the last token of the prompt. Which chunk holds that one?
+ b: The longest gap between two tokens of the others shrinks.
! What does one step with the whole prompt in it do to those who decode?
- c: Attention gets cheaper: a sum of small squares is less than one large square.
! Each chunk attends to all chunks before it. Count the pairs of tokens.
+ d: The long prompt's own first token comes later than in one piece.
! What do the others' tokens, in each of its steps, do to the prompt itself?
- e: The smaller the token budget, the sooner the first token.
! A smaller budget makes more steps, and each computes the others' tokens once more; below the ridge
  it waits for the weights as well.
> Two groups: the one whose prompt is cut, and those who decode meanwhile. Who waits for what?
> The first token needs the last chunk. Between two chunks, everybody else gets a token.
> One statement about the others is right, and one about the prompt itself.

Chunking moves waiting time from the others to the prompt's owner. The others' longest gap falls
from the time of the whole prompt to that of one chunk. The owner pays for the others' tokens in
every step, and for what a step costs whatever is in it, as far as computing does not hide it. The
work of attention stays the same, pair by pair. It is a technique for the inter-token latency of
bystanders.
""")

BASE_MS, PER_TOKEN_MS, PER_SEQUENCE_MS, SEQUENCES, LIMIT_MS = 6.0, 0.060, 0.030, 24, 40.0
_for_prompts_ms = LIMIT_MS - BASE_MS
_rest_ms = _for_prompts_ms - SEQUENCES * PER_SEQUENCE_MS
_without_base_ms = LIMIT_MS - SEQUENCES * PER_SEQUENCE_MS
_both_ms = LIMIT_MS - BASE_MS - SEQUENCES * (PER_SEQUENCE_MS + PER_TOKEN_MS)
_whole = math.floor(_rest_ms / PER_TOKEN_MS)
_NO_BASE = "Every step pays the base once, however little is in it."

BUDGET = number(f"""
continuous.budget · The largest token budget that keeps a promise · 4 minutes, optional

= {_rest_ms / PER_TOKEN_MS + SEQUENCES} 1 tolerance=0.002 unsafe=above
- prompt-tokens-alone {_rest_ms / PER_TOKEN_MS}: Those are the prompt tokens. The budget counts all
  tokens of the step: who else computes one?
- both-prices {math.floor(_both_ms / PER_TOKEN_MS)}: Do you take those who decode
  off the budget, or let each of them pay the price of a prompt token beside its own? What does the
  story say of either?
- decodes-at-the-price-of-prompts {(_for_prompts_ms - SEQUENCES * PER_TOKEN_MS) / PER_TOKEN_MS}:
  You let each of those who decode pay the price of a prompt token. What does the story say of it?
- prices-added {_for_prompts_ms / (PER_TOKEN_MS + PER_SEQUENCE_MS)}: You add the two prices. Which
  tokens pay which of them?
- no-base {LIMIT_MS / PER_TOKEN_MS}: You spend the whole promise on prompts. What does a step cost
  that has none?
- no-decodes {_for_prompts_ms / PER_TOKEN_MS}: All the time after the base goes to tokens at the
  price of a prompt. What do those cost that decode, and does the budget count them?
- decodes-for-free {_for_prompts_ms / PER_TOKEN_MS + SEQUENCES}: You count those who decode into the
  budget, and give their time to prompts. What does each of them cost in a step?
- base-for-free {_without_base_ms / PER_TOKEN_MS + SEQUENCES}: {_NO_BASE}
- base-forgotten {_without_base_ms / PER_TOKEN_MS}: {_NO_BASE}
> The gap between two tokens of a bystander is the time of one step.
> Of the 40 ms, subtract the base and what 24 sequences cost. How many prompt tokens fit into the
  rest?
> (40 - 6 - 24 × 0.03) / 0.06 prompt tokens, and 24 tokens of those who decode.

The rest after base and decodes, {_rest_ms:.2f} ms, takes {_whole} whole prompt
tokens, and the budget counts the {SEQUENCES} decoding tokens besides. A budget is a promise about
ITL in disguise: write down which.
""")
