"""What a token leaves in the cache."""

from labutils import llm
from labutils.drills.catalog._serving import GROUPED, binary, full_head_kv, gb, reaches, telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template

_WIDTHS = {"bf16": 2, "fp16": 2, "fp8": 1, "int8": 1}
_OPENINGS = (
    "A new model is to go live on Thursday, and you open its config.json",
    "In the capacity meeting somebody shares the config.json of the next model",
    "You compare candidates for a serving node. One config.json reads",
)


@template(
    "kv_per_token",
    "The KV cache of one token",
    level=1,
    number=4,
    decision=Decision.estimate,
    topics=("B22", "D06"),
)
def kv_per_token(draw: Draw) -> Drill:
    spec, kind = llm.model(draw.one_of(GROUPED)), draw.one_of(list(_WIDTHS))
    width = _WIDTHS[kind]
    answer = spec.kv_bytes_per_token(width)
    per_layer = spec.kv_values_per_layer * width
    mistakes = telling(answer, _kv_mistakes(spec, answer, width), tolerance=0.01)
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            f"{draw.one_of(_OPENINGS)}: {spec.name}, num_hidden_layers {spec.layers}, hidden_size "
            f"{spec.hidden_size}, num_attention_heads {spec.num_heads}, num_key_value_heads "
            f"{spec.num_kv_heads}, head_dim {spec.head_dim}. The server keeps the cache in {kind}."
        ),
        question="How many bytes does one token leave in the cache, all layers together?",
        answer=answer,
        unit="B",
        tolerance=0.01,
        mistakes=mistakes,
        hints=(
            "What is kept of a token in one layer, and for how many heads?",
            "2 (a key and a value) × layers × KV heads × head size × bytes per value.",
            f"2 × {spec.layers} × {spec.num_kv_heads} × {spec.head_dim} × {width} B.",
        ),
        steps=(
            Step(
                f"One layer keeps 2 × {spec.num_kv_heads} × {spec.head_dim} = "
                f"{spec.kv_values_per_layer:,} numbers of {width} B: {per_layer:,} B.",
                "one layer",
                per_layer,
                "B",
            ),
            Step(
                f"{spec.layers} layers: {spec.layers} × {per_layer:,} B = {answer:,.0f} B = "
                f"{binary(answer)}.",
                "all layers",
                answer,
                "B",
            ),
        ),
        sanity=(
            f"At most {binary(full_head_kv(spec, width))}, which is what a cache for each of the "
            "query heads would take. Sharing KV heads is there to make it less."
        ),
        moral=(
            "KV bytes per token = 2 · layers · KV heads · head size · bytes per value. Only heads "
            "that own a key and a value count; neither the hidden width nor the vocabulary does. "
            "Windowed layers (Gemma, gpt-oss) and compressed caches (DeepSeek) need their own sum."
        ),
        follow_up=_users_cache(draw, spec, width),
    )


def _kv_mistakes(spec, answer: float, width: int):
    narrow = spec.hidden_size / spec.num_heads / spec.head_dim
    return (
        Mistake(
            "query-heads",
            full_head_kv(spec, width),
            "You count a key and a value for every query head. Which of the two head counts in the "
            "config says how many keys are kept?",
        ),
        Mistake(
            "half",
            answer / 2,
            "Half of it. Did you count keys and values both, every byte of a value, and head_dim "
            "as the config gives it (it need not be hidden_size / heads)?",
        ),
        Mistake(
            "hidden-size",
            2 * spec.layers * spec.hidden_size * width,
            "You keep as many values as the hidden size has. How many KV heads are there, and how "
            "wide is one?",
        ),
        Mistake(
            "one-layer",
            answer / spec.layers,
            "That is one layer. Does a token leave its keys in one of them, or in all?",
        ),
        Mistake(
            "head-size",
            answer * narrow,
            "You take hidden_size / heads for the head size. Does the config say it otherwise?",
        ),
    )


def _users_cache(draw: Draw, spec, width: int) -> Drill:
    users, context = draw.whole(8, 90), draw.one_of((2048, 4096, 6000, 8192))
    draw.require(reaches(spec, context))
    one = spec.kv_bytes(context, width)
    total = users * one
    weights = spec.weight_bytes()
    return Drill(
        story=(
            f"{users} users chat with it at the same time, each with {context:,} tokens in "
            f"context. The weights take {gb(weights)}."
        ),
        question="How much memory do the caches of all of them take together, weights apart?",
        answer=total,
        unit="B",
        tolerance=0.02,
        mistakes=telling(
            total,
            (
                Mistake("one-user", one, "That is one user. How many keep their cache?"),
                Mistake(
                    "query-heads",
                    users * context * full_head_kv(spec, width),
                    "These caches have a key for every query head. How many KV heads are there?",
                ),
                Mistake(
                    "with-weights",
                    total + weights,
                    "The weights are in your sum. They are there once, whoever chats; what grows "
                    "with the users?",
                ),
            ),
            tolerance=0.02,
        ),
        hints=(
            "One token's bytes you have: how many tokens stand in the cache in all?",
            "users × context × bytes per token.",
            f"{users} × {context:,} × {binary(spec.kv_bytes_per_token(width))}.",
        ),
        steps=(
            Step(
                f"One user: {context:,} × {binary(spec.kv_bytes_per_token(width))} = {binary(one)}",
                "one user",
                one,
                "B",
            ),
            Step(f"All: {users} × {binary(one)} = {gb(total)}", "all", total, "B"),
        ),
        sanity="Only users × context counts: twice the users at half the context need as much.",
        moral=(
            f"Caches of {gb(total)} beside weights of {gb(weights)}: "
            + (
                "the caches are the larger part. Memory is a budget of tokens, not of users."
                if total > weights
                else "still the smaller part. At long contexts the caches take over: memory is a "
                "budget of tokens, not of users."
            )
        ),
    )
