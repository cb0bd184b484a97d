"""Claims and their sources: who measured what, and what has been added on the way."""

from labutils.drills.definition.writing import Draw, Drill, template
from labutils.laws import scaling

FAULTS = {
    "who_leaves_after_three_seconds": ("X82",),
    "a_server_no_longer_kept": ("X90",),
    "who_batches_by_window": ("X74", "X62"),
    "faster_on_a_hit": ("X78",),
    "times_faster_than_what": ("X79",),
}

_LEAVING = {
    "Visitors who abandon AI answers do so after 2 to 3 s.": (
        "That is the sentence you were to check. Were AI answers measured?"
    ),
    "53 % of users leave any product that takes over 3 s.": (
        "The figure is right. Which product was it measured on?"
    ),
    "In 2016, over half of all mobile page visits were abandoned.": (
        "Product and year are right. Of which visits is 53 % a share?"
    ),
    "Cutting 3 s to 2 s would bring half of the visitors back.": (
        "It would take an experiment to know that. Does a share of visits tell what a change does?"
    ),
}


@template("M02 A16", level=1, decision="model", form="flaw", minutes=1.5, rough=False, trivia=True)
def who_leaves_after_three_seconds(draw: Draw) -> Drill:
    """Grade the evidence: another product, another decade."""
    limit = draw.one_of(("TTFT below 2 s", "TTFT below 3 s", "the first word within 2.5 s"))
    who = draw.one_of(("A product manager", "The design review", "A consultant", "A slide"))
    return draw.drill(
        f"""
    {who} asks for '{limit}, because users leave an AI product after 2 to 3 seconds'. The source
    behind the sentence, followed to its end, is Google's 'The Need for Mobile Speed' (DoubleClick,
    2016): 53 % of visits to mobile web pages were abandoned when the page took longer than 3 s to
    load.
    ? Which statement does that source support?
    > Who was measured, when, doing what?
    > A source supports what it measured: population, product, year.
    > Visits, mobile pages, 2016, loading over 3 s.
    . Measured: visits to mobile pages, 2016, loading longer than 3 s.
    . Not measured: AI answers, streams, people who wait for a text to be written.
    . What would count: abandonment against TTFT in your own log, with n.
    ~ A study can say nothing about a product that did not exist when it was made.

    Evidence has a population and a date. A target may still be sensible: then say that it is a
    choice, or measure your own users before you build on it.
    """,
        options=draw.options(
            "In 2016, over half of slow mobile page visits were abandoned.", _LEAVING
        ),
    )


@template("P05 E09", level=1, decision="commit", form="flaw", minutes=1.5, rough=False, trivia=True)
def a_server_no_longer_kept(draw: Draw) -> Drill:
    """Read the notice on a project before you build on it."""
    what = draw.one_of(("an image classifier", "an embedding model", "a reranker", "a detector"))
    who = draw.one_of(("A colleague", "A tutorial of 2023", "A list of 'current servers'"))
    why = draw.one_of(("it takes plain handlers", "it batches by size and delay", "we know it"))
    return draw.drill(f"""
    {who} proposes TorchServe for {what}: {why}. You open its documentation
    (docs.pytorch.org/serve). Each page begins with a box, 'Notice: Limited Maintenance': the
    project is no longer actively maintained; existing releases remain available; there are no
    planned updates, bug fixes, new features, or security patches.
    ? Which statement does that page support?
    + A security hole found in it tomorrow may stay open.
    x Its releases can no longer be installed.
    ! The notice says what becomes of existing releases. Read that part again.
    x It is slower than servers that are maintained.
    ! Speed is not what the notice is about. Where was it measured?
    x Its batching by size and delay is a mistake.
    ! The notice says nothing about the design, and other servers batch like that.
    > Separate what the page states from what you know otherwise.
    > Maintenance is about the future: fixes, patches, features.
    > 'No planned … security patches': what does that mean for a service on the internet?
    . Stated: releases stay available; no fixes and no security patches are planned.
    . So it works as it did, and what is found from now on may not be mended.
    . Not stated: anything about speed, or about how it batches.
    ~ A notice about maintenance supports statements about maintenance.

    'Current' has a date. Before you commit to a dependency, read its notice, the date of the last
    release, and who answers issues; and settle who will patch it.
    """)


@template(
    "E03 E04 U05", level=2, decision="model", form="flaw", minutes=1.5, rough=False, trivia=True
)
def who_batches_by_window(draw: Draw) -> Drill:
    """A window belongs to closed batches, not to iteration-level scheduling."""
    size, window = draw.one_of((8, 16, 32)), draw.one_of((5, 10, 20))
    return draw.drill(f"""
    A lesson shows a batcher that waits for {size} requests or {window} ms, whichever comes first,
    and calls it 'the pattern used by TensorRT Inference Server, Triton and vLLM'. NVIDIA renamed
    TensorRT Inference Server to Triton in 2020; its documentation describes a dynamic batcher with
    preferred sizes and a delay that is zero unless set. The vLLM paper (Kwon and others, SOSP 2023)
    builds on scheduling by iteration: after every step finished requests leave and waiting ones may
    join.
    ? Which statement do these sources support?
    + Two of the names are one product, and the third has no window.
    x All three wait for a size or a delay before they run a batch.
    ! What would vLLM wait for, if newcomers may join at the next step?
    x Triton cannot hold a request back to wait for others.
    ! It has a delay for that. What is its value unless you set it?
    x vLLM uses a window as well, only a much shorter one.
    ! When does the next chance to join come, and does anybody set that time?
    > Ask of each system when a newcomer may join a running batch.
    > Closed batch: wait for others before the start. By iteration: join at the next step.
    > TensorRT Inference Server is Triton; vLLM schedules at every step.
    . One product under two names batches dynamically; its delay is off by default.
    . vLLM admits at every step: the next chance comes in milliseconds.
    . So a window in front of vLLM would add its length to TTFT and buy nothing.
    ~ A list of three examples with one counterexample is not 'the pattern'.

    Windows make sense where a batch, once started, is closed. Iteration-level scheduling has none.
    Whoever cites three systems for one pattern should have looked at three.
    """)


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
