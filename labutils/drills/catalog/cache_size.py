"""What a token leaves in the cache, and layers that forget it."""

from labutils import llm
from labutils.drills.catalog._serving import (
    GROUPED,
    binary,
    full_head_kv,
    gb,
    heads,
    reaches,
    times,
)
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


_MODELS = ("Gemma-3-27B", "Gemma-3-27B", "gpt-oss-20b", "gpt-oss-120b")
_CACHE_WIDTHS = {"bf16": 2.0, "fp8": 1.0}


@template("B22 D09 D10", level=2, decision="estimate")
def windowed_cache(draw: Draw) -> Drill:
    """Sliding windows: the cache of a sequence."""
    spec, how = llm.model(draw.one_of(_MODELS)), draw.one_of(list(_CACHE_WIDTHS))
    factor, width, context = (draw.one_of((2, 3, 4)), _CACHE_WIDTHS[how], draw.whole(2000, 30000))
    draw.require(reaches(spec, factor * context) and context > 1.2 * spec.window)
    answer, layer = spec.kv_bytes(context, width), spec.kv_values_per_layer * width
    full, windowed = spec.layers - spec.windowed_layers, spec.windowed_layers
    by_queries = answer * spec.num_heads / spec.num_kv_heads
    narrow = width == 1
    twice = narrow and spec.num_heads == 2 * spec.num_kv_heads
    return draw.drill(f"""
    {spec.name}: {heads(spec)}; cache in {how}. In {windowed} of the layers a token sees the last
    {spec.window:,} tokens alone, in the others all of them. The engine keeps in each layer what can
    still be seen. A sequence has {context:,} tokens.
    ? How many bytes does its cache take?
    = {answer} B tolerance=0.03 telling=4
    - no-window {spec.layers * context * layer}: Every layer keeps everything in your sum. Which of
      them cannot see that far?
    - window-everywhere {spec.layers * spec.window * layer}: Every layer forgets in your sum. Which
      of them see all?
    - layers-swapped {(windowed * context + full * spec.window) * layer}: You took one kind of layer
      for the other. Which of them have the window?
    - windowed-layers-forgotten {full * context * layer}: You count the full layers. Do the others
      keep nothing?
    - query-heads {by_queries if twice else None}: Twice too much: a key for every query head, or
      two bytes a number in fp8. How many KV heads are there, and how wide is a number?
    - query-heads {None if twice else by_queries}: Your cache has a key for every query head. How
      many KV heads are there?
    - keys-only {answer / 2 if narrow else None}: Keys or values alone? Decode needs both.
    - keys-only {None if narrow else answer / 2}: Half: keys or values alone, or one byte a number.
      Decode needs both, in bf16.
    > How many tokens does a layer of each kind keep?
    > (full layers × context + windowed layers × window) × 2 × KV heads × head size × bytes.
    > ({full} × {context:,} + {windowed} × {spec.window:,}) × 2 × {spec.num_kv_heads} ×
      {spec.head_dim} × {width:g} B.
    * token_in_a_layer {layer} B: A token in one layer: 2 × {spec.num_kv_heads} × {spec.head_dim} ×
      {width:g} B = {layer:,.0f} B
    * entries {spec.cached_tokens(context)}: Kept: {full} × {context:,} + {windowed} ×
      {spec.window:,} = {spec.cached_tokens(context):,.0f} tokens in a layer
    * cache {answer} B: Together {gb(answer)}
    ~ Less than the {gb(spec.layers * context * layer)} of {spec.layers} full layers.

    A windowed layer keeps min(context, window). With short windows the few full layers hold nearly
    the whole cache. An engine that keeps all tokens in all layers wins nothing from the windows:
    ask which one yours is.
    """).then(_grown(draw, spec, context, factor, width, answer))


def _grown(draw: Draw, spec, context: int, factor: int, width: float, before: float) -> Drill:
    now, room = factor * context, 1e9 * draw.whole(20, 70)
    one = spec.kv_bytes(now, width)
    exact = room / one
    draw.require(exact > 4 and 0.03 < exact % 1 < 0.97)
    answer = int(exact)
    full = spec.layers - spec.windowed_layers
    layer = spec.kv_values_per_layer * width
    asked = draw.drill(f"""
    And now sequences grow to {times(factor)} that length, {now:,} tokens each. The engine has
    {room / 1e9:g} GB of 10⁹ bytes for caches.
    ? How many such sequences fit?
    = {answer} tolerance=0 absolute=1 unsafe=above telling=0
    - in-proportion {_rounded_down(room / (factor * before))}: You scale the whole cache. Does a
      windowed layer keep more now?
    - no-window {_rounded_down(room / (spec.layers * now * layer))}: Every layer keeps everything in
      your sum. Which of them cannot see that far?
    - unchanged {_rounded_down(room / before)}: You fit the old length. What has grown?
    > Which of the two kinds of layers keeps more than before?
    > ⌊room ÷ ((full × new context + windowed × window) × bytes of a token in a layer)⌋.
    > {room / 1e9:g} GB ÷ (({full} × {now:,} + {spec.windowed_layers} × {spec.window:,}) ×
      {layer:,.0f} B).
    * sequence {one} B: A sequence now: {gb(one)}
    * sequences {answer}: {room / 1e9:g} GB ÷ {gb(one)}, rounded down: {answer}
    ~ More than {int(room / (factor * before))}, what a cache in proportion would give.

    Beyond the window only the full layers grow, so the cache grows by less than the context, and
    ever more in proportion to it: windows change the slope, not the law.
    """)
    draw.require(asked.mistakes and asked.mistakes[0].name == "in-proportion")
    return asked


def _rounded_down(value: float) -> float:
    return float(int(value))
