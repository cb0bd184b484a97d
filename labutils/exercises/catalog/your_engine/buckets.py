"""attention.buckets · Which contexts are padded together · 5 minutes

> Walk through the rows with two notes: where the open bucket begins, and its longest context so
  far. When has it to be closed before a row?
> Close it before a row that prefills, before one that would make rows × longest larger than
  BUCKET_SLOTS, and at the end. A bucket of a single row is always allowed.
> for row, (new, context) in enumerate(zip([*step.lengths, 0], [*step.contexts, 0])): longest =
  max(longest, context); if row > first and (new != 1 or (row + 1 - first) * longest >
  BUCKET_SLOTS): yield slice(first, row), and begin anew at this row; if new != 1: begin behind it,
  with longest 0.

Padding is paid in memory traffic: rows × longest slots are read, whatever is in them. They stand by
rising context, so neighbours are alike, and a cut at a fixed number of slots bounds what padding
may cost and what has to fit into the processor's cache. The extra 0 at the end of both lists is a
row that computes nothing: it closes the last bucket. A GPU kernel that follows page tables needs no
padding at all; there the same question comes back as load balance between the multiprocessors.
"""

from labutils.exercises.catalog.kv_cache.memory.small_memory import step_of_rows
from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise


def cut_buckets(engine, rows):
    """The buckets of rows (new tokens, context): pairs (first row, row behind the last)."""
    new, contexts = [new for new, _ in rows], [context for _, context in rows]
    step = step_of_rows(engine, new, contexts, [[0]] * len(rows), 16)
    found = list(engine.attention.buckets(step))
    is_sliced = all(isinstance(one, slice) for one in found)
    return [(one.start, one.stop) for one in found] if is_sliced else [repr(one) for one in found]


def some_contexts():
    """Up to nine rows: decodes of tens or of thousands of tokens, in any order; some chunks."""
    from hypothesis import strategies as st

    short, long = (
        st.integers(1, 90),
        st.sampled_from([512, 700, 1024, 1365, 1366, 2048, 4096, 9000]),
    )
    decodes = st.lists(st.one_of(short, long, long), max_size=8)
    chunks = st.lists(st.tuples(st.integers(2, 300), st.integers(300, 5000)), max_size=2)
    orders = st.one_of(decodes.map(sorted), decodes)
    places = st.integers(0, 9)

    def mixed(contexts, chunks, place):
        return (
            [*((1, n) for n in contexts[:place]), *chunks, *((1, n) for n in contexts[place:])],
        )

    return st.tuples(orders, chunks, places).map(lambda one: mixed(*one)).filter(lambda one: one[0])


_MISTAKES = """
not-quite-full: A bucket that would read exactly as many slots as allowed is cut. May it be full?
- if row > first and (new != 1 or (row + 1 - first) * longest > BUCKET_SLOTS):
+ if row > first and (new != 1 or (row + 1 - first) * longest >= BUCKET_SLOTS):

chunks-too: A row with several new tokens stands in a bucket. Chunks are in none.
- if row > first and (new != 1 or (row + 1 - first) * longest > BUCKET_SLOTS):
+ if row > first and (new < 1 or (row + 1 - first) * longest > BUCKET_SLOTS):
- if new != 1:
+ if new < 1:

too-long-for-any: A row that is longer than a bucket may be is in none, and nobody computes it. A
    single row is always allowed.
- (row
+ context > BUCKET_SLOTS or (row
- if new != 1:
+ if new != 1 or context > BUCKET_SLOTS:

one-bucket: All decodes stand in a single bucket, padded to the longest context of all. That is the
    job that you have just measured.
- if row > first and (new != 1 or (row + 1 - first) * longest > BUCKET_SLOTS):
+ if row > first and (new != 1 or False):

row-too-many: A bucket holds one row more than fits. Is the row that you look at counted?
- if row > first and (new != 1 or (row + 1 - first) * longest > BUCKET_SLOTS):
+ if row > first and (new != 1 or (row - first) * longest > BUCKET_SLOTS):

last-for-longest: A bucket is measured by the context that joins last. To which one are all padded?
- longest = max(longest, context)
+ longest = context

sum-for-padding: You add up what the contexts hold. A bucket reads rows × longest slots: the padding
    is read as well.
- if row > first and (new != 1 or (row + 1 - first) * longest > BUCKET_SLOTS):
+ if row > first and (new != 1 or sum(step.contexts[first : row + 1]) > BUCKET_SLOTS):

chunks-in-buckets: A chunk of a prompt stands in a bucket of rows with one new token each.
- if row > first and (new != 1 or (row + 1 - first) * longest > BUCKET_SLOTS):
+ if row > first and ((row + 1 - first) * longest > BUCKET_SLOTS):
- if new != 1:
-     first, longest = row + 1, 0

loses-the-last: The last bucket is missing: nothing comes behind it that would close it.
- for row, (new, context) in enumerate(zip([*step.lengths, 0], [*step.contexts, 0])):
+ for row, (new, context) in enumerate(zip(step.lengths, step.contexts)):
"""


BUCKETS = exercise(
    __doc__,
    piece_of(
        "attention:buckets",
        tried=cut_buckets,
        inputs=some_contexts,
        num_inputs=60,
        mistakes=_MISTAKES,
    ),
)
