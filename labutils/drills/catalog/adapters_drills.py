"""Many adapters on one model: the room they take from the caches, and what fetching them takes."""

from labutils import llm
from labutils.drills.catalog._decode_scene import USED
from labutils.drills.catalog._serving import billions, binary, full_head_kv, gb, heads, memory_of
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_PAIRS = (
    ("Llama-3.1-8B", "H100 SXM"), ("Llama-3.1-8B", "A100 80 SXM"), ("Qwen3-8B", "H100 SXM"),
    ("Qwen2.5-7B", "A100 80 SXM"), ("Phi-4", "H200 SXM"), ("Qwen3-32B", "H200 SXM"),
)  # fmt: skip
_OPENINGS = (
    "Each customer has a fine-tuned model, and all of them are to share one card.",
    "A platform serves its customers' fine-tuned models from one base model.",
    "The pilot ran with three fine-tuned models. Now sales has sold many more.",
)


@template("D09 I07", level=3, decision="limit", minutes=3)
def adapter_room(draw: Draw) -> Drill:
    """Adapters in memory against sequences in memory."""
    name, on = draw.one_of(_PAIRS)
    spec, card = llm.model(name), llm.accelerator(on)
    rank, count = draw.one_of((16, 32, 64, 128)), draw.whole(40, 400)
    context = draw.one_of((2000, 3000, 4000, 6000, 8000))
    wide, narrow = spec.num_heads * spec.head_dim, spec.num_kv_heads * spec.head_dim
    into, out = 3 * spec.hidden_size + wide, wide + 2 * narrow + spec.hidden_size
    adapter = 2 * spec.layers * rank * (into + out)
    sequence, usable = spec.kv_bytes(context), USED * card.memory_bytes
    room = usable - spec.weight_bytes() - count * adapter
    draw.require(0.15 * usable < count * adapter < 0.45 * usable)
    exact, answer = room / sequence, int(room // sequence)
    draw.require(answer >= 8 and 0.05 < exact % 1 < 0.95)
    forgotten = (usable - spec.weight_bytes()) / sequence
    factor = 2 * spec.layers * rank * into
    whole_card = int((room + card.memory_bytes - usable) / sequence)
    alike = abs(spec.parameters - (card.memory_bytes - usable)) < 1.5 * sequence  # or one byte
    query_heads = float(int(exact * spec.kv_bytes_per_token() / full_head_kv(spec)))
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} {spec.name} ({billions(spec)}, {heads(spec)}, hidden size
    {spec.hidden_size:,}) in bf16, cache included, on {memory_of(card)}, of which 0.9 is for
    weights, adapters and caches. An adapter changes four matrices of every layer: query
    ({spec.hidden_size:,} × {wide:,}), output ({wide:,} × {spec.hidden_size:,}), key and value
    ({spec.hidden_size:,} × {narrow:,} each). For an m × n matrix it holds an m × {rank} and a
    {rank} × n matrix in bf16. {count} adapters stay in memory. A sequence has {context:,} tokens.
    ? How many sequences fit beside the weights and the adapters?
    = {answer} tolerance=0 absolute=1 unsafe=above telling=4
    - adapters-forgotten {int(forgotten)}: You give all that the weights leave to caches, or nearly
      all. What else stays in memory, and in how many layers?
    - one-factor {int((room + count * (adapter - factor)) / sequence)}: You count one narrow matrix
      for each change, or two of the four changes. How many narrow matrices has an adapter in a
      layer?
    - one-byte-a-value {int((room + count * adapter / 2) / sequence)}: Your adapters have one byte a
      value. Which format are they in?
    - whole-card {whole_card if alike else None}: You use the whole card, or one byte a weight.
      Which part of the card is for weights, adapters and caches, and which format are the weights
      in?
    - whole-card {None if alike else whole_card}: You use the whole card. What part is for weights,
      adapters and caches?
    - query-heads {query_heads}: Your cache has a key for every query head. How many KV heads are
      there?
    - weights-forgotten {int((usable - count * adapter) / sequence)}: You left out the base model.
      Where does it lie?
    > Three things share the memory: weights, adapters, caches.
    > Adapter = layers × rank × Σ(m + n) × 2 B; sequences = ⌊(0.9 × memory − weights − adapters) ÷
      (context × cache of a token)⌋.
    > Adapter: {spec.layers} × {rank} × {into + out:,} × 2 B. Then ({gb(usable)} −
      {gb(spec.weight_bytes())} − {count} × {gb(adapter)}) ÷ {gb(sequence)}.
    * adapter {adapter} B: An adapter: {spec.layers} × {rank} × {into + out:,} × 2 B = {gb(adapter)}
    * room {room} B: Room for caches: {gb(usable)} − {gb(spec.weight_bytes())} −
      {gb(count * adapter)} = {gb(room)}
    * sequence {sequence} B: A sequence: {context:,} × {binary(spec.kv_bytes_per_token())} =
      {gb(sequence)}
    * sequences {answer}: {exact:.4g}, rounded down: {answer}
    ~ Fewer than the {int(forgotten)} that would fit without any adapter.

    One base model serves many customers, but each adapter in memory costs cache: size = layers ×
    rank × Σ(m + n) × bytes. Keep those in use resident, the others in host memory or on disk, and
    batch different adapters in one step.
    """).then(_fetched(draw, adapter, count))


def _fetched(draw: Draw, adapter: float, count: int) -> Drill:
    catalogue = draw.one_of((1000, 2000, 3000, 5000))
    found, rate = draw.share(0.55, 0.93), draw.one_of((0.2e9, 0.3e9, 0.5e9, 0.8e9, 1.2e9))
    printed = float(f"{adapter:.4g}")
    answer = rate / ((1 - found) * printed)
    draw.require(1 < answer < 300)
    return draw.drill(f"""
    And now there are {catalogue:,} adapters. The {count} used last stay on the card, {gb(adapter)}
    each. {100 * found:.0f} % of the requests find theirs there. The others have theirs fetched from
    the object store first, anew each time. Its line delivers {quantity(rate, "B/s")} to this card.
    ? At which rate of requests, all of them counted, is that line full?
    = {answer} req/s tolerance=0.03 telling=0
    - hits-fetched {rate / (found * printed)}: You fetch for those that find their adapter. Which
      requests need the line?
    - all-fetched {rate / printed}: You fetch for every request. How many find their adapter on the
      card?
    - bits {answer / 8}: You take the line as bits. In what does it count here?
    - only-the-misses {rate / printed * (1 - found)}: You multiply by the share that needs the line.
      If few need it, can the card take more requests or fewer?
    > How many bytes does an average request ask of the line?
    > Rate = line ÷ (share not found × adapter).
    > {quantity(rate, "B/s")} ÷ ({1 - found:.2f} × {gb(adapter)}).
    * bytes_of_a_request {(1 - found) * printed} B: A request fetches {1 - found:.2f} ×
      {gb(adapter)} = {gb((1 - found) * printed)} on average
    * rate {answer} req/s: {quantity(rate, "B/s")} ÷ {gb((1 - found) * printed)} =
      {quantity(answer, "req/s")}
    ~ Fetched every time, it would be {quantity(rate / printed, "req/s")}.

    With a long tail of adapters the limit moves from memory to the line that brings them: rate =
    line ÷ (miss share × size). Route a customer to the replica that holds its adapter, and keep all
    of them in host memory if they fit there.
    """)
