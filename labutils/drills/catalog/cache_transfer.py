"""Moving a prompt's cache from one card to another, within the time that TTFT leaves."""

from labutils import llm
from labutils.drills.catalog._serving import binary, full_head_kv, gb, heads, percent, reaches
from labutils.drills.definition.writing import (
    Draw,
    Drill,
    choice,
    drill,
    quantity,
    template,
)

_MODELS = (
    ("Llama-3.1-8B", "H100 SXM"), ("Llama-3.1-8B", "A100 80 SXM"), ("Qwen3-8B", "H100 SXM"),
    ("Phi-4", "H100 SXM"), ("Qwen3-32B", "H200 SXM"), ("Qwen3-32B", "B200"),
    ("Llama-3.1-70B", "B200"), ("Qwen2.5-7B", "A100 80 SXM"),
)  # fmt: skip
# How a link is quoted, and what one direction carries in bytes per second.
_LINKS = (
    ("25 Gbit/s Ethernet", 3.125e9, 8.0),
    ("100 Gbit/s Ethernet", 12.5e9, 8.0),
    ("a 200 Gbit/s network card", 25e9, 8.0),
    ("a 400 Gbit/s network card", 50e9, 8.0),
    ("PCIe, quoted as 64 GB/s for both directions together", 32e9, 2.0),
    ("PCIe, quoted as 128 GB/s for both directions together", 64e9, 2.0),
    ("NVLink, quoted as 900 GB/s for both directions together", 450e9, 2.0),
)


@template("D12 D09", level=3, decision="commit", form="verdict", number=41, minutes=3, rough=False)
def cache_transfer(draw: Draw) -> Drill:
    """KV transfer within the TTFT budget."""
    name, on = draw.one_of(_MODELS)
    spec, card = llm.model(name), llm.accelerator(on)
    prompt, reached = draw.whole(1500, 30000), draw.share(0.6, 0.9)
    draw.require(reaches(spec, prompt))
    link, carried, quoted = draw.one_of(_LINKS)
    answer = llm.kv_transfer_time_s(spec, prompt, reached * carried)
    left = float(f"{answer * draw.one_of((0.5, 0.7, 1.4, 2.0)):.2g}")
    fits = answer <= left
    moved = spec.kv_bytes(prompt)
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} {spec.name}: {heads(spec)}, cache in bf16. When a prompt of {prompt:,}
    tokens has been read, {quantity(left, "s")} are left of the time that is promised for its first
    token. That token comes from the decode worker, so the cache has to get there first. It goes
    over {link}, and reaches {percent(reached)} of what one direction carries. Sending begins when
    the whole prompt has been read.

    ? How long does the transfer take?
    = {answer} s tolerance=0.05 scale=off telling=3
    - bits {answer / 8 if quoted == 8 else None}: Your link carries bits as if they were bytes.
    - both-directions {answer / 2 if quoted != 8 else None}: You use both directions. In how many of
      them does the cache travel?
    - query-heads {answer * full_head_kv(spec) / spec.kv_bytes_per_token()}: Your cache has a key
      for every query head. How many KV heads are there?
    - whole-link {answer * reached}: You use all that one direction carries. What share of it is
      reached?
    - one-layer {answer / spec.layers}: That is one layer. How many are moved?
    - keys-only {answer / 2}: Keys or values alone? Decode needs both.
    ? What do you tell them?
    {_verdict(fits)}
    > How many bytes are to be moved, and how many per second get through?
    > prompt × KV bytes per token / (link × share), link in bytes and in one direction.
    > {prompt:,} × {binary(spec.kv_bytes_per_token())} / ({reached:g} × {quantity(carried, "B/s")}),
      against {quantity(left, "s")}.
    * cache {moved} B: Cache: {prompt:,} × {binary(spec.kv_bytes_per_token())} = {gb(moved)}
    * link {reached * carried} B/s: One direction: {percent(reached)} of {quantity(carried, "B/s")}
      = {quantity(reached * carried, "B/s")}
    * transfer {answer} s: {gb(moved)} / {quantity(reached * carried, "B/s")} =
      {quantity(answer, "s")}
    . {"Shorter" if fits else "Longer"} than the {quantity(left, "s")} that are left.
    ~ At 1 GB/s it would be as many seconds as the cache has GB; this link does
      {quantity(reached * carried, "B/s")}.

    Transfer = kv · n / link. Links are quoted in bits, or for both directions: take bytes, one way,
    as reached. Sending layer by layer during the prefill hides most of it.
    """).then(_recompute(spec, card, prompt, moved))


_OPENINGS = (
    "Prefill and decode are to run on cards of their own.",
    "A pilot with separate prefill workers is said to miss its promise now and then.",
    "Somebody asks whether the existing link will do.",
)


def _verdict(fits: bool) -> str:
    yes, no = "the first token comes in time", "the first token comes too late"
    against = (
        "Compare the transfer with what is left. Is it longer?"
        if fits
        else "Compare the transfer with what is left. Is it shorter?"
    )
    wrong = {
        (no if fits else yes): against,
        "it depends on how long the answer is": (
            "What must the decode worker have before it writes the first token, and does the "
            "answer's length change that?"
        ),
    }
    return choice(yes if fits else no, wrong)


def _recompute(spec, card, prompt: int, moved: float) -> Drill:
    prefill = float(f"{llm.prefill_time_s(spec, card, prompt, flops_share=0.5):.2g}")
    answer = moved / prefill
    return drill(f"""
    Instead of moving the cache, the decode worker could read the prompt again itself. On its
    {card.name} that takes {quantity(prefill, "s")}.

    ? Below which rate, as reached, does moving the cache take longer than reading again?
    = {answer} B/s tolerance=0.05 telling=0
    - bits {8 * answer}: That is right in bits per second. Which unit did you write?
    - query-heads {full_head_kv(spec) * prompt / prefill}: Your cache has a key for every query
      head. How many KV heads are there?
    - one-token {spec.kv_bytes_per_token() / prefill}: One token is moved in that time. How many are
      there?
    > At which rate do both take equally long?
    > cache bytes / prefill time.
    > {gb(moved)} / {quantity(prefill, "s")}.
    * link {answer} B/s: {gb(moved)} / {quantity(prefill, "s")} = {quantity(answer, "B/s")}
    ~ It is the rate at which prefill writes the cache, at nearly any length of prompt.

    Break-even link = KV bytes per token × prefill tokens per second. A cache fetched from a slower
    disk or network than that had better be computed again, if the card has time.
    """)
