"""Commit to a prefix cache, then defend it against a load balancer."""

from labutils.drills.definition.writing import Draw, Drill, template
from labutils.llm.levers.prefix import prefill_share_saved


@template("F05 I07 H03", level=3, decision="commit", form="defend", minutes=3)
def defend_prefix_routing(draw: Draw) -> Drill:
    """Cache the common prefix, and route to where it lies."""
    prompt = 100 * draw.whole(20, 90)
    shared = 100 * round(draw.share(0.6, 0.93) * prompt / 100)
    hit, replicas = draw.share(0.75, 0.96), draw.one_of((3, 4, 5, 6, 8))
    saved, spread = (prefill_share_saved(rate, shared, prompt) for rate in (hit, 1 / replicas))
    part = shared / prompt
    draw.require(hit - 1 / replicas > 0.3 and abs(saved - part) > 0.03)
    asked = draw.drill(f"""
    A chat with long sessions: a prompt has {prompt:,} tokens on average, of which {shared:,} are
    the conversation so far, and the replica that answered the last turn still holds their keys and
    values in {100 * hit:.0f} % of the cases. The devices are busy with prefills, and TTFT is too
    long. No two users ask alike. (Count work as proportional to tokens.)

    ? Which share of the prefill work does your choice save?
    = {saved} tolerance=0.02 scale=off
    - always-found {part}: That is what a hit saves. How often is the prefix still there?
    - hits-alone {hit}: That is how often it is found. How much of a prompt is it?
    - what-is-left {1 - saved}: That share is still to be computed. What is saved?
    ? Which one do you commit to?
    + Keep the caches of earlier turns for the next.
    x Answer similar questions from a semantic cache.
    ! What did the story say about questions that are alike?
    x Store the weights in 4 bits, and compute in 16.
    ! That saves bytes. What are the devices busy with, and do bytes decide there?
    x Cut each prompt into chunks of 512 tokens.
    ! Chunks spread the same work over more steps. Who gains by that?
    > A hit saves its part of the prompt, a miss nothing.
    > Saved = hit rate × shared / prompt.
    > {hit:g} × {shared:,} / {prompt:,}.
    * part {part}: A hit saves {shared:,} / {prompt:,} = {part:.4g}
    * saved {saved}: Times {hit:g}: {saved:.4g}
    ~ At most {part:.2g}, which is the shared part of a prompt.

    Prefix caching saves the prefill of what is found, and reuses the same keys and values that
    would be computed again: it is no approximation. It needs room for what is kept: watch
    evictions.
    """)
    further = draw.drill(f"""
    The strongest objection: 'In production {replicas} replicas stand behind a load balancer that
    picks one at random for each turn. The last turn lies on another machine, nearly always; your
    saving is gone.' Suppose that a turn finds its prefix only if it reaches the replica of the turn
    before, and then always.

    ? Which share of the prefill work would random routing save?
    = {spread} tolerance=0.02 scale=off
    - as-before {saved}: That is the saving if a turn comes back to the same replica. How likely is
      that now?
    - chance-alone {1 / replicas}: That is how often it comes back. How much of a prompt does a hit
      save?
    ? Which defence holds?
    + Route by session to where the prefix lies, unless that one is overloaded.
    x With random routing every replica holds every prefix after a while.
    ! A conversation grows with each turn. Who holds its newest part?
    x Take fewer and larger replicas, so that a random pick hits more often.
    ! It helps a little, and couples the size of the fleet to a cache. What decides where a turn
      goes?
    x Copy each prefix to all replicas as soon as the turn has been answered.
    ! That is {replicas - 1} copies for one use. What does it cost in room?
    > The hit rate is now a matter of chance.
    > Saved = 1 / replicas × shared / prompt.
    > 1 / {replicas} × {shared:,} / {prompt:,}.
    * hit {1 / replicas}: Found in 1 of {replicas} turns
    * saved {spread}: Saved: {spread:.4g}
    ~ At most one in {replicas}.

    A cache on many machines is as good as its routing. Prefix-affine routing keeps the saving and
    skews the load: give way to the least loaded replica when the owner's queue is long, and pay one
    prefill.
    """)
    return asked.then(further)
