"""One stream: how long an answer takes."""

from labutils import llm
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_ANSWERS = ("A code review has", "A chat answer has", "A summary has", "A translation has")


@template("A07 D03", level=1, decision="model", number=7)
def stream_duration(draw: Draw) -> Drill:
    """How long a streamed answer takes."""
    ttft, tpot = draw.number(0.08, 3), draw.number(0.006, 0.09)
    tokens, streams = draw.whole(4, 1500), draw.whole(4, 64)
    total = llm.stream_duration_s(ttft, tpot, tokens)
    per_gap = tpot / total
    draw.require(per_gap < 0.009 or per_gap > 0.022)
    return draw.drill(f"""
    {draw.one_of(_ANSWERS)} {tokens:,} tokens and is streamed. The dashboard reads: {streams}
    streams at once, {quantity(streams / tpot, "tok/s")} in all, first token after
    {quantity(ttft, "s")}, then {quantity(tpot, "s")} from token to token.

    ? How long does its reader wait, from sending the request to the last token?
    = {total} s tolerance=0.01 telling=2
    - one-gap-too-many {ttft + tokens * tpot}: You pay for the first token twice. How many gaps lie
      between n tokens?
    - no-first-token {(tokens - 1) * tpot}: You start the clock at the first token. What has the
      reader waited until then?
    - everybodys-rate {ttft + (tokens - 1) * tpot / streams}: You let this reader have the tokens of
      all streams. Whose rate is on the dashboard?
    - first-token-each-time {tokens * ttft}: You make every token as slow as the first. What was
      there to do before the first?
    > When is the first token there, and how many gaps follow it?
    > TTFT + (n − 1) · TPOT.
    > {quantity(ttft, "s")} + {tokens - 1:,} × {quantity(tpot, "s")}.
    * gaps {tokens - 1}: {tokens:,} tokens leave {tokens - 1:,} gaps.
    * after_the_first_token {(tokens - 1) * tpot} s: {tokens - 1:,} × {quantity(tpot, "s")} =
      {quantity((tokens - 1) * tpot, "s")}
    * in_all {total} s: {quantity(ttft, "s")} + {quantity((tokens - 1) * tpot, "s")} =
      {quantity(total, "s")}
    ~ Longer than the {quantity(ttft, "s")} to the first token.

    E2E = TTFT + (n − 1) · TPOT: the first token is inside TTFT. The rate of the whole server is
    nothing that one reader sees.
    """).then(_needed_tpot(draw, ttft, tpot, total, tokens))


def _needed_tpot(draw: Draw, ttft: float, tpot: float, total: float, tokens: int) -> Drill:
    target = float(f"{draw.share(0.45, 0.75) * (total - ttft) + ttft:.2g}")
    draw.require(ttft * 1.2 < target < 0.95 * total)
    needed = llm.tpot_for_duration_s(target, ttft, tokens)
    return draw.drill(f"""
    Product wants the whole answer within {quantity(target, "s")}. TTFT stays at
    {quantity(ttft, "s")}, the answer at {tokens:,} tokens.

    ? How long may a token take after the first one, at most?
    = {needed} s tolerance=0.01 telling=2
    - whole-time {target / tokens}: You spread the whole time over the tokens. How much of it is
      gone before the first one?
    - in-proportion {tpot * target / total}: You shrink TPOT as the whole shrinks. Does TTFT shrink
      with it?
    - one-gap-too-many {(target - ttft) / tokens}: You divide by tokens. How many gaps are there?
    - today {tpot}: That is what a token takes today, and it is too long.
    > What is left once the first token is out?
    > TPOT = (E2E − TTFT) / (n − 1).
    > ({quantity(target, "s")} − {quantity(ttft, "s")}) / {tokens - 1:,}.
    * left {target - ttft} s: Left: {quantity(target, "s")} − {quantity(ttft, "s")} =
      {quantity(target - ttft, "s")}
    * per_token {needed} s: {quantity(target - ttft, "s")} / {tokens - 1:,} =
      {quantity(needed, "s")}
    ~ Shorter than the {quantity(tpot, "s")} of today.

    A table of targets has to agree with itself: 500 tokens in 3 s leave 5 ms a token, not 30. Fewer
    tokens help as much as faster ones.
    """)
