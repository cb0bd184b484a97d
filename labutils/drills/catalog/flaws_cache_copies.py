"""Faults in how a KV cache grows."""

from labutils import llm
from labutils.drills.definition.writing import (
    Draw,
    Drill,
    line_of,
    listing,
    numbered,
    quantity,
    template,
)

FAULTS = {"cache_copied_each_step": ("X57",)}


@template("T13 D05", level=3, decision="estimate", form="flaw")
def cache_copied_each_step(draw: Draw) -> Drill:
    """Appending by concatenation copies the cache at every step."""
    model = llm.model(draw.one_of(("Llama-3.1-8B", "Qwen3-8B", "Llama-2-7B", "Llama-3.2-3B")))
    prompt, steps = 100 * draw.whole(2, 40), 100 * draw.whole(2, 40)
    draw.require(prompt + steps <= model.max_context)
    per_token = model.kv_bytes_per_token()
    rows = steps * prompt + steps * (steps + 1) / 2
    written = per_token * rows
    code = """
        for step in range(num_tokens):
            key, value = project(hidden)
            self.keys = torch.cat([self.keys, key], dim=1)
            self.values = torch.cat([self.values, value], dim=1)
            hidden = attend(query(hidden), self.keys, self.values)
        """
    line = line_of(code)
    return draw.drill(f"""
    {model.name} keeps {quantity(per_token, "B")} of keys and values a token, over all layers and in
    16 bits. Behind a prompt of {prompt:,} tokens that lies in the cache already, an answer of
    {steps:,} tokens is written, and every layer does this (batch 1):

    {listing(numbered(code))}

    ? How many bytes does line 3, with its twin line 4, write during the answer, over all layers?
    = {written} B tolerance=0.03
    - new-rows-alone {per_token * steps}: You count what is new. Where does `cat` put the old rows?
    - always-full-length {per_token * steps * (prompt + steps)}: You write the final length at every
      step. How long is the cache at the first?
    - prompt-forgotten {per_token * steps * (steps + 1) / 2}: You begin with an empty cache. What
      lies in it before the first answer token?
    ? Which line gets slower with every token, although it adds only one?
    | {line(1)}
    ! It counts: each pass of the loop costs the same here.
    | {line(2)}
    ! One new token passes the projection, however long the text.
    | {line(3)}
    | {line(5)}
    ! Attention reads more with every token, and it must. But it adds nothing to the cache.
    > `cat` takes new memory and copies everything into it, old and new.
    > Rows written = n·p + n(n + 1)/2 for n tokens behind a prompt of p.
    > ({steps:,} × {prompt:,} + {steps:,} × {steps + 1:,} / 2) × {quantity(per_token, "B")}.
    * rows {rows}: Rows written: {rows:,.0f}
    * written {written} B: Times {quantity(per_token, "B")}: {quantity(written, "B")}
    . Into a cache allocated beforehand only {quantity(per_token * steps, "B")} are written.
    ~ At least the prompt at every step: {steps:,} times {quantity(per_token * prompt, "B")}.

    The result is right, but the bytes written grow with the square of the length: every step copies
    the cache, and needs room for it twice. Allocate the cache beforehand and write one row per
    step, or store it in pages.
    """)
