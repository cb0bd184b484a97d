"""Bytes that one token leaves in the KV cache, and the heads that do not count."""

from labutils.exercises.checkers.sheets import number

LAYERS, QUERY_HEADS, KV_HEADS, HEAD_DIM, BYTES_PER_VALUE = 28, 28, 4, 128, 2


def _bytes(*, layers=LAYERS, heads=KV_HEADS, parts=2, bytes_per_value=BYTES_PER_VALUE):
    return parts * layers * heads * HEAD_DIM * bytes_per_value


BYTES_PER_TOKEN = number(rf"""
kv.bytes_per_token · What one token leaves in memory · 3 minutes

= {_bytes()} B tolerance=0.005
- query-heads {_bytes(heads=QUERY_HEADS)}: You count the query heads (hidden width / head width
  gives the same number). A query is used once and forgotten. Which heads are kept?
- hidden-width-too {_bytes(heads=KV_HEADS * QUERY_HEADS * HEAD_DIM)}: You multiply by the hidden
  width as well. A head has a width of its own.
- half {_bytes(parts=1)}: A factor of two is missing. Two vectors are kept per head, a key and a
  value, and each of their numbers takes two bytes: which of the two did you leave out?
- a-quarter {_bytes(parts=1, bytes_per_value=1)}: A factor of four is missing. A key and a value,
  two bytes for each number, and four heads are kept: which of these did you leave out?
- three-parts {_bytes(parts=3)}: A query is used once and forgotten. Which parts are kept for later
  tokens?
- hidden-width-each {_bytes(heads=QUERY_HEADS * KV_HEADS)}: You give every KV head the whole hidden
  width. How wide is a head?
- one-layer {_bytes(layers=1)}: That is one layer. Each layer has keys and values of its own.
- four-bytes {_bytes(bytes_per_value=4)}: Twice too large. How many bytes does a number take here?
- eightfold {8 * _bytes()}: Eight times too large. Do you count bits for bytes, or the query heads
  beside the KV heads?
- queries-too {_bytes(heads=QUERY_HEADS + 2 * KV_HEADS, parts=1)}: You keep the queries of all heads
  as well. A query is used once and forgotten.
- group-size {_bytes(heads=QUERY_HEADS // KV_HEADS)}: Seven query heads share one KV head. How many
  KV heads are there?
> What does a later token need of this one? Its queries are its own: it needs the keys to compare
  them with, and the values to mix.
> Per layer and KV head: one key and one value, each as long as the head is wide.
> 2 × layers × KV heads × head width × bytes per number, with 28, 4, 128 and 2.

$b_\mathrm{{KV}} = 2 \cdot 28 \cdot 4 \cdot 128 \cdot 2$ bytes: a key and a value, per layer, per
*KV* head. Query heads appear in every model card, and a sizing sheet that uses them is wrong by the
group size, here seven. With as many KV heads as query heads (multi-head attention) both give the
same, which is why the mistake survives in old sheets.
""")
