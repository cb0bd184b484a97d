"""Claims about gains: what does the source say, and what has been added on the way?"""

from labutils import scaling
from labutils.drills.definition.writing import Draw, Drill, template

FAULTS = {"faster_on_a_hit": ("X78",), "times_faster_than_what": ("X79",)}


@template("F03 R08 U09", level=2, decision="estimate", form="flaw")
def faster_on_a_hit(draw: Draw) -> Drill:
    """A gain on a hit is not a gain of the service."""
    hit, times = draw.share(0.12, 0.55), draw.one_of((3, 4, 5, 6, 8))
    gain = scaling.amdahl_speedup(hit, times)
    return draw.drill(f"""
    A vendor pitches a semantic cache: '30 to 60 % lower cost in production; see the GPTCache paper
    (Bang, 2023)'. Its abstract says that response speed can increase 2 to 10 times when the cache
    is hit. In a pilot on your traffic {100 * hit:.0f} % of the requests hit, and a hit is {times}
    times as fast as asking the model; a miss takes as long as before.

    ? By which factor does the mean response time of your service fall?
    = {gain} tolerance=0.02 scale=off
    - the-hit-alone {times}: That is how much faster a hit is. What about the requests that miss?
    - mean-of-factors {hit * times + (1 - hit)}: You average the factors. Average the times, and
      then compare.
    - saved-share {1 / (1 - hit)}: You let a hit take no time at all. How long does it take?
    ? What does the quoted sentence of the abstract support?
    + How much sooner an answer can come if the cache holds it.
    x What share of the cost a production service saves.
    ! Cost depends on how often traffic hits. Does the sentence say anything about how often?
    x How often the requests of a typical service hit.
    ! The sentence begins once there is a hit. How often that happens is another measurement.
    x How often an answer from the cache fits the question.
    ! A hit is fast whether it fits or not. Quality is not in that sentence.
    > Compute the new mean time of a request, with the old one as 1.
    > New = (1 - h) + h / s; the factor is 1 over that.
    > 1 / ({1 - hit:.2g} + {hit:g} / {times}).
    * new {1 / gain}: New mean: {1 - hit:.2g} + {hit:g} / {times} = {1 / gain:.4g} of the old
    * factor {gain}: Factor: {gain:.3g}
    ~ Misses take as long as before, so the factor stays below 1 / {1 - hit:.2g}.

    A figure 'on a hit' times an unknown hit rate is no saving. Amdahl's law gives the mean; hits
    that were wrong, and the embedding that every request now pays, come off. Ask a source: which
    quantity, under which condition, on whose traffic?
    """)


@template("E05 U09 E02", level=2, decision="model", form="flaw")
def times_faster_than_what(draw: Draw) -> Drill:
    """Name the baseline and the measure."""
    one = draw.whole(40, 200)
    static = round(one * draw.number(5, 9))
    new = round(static * draw.number(1.4, 3))
    gain = new / static
    return draw.drill(f"""
    A slide: 'Continuous batching is 23 times faster.' The figure comes from a blog post (Anyscale,
    2023), which compares the throughput of vLLM with naive static batching. The paper that
    introduced scheduling by iteration (Orca, OSDI 2022) reports 36.9 times the throughput of
    FasterTransformer at the same latency. On your own machine you measure {one:,} tokens/s one
    request at a time, {static:,} with the static batches of 16 that you run today, and {new:,} with
    continuous batching.

    ? By which factor would your throughput rise if you switched?
    = {gain} tolerance=0.02 scale=off
    - against-one-at-a-time {new / one}: You compare with one request at a time. Is that what you
      run today?
    - static-against-one {static / one}: You have that gain already: it is the gain of batching
      itself.
    ? What do the blog post and the paper both report?
    + More throughput than the baseline that each names.
    x A gain in latency for a single request.
    ! Both count tokens or requests per second. Is one of them about the time of a request alone?
    x A gain over whatever system a reader runs today.
    ! Each names what it was compared with. Is that your system?
    x An upper bound on what any scheduler can reach.
    ! They are two measurements. What makes a measurement a bound?
    > Which of the three figures is your baseline?
    > Factor = new throughput / throughput today.
    > {new:,} / {static:,}.
    * batching {static / one}: Batching itself, which you have: {static / one:.3g} times
    * switch {gain}: The switch: {new:,} / {static:,} = {gain:.3g} times
    ~ Less than {new:,} / {one:,}: you have the part of it that static batches bring.

    A factor without a baseline is a ratio with half of it missing: against one request at a time,
    even your static batches are {static / one:.2g} times faster. Name the baseline and its batch
    size, the lengths of prompts and answers, and the measure: tokens a second with a full queue, or
    requests served within a latency limit.
    """)
