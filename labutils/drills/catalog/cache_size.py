"""What a token leaves in the cache."""

from labutils import llm
from labutils.drills.catalog._serving import GROUPED, binary, full_head_kv, gb, reaches
from labutils.drills.definition.writing import Draw, Drill, template

_WIDTHS = {"bf16": 2, "fp16": 2, "fp8": 1, "int8": 1}
_OPENINGS = (
    "A new model is to go live on Thursday, and you open its config.json",
    "In the capacity meeting somebody shares the config.json of the next model",
    "You compare candidates for a serving node. One config.json reads",
)


@template("B22 D06", level=1, decision="estimate", number=4)
def kv_per_token(draw: Draw) -> Drill:
    """The KV cache of one token."""
    spec, kind = llm.model(draw.one_of(GROUPED)), draw.one_of(list(_WIDTHS))
    width = _WIDTHS[kind]
    answer = spec.kv_bytes_per_token(width)
    per_layer = spec.kv_values_per_layer * width
    narrow = spec.hidden_size / spec.num_heads / spec.head_dim
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)}: {spec.name}, num_hidden_layers {spec.layers}, hidden_size
    {spec.hidden_size}, num_attention_heads {spec.num_heads}, num_key_value_heads
    {spec.num_kv_heads}, head_dim {spec.head_dim}. The server keeps the cache in {kind}.

    ? How many bytes does one token leave in the cache, all layers together?
    = {answer} B tolerance=0.01 telling=3
    - query-heads {full_head_kv(spec, width)}: You count a key and a value for every query head.
      Which of the two head counts in the config says how many keys are kept?
    - half {answer / 2}: Half of it. Did you count keys and values both, every byte of a value, and
      head_dim as the config gives it (it need not be hidden_size / heads)?
    - hidden-size {2 * spec.layers * spec.hidden_size * width}: You keep as many values as the
      hidden size has. How many KV heads are there, and how wide is one?
    - one-layer {answer / spec.layers}: That is one layer. Does a token leave its keys in one of
      them, or in all?
    - head-size {answer * narrow}: You take hidden_size / heads for the head size. Does the config
      say it otherwise?
    > What is kept of a token in one layer, and for how many heads?
    > 2 (a key and a value) × layers × KV heads × head size × bytes per value.
    > 2 × {spec.layers} × {spec.num_kv_heads} × {spec.head_dim} × {width} B.
    * one_layer {per_layer} B: One layer keeps 2 × {spec.num_kv_heads} × {spec.head_dim} =
      {spec.kv_values_per_layer:,} numbers of {width} B: {per_layer:,} B.
    * all_layers {answer} B: {spec.layers} layers: {spec.layers} × {per_layer:,} B = {answer:,.0f} B
      = {binary(answer)}.
    ~ At most {binary(full_head_kv(spec, width))}, which is what a cache for each of the query heads
      would take. Sharing KV heads is there to make it less.

    KV bytes per token = 2 · layers · KV heads · head size · bytes per value. Only heads that own a
    key and a value count; neither the hidden width nor the vocabulary does. Windowed layers (Gemma,
    gpt-oss) and compressed caches (DeepSeek) need their own sum.
    """).then(_users_cache(draw, spec, width))


def _users_cache(draw: Draw, spec, width: int) -> Drill:
    users, context = draw.whole(8, 90), draw.one_of((2048, 4096, 6000, 8192))
    draw.require(reaches(spec, context))
    one = spec.kv_bytes(context, width)
    total = users * one
    weights = spec.weight_bytes()
    lesson = (
        "the caches are the larger part. Memory is a budget of tokens, not of users."
        if total > weights
        else "still the smaller part. At long contexts the caches take over: memory is a "
        "budget of tokens, not of users."
    )
    return draw.drill(f"""
    {users} users chat with it at the same time, each with {context:,} tokens in context. The
    weights take {gb(weights)}.

    ? How much memory do the caches of all of them take together, weights apart?
    = {total} B tolerance=0.02 telling=0
    - one-user {one}: That is one user. How many keep their cache?
    - query-heads {users * context * full_head_kv(spec, width)}: These caches have a key for every
      query head. How many KV heads are there?
    - with-weights {total + weights}: The weights are in your sum. They are there once, whoever
      chats; what grows with the users?
    > One token's bytes you have: how many tokens stand in the cache in all?
    > users × context × bytes per token.
    > {users} × {context:,} × {binary(spec.kv_bytes_per_token(width))}.
    * one_user {one} B: One user: {context:,} × {binary(spec.kv_bytes_per_token(width))} =
      {binary(one)}
    * all {total} B: All: {users} × {binary(one)} = {gb(total)}
    ~ Only users × context counts: twice the users at half the context need as much.

    Caches of {gb(total)} beside weights of {gb(weights)}: {lesson}
    """)
