"""Commit to a prefix cache, then defend it against a load balancer."""

from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, Form, template
from labutils.llm.levers.prefix import prefill_share_saved


@template(
    "defend_prefix_routing",
    "Cache the common prefix, and route to where it lies",
    level=3,
    decision=Decision.commit,
    topics=("F05", "I07", "H03"),
    form=Form.defend,
    minutes=3,
)
def defend_prefix_routing(draw: Draw) -> Drill:
    prompt = 100 * draw.whole(20, 90)
    shared = 100 * round(draw.share(0.6, 0.93) * prompt / 100)
    hit, replicas = draw.share(0.75, 0.96), draw.one_of((3, 4, 5, 6, 8))
    saved, spread = (prefill_share_saved(rate, shared, prompt) for rate in (hit, 1 / replicas))
    part = shared / prompt
    draw.require(hit - 1 / replicas > 0.3 and abs(saved - part) > 0.03)
    return Drill(
        story=(
            f"A chat with long sessions: a prompt has {prompt:,} tokens on average, of which "
            f"{shared:,} are the conversation so far, and the replica that answered the last turn "
            f"still holds their keys and values in {100 * hit:.0f} % of the cases. The devices are "
            "busy with prefills, and TTFT is too long. No two users ask alike. (Count work as "
            "proportional to tokens.)"
        ),
        question="Which share of the prefill work does your choice save?",
        options=draw.options(
            "Keep the caches of earlier turns for the next.",
            {
                "Answer similar questions from a semantic cache.": (
                    "What did the story say about questions that are alike?"
                ),
                "Store the weights in 4 bits, and compute in 16.": (
                    "That saves bytes. What are the devices busy with, and do bytes decide there?"
                ),
                "Cut each prompt into chunks of 512 tokens.": (
                    "Chunks spread the same work over more steps. Who gains by that?"
                ),
            },
            question="Which one do you commit to?",
        ),
        answer=saved,
        tolerance=0.02,
        mistakes=(
            Mistake(
                "always-found",
                part,
                "That is what a hit saves. How often is the prefix still there?",
            ),
            Mistake(
                "hits-alone", hit, "That is how often it is found. How much of a prompt is it?"
            ),
            Mistake(
                "what-is-left", 1 - saved, "That share is still to be computed. What is saved?"
            ),
        ),
        hints=(
            "A hit saves its part of the prompt, a miss nothing.",
            "Saved = hit rate × shared / prompt.",
            f"{hit:g} × {shared:,} / {prompt:,}.",
        ),
        steps=(
            Step(f"A hit saves {shared:,} / {prompt:,} = {part:.4g}", name="part", value=part),
            Step(f"Times {hit:g}: {saved:.4g}", name="saved", value=saved),
        ),
        sanity=f"At most {part:.2g}, which is the shared part of a prompt.",
        moral=(
            "Prefix caching saves the prefill of what is found, and reuses the same keys and "
            "values that would be computed again: it is no approximation. It needs room for what "
            "is kept: watch evictions."
        ),
        scale=False,
        follow_up=Drill(
            story=(
                f"The strongest objection: 'In production {replicas} replicas stand behind a load "
                "balancer that picks one at random for each turn. The last turn lies on another "
                "machine, nearly always; your saving is gone.' Suppose that a turn finds its "
                "prefix only if it reaches the replica of the turn before, and then always."
            ),
            question="Which share of the prefill work would random routing save?",
            options=draw.options(
                "Route by session to where the prefix lies, unless that one is overloaded.",
                {
                    "With random routing every replica holds every prefix after a while.": (
                        "A conversation grows with each turn. Who holds its newest part?"
                    ),
                    "Take fewer and larger replicas, so that a random pick hits more often.": (
                        "It helps a little, and couples the size of the fleet to a cache. What "
                        "decides where a turn goes?"
                    ),
                    "Copy each prefix to all replicas as soon as the turn has been answered.": (
                        f"That is {replicas - 1} copies for one use. What does it cost in room?"
                    ),
                },
                question="Which defence holds?",
            ),
            answer=spread,
            tolerance=0.02,
            mistakes=(
                Mistake(
                    "as-before",
                    saved,
                    "That is the saving if a turn comes back to the same replica. How likely is "
                    "that now?",
                ),
                Mistake(
                    "chance-alone",
                    1 / replicas,
                    "That is how often it comes back. How much of a prompt does a hit save?",
                ),
            ),
            hints=(
                "The hit rate is now a matter of chance.",
                "Saved = 1 / replicas × shared / prompt.",
                f"1 / {replicas} × {shared:,} / {prompt:,}.",
            ),
            steps=(
                Step(f"Found in 1 of {replicas} turns", name="hit", value=1 / replicas),
                Step(f"Saved: {spread:.4g}", name="saved", value=spread),
            ),
            sanity=f"At most one in {replicas}.",
            moral=(
                "A cache on many machines is as good as its routing. Prefix-affine routing keeps "
                "the saving and skews the load: give way to the least loaded replica when the "
                "owner's queue is long, and pay one prefill."
            ),
            scale=False,
        ),
    )
