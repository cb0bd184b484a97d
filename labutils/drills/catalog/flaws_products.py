"""Flaws in claims about products: streams and speech."""

import math

from labutils import llm
from labutils.drills.definition.writing import Draw, Drill, quantity, template

FAULTS = {"whole_for_coherence": ("X85",), "captions_from_windows": ("X86",)}


@template("P02 A16 O09", level=1, decision="commit", form="flaw", trivia=True)
def whole_for_coherence(draw: Draw) -> Drill:
    """Streaming sends the same tokens earlier."""
    first, gap, tokens = draw.number(0.2, 1.5), draw.number(0.015, 0.06), draw.whole(80, 700)
    where = draw.one_of(("a help desk", "a writing assistant", "an assistant for doctors"))
    whole = llm.stream_duration_s(first, gap, tokens)
    longer = whole - first
    draw.require(longer > 1.3 * first and abs(longer - whole) > 0.05 * longer)
    draw.require(longer < 0.7 * first or longer > 1.4 * first)
    return draw.drill(f"""
    In {where} the answers come as a stream: the first token after {quantity(first, "s")}, the
    others {quantity(gap, "s")} apart, {tokens} in a typical answer. A meeting decides to send whole
    answers instead, 'because the text is more coherent that way'.
    ? How much longer does a user then look at an empty page?
    = {longer} s tolerance=0.02
    - until-the-end {whole}: That is how long the page is empty without a stream. How much longer is
      that than with one?
    - first-token {first}: That is how long the page is empty with a stream. How long is it without
      one?
    ? Which of these would be a good reason to hold an answer back?
    + Each answer must pass a moderation step as a whole.
    x The model writes better when nobody reads along.
    ! Are other tokens drawn, or in another order, when somebody reads along?
    x The model can go back and mend what it wrote.
    ! Each token is written once, behind those before it. Who would go back?
    x The last token comes sooner without a stream.
    ! The same steps run. Which of them would be left out?
    > When does the page stop being empty, with the stream and without?
    > Difference = last token - first token = (tokens - 1) × gap.
    > ({tokens} - 1) × {quantity(gap, "s")}.
    * whole {whole} s: Whole answer: {quantity(whole, "s")}
    * longer {longer} s: Longer by {quantity(whole, "s")} - {quantity(first, "s")} =
      {quantity(longer, "s")}
    ~ Less than the whole answer takes: a user waits for the first token with a stream, too.

    Streaming changes when tokens are seen, not which. There are good reasons against it: a
    moderation that must see the whole text, a schema that must be checked before anybody acts on
    the answer, a reader that is a program. Know the price in seconds before you decide.
    """)


@template("Q03 P02", level=3, decision="limit", form="flaw", rough=False, trivia=True)
def captions_from_windows(draw: Draw) -> Drill:
    """A model on windows does not stream by itself."""
    hop, run = draw.one_of((1, 1.5, 2, 3, 4, 5)), draw.number(0.05, 0.6)
    exact = hop / run
    streams = math.floor(exact)
    draw.require(streams >= 4 and 0.03 < exact - streams < 0.97)
    late = hop + run
    return draw.drill(f"""
    Live captions from Whisper, an encoder-decoder that reads 30 s of sound at a time and pads what
    is shorter. For each stream a loop runs every {hop:g} s: it takes the last 30 s of sound and
    runs the model on them, which takes {quantity(run, "s")} of a GPU, however little of the 30 s is
    new. (One run after the other; no batching.) The plan has the lines below.
    ? How many live streams can one GPU keep up with?
    = {streams} tolerance=0 absolute=0 scale=off
    - one-run-a-window {math.floor(30 / run)}: That counts one run for 30 s of sound. How often does
      the loop run the model?
    - rounded-up {streams + 1}: With that many, the runs take longer than the time between two of
      them. Which way must you round?
    | On an idle GPU a word is seen {quantity(late, "s")} after it was spoken, at the latest.
    ! It waits until the loop comes round, and then for one run.
    | Each stream takes {quantity(run, "s")} of the GPU every {hop:g} s.
    ! Each stream has its own loop, and each loop runs the model once in that time.
    | A window is 30 s, so one GPU carries {math.floor(30 / run)} streams.
    | A loop that runs twice as often would double the work.
    ! Twice as many runs, each over a window of 30 s.
    > How much GPU time does one stream take per second of sound?
    > Streams = time between two runs of a stream / time of a run, rounded down.
    > {hop:g} s / {quantity(run, "s")}.
    * share {100 * run / hop} %: A stream takes {quantity(run, "s")} of every {hop:g} s:
      {100 * run / hop:.3g} % of the GPU
    * streams {streams}: {exact:.2f}, rounded down: {streams}
    ~ Each second of sound is computed {30 / hop:g} times over, so far fewer streams than in the
      plan.

    Whisper (Radford and others, 2022) was trained on windows of 30 s; what streams is the loop
    built around it. The price is overlap: each run computes all 30 s again. Fewer runs cost less
    and show each word later.
    """)
