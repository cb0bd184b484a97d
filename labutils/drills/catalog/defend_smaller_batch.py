"""Commit to a batch, then defend it against the throughput that it gives up."""

from labutils import llm
from labutils.drills.catalog._serving import as_printed
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, Form, template
from labutils.llm.memory.objective import batch_limits
from labutils.units import format_quantity as say


@template(
    "defend_smaller_batch",
    "The batch that keeps the promise, not the one that memory holds",
    level=3,
    decision=Decision.commit,
    topics=("E06", "E08", "N02"),
    form=Form.defend,
    minutes=4,
)
def defend_smaller_batch(draw: Draw) -> Drill:
    name, device = draw.one_of(
        (("Llama-3.1-8B", "H100 SXM"), ("Qwen3-8B", "H200 SXM"), ("Qwen3-8B", "H100 SXM"))
    )
    model, card = llm.model(name), llm.accelerator(device)
    context = 256 * draw.random.randint(6, 20)
    promise = draw.share(1.4, 2.6) * model.weight_bytes() / card.bandwidth_bytes_per_s
    promise = float(f"{promise:.2g}")
    limits = batch_limits(model, card, context, promise)
    batch, most = limits.batch, limits.by_memory
    draw.require(limits.binding == "bytes" and batch >= 8 and most > 1.4 * batch)
    kept, full = (llm.decode_step(model, card, size, context) for size in (batch, most))
    draw.require(full.binding == "bytes")
    spare = promise * card.bandwidth_bytes_per_s - model.weight_bytes()
    each = as_printed(model.kv_bytes_per_token()) * context
    read = promise * card.bandwidth_bytes_per_s - as_printed(model.weight_bytes())
    draw.require(read // each == batch)
    bare = int(promise * card.bandwidth_bytes_per_s // model.kv_bytes(context))
    return Drill(
        story=(
            f"{model.name} on one {card.name} ({say(card.bandwidth_bytes_per_s, 'B/s')}): "
            f"{say(model.weight_bytes(), 'B')} of weights, {say(model.kv_bytes_per_token(), 'B')} "
            f"of cache a token, {context:,} tokens a user. Each user is promised a token every "
            f"{say(promise, 's')}; memory would hold {most} users. You set the limit of the batch. "
            "(Ideal device, full bandwidth; bytes decide, not arithmetic.)"
        ),
        question="How many users may be in the batch at most, if the promise is to be kept?",
        options=draw.options(
            "The largest batch whose step keeps the promise.",
            {
                "The largest batch that the memory holds.": (
                    "Compute the time of that step. What was promised?"
                ),
                "The smallest batch: nobody waits for others.": (
                    "It keeps the promise with room to spare. Who pays for the room?"
                ),
                "The batch at which arithmetic takes over.": (
                    "Up to there arithmetic is no obstacle. But each user's cache is read, too: "
                    "what does that do to the step?"
                ),
            },
            question="Which limit do you commit to?",
        ),
        answer=batch,
        tolerance=0,
        absolute=1,
        unsafe="above",
        mistakes=(
            Mistake(
                "rounded-up",
                batch + 1,
                f"The step of {batch + 1} takes longer than {say(promise, 's')}. Which way do you "
                "round?",
            ),
            Mistake(
                "all-that-fits",
                most,
                "That is how many fit. How long does their step take?",
            ),
            Mistake(
                "weights-forgotten",
                bare,
                "You spend the whole step on caches. What is read in each step besides?",
            ),
        ),
        hints=(
            "The promise allows so many bytes in a step. What are they spent on?",
            "Batch = (promise × bandwidth - weights) / cache of one user, rounded down.",
            f"({say(promise, 's')} × {say(card.bandwidth_bytes_per_s, 'B/s')} - "
            f"{say(model.weight_bytes(), 'B')}) / {say(model.kv_bytes(context), 'B')}.",
        ),
        steps=(
            Step(
                f"Left for caches in a step: {say(spare, 'B')}",
                name="left",
                value=spare,
                unit="B",
            ),
            Step(
                f"Over {say(model.kv_bytes(context), 'B')} a user, rounded down: {batch}",
                name="batch",
                value=batch,
            ),
        ),
        sanity=(
            f"Fewer than {bare}, for which the step would have to read caches alone; it reads the "
            "weights, too."
        ),
        moral=(
            "A TPOT objective is a budget of bytes per step: weights first, caches with the rest. "
            "Leave room below it for prefills, which share the device."
        ),
        scale=False,
        follow_up=Drill(
            story=(
                f"The strongest objection: 'With all {most} users that fit, each device writes "
                f"{full.tokens_per_s / kept.tokens_per_s:.2f}"
                " times as many tokens a second: you throw money away.' The tokens are counted "
                "correctly."
            ),
            question=f"How long does a user wait for a token in a batch of {most}?",
            options=draw.options(
                "Tokens that break the promise do not count: goodput falls.",
                {
                    "The device would overheat in a batch that is so full.": (
                        "Is that in the numbers? Argue with the promise."
                    ),
                    "More tokens a second always mean fewer for each user.": (
                        "It is so here. Always? And is it what was promised?"
                    ),
                    "A full batch never gets through: requests time out.": (
                        "It gets through, slowly. How slowly, compared with the promise?"
                    ),
                },
                question="Which defence holds?",
            ),
            answer=full.time_s,
            unit="s",
            tolerance=0.03,
            mistakes=(
                Mistake(
                    "as-promised",
                    promise,
                    "That is the promise. Is it kept in a step that reads so many caches?",
                ),
                Mistake(
                    "caches-alone",
                    full.kv_bytes / card.bandwidth_bytes_per_s,
                    "You read the caches alone. What else does a step read?",
                ),
            ),
            hints=(
                "One token for each user per step: compute the step.",
                "Step = (weights + users × cache) / bandwidth.",
                f"({say(model.weight_bytes(), 'B')} + {most} × {say(model.kv_bytes(context), 'B')})"
                f" / {say(card.bandwidth_bytes_per_s, 'B/s')}.",
            ),
            steps=(
                Step(
                    f"Caches: {say(full.kv_bytes, 'B')}",
                    name="caches",
                    value=full.kv_bytes,
                    unit="B",
                ),
                Step(
                    f"Step: {say(full.time_s, 's')}, where {say(promise, 's')} was promised",
                    name="step",
                    value=full.time_s,
                    unit="s",
                ),
            ),
            sanity="Longer than the promise: that is why the limit is lower.",
            moral=(
                "Throughput without an objective rewards the largest batch. Goodput counts what "
                "kept the promise. Work without a promise (batch jobs) may fill the rest of the "
                "memory, if it gives way."
            ),
        ),
    )
