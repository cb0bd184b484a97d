"""Fewer bits: what rounding costs the course's trained model, on text that it has not read."""

from collections.abc import Iterator

from .registry import Row, Settings, benchmark


@benchmark
def perplexity(settings: Settings) -> Iterator[Row]:
    """Fewer bits: perplexity of the trained target on chapters that were written after it"""
    import torch

    from labutils.serving.checkpoints import (
        calibrate,
        course_model,
        held_out_passages,
        int8_cache,
        losses,
        with_activations,
        with_weights,
    )
    from labutils.serving.checkpoints.held_out import calibration_passages

    model, tokenizer = course_model()
    text = tokenizer.encode("\n".join(held_out_passages()))[: settings.choose(10**6, 800)]
    known = tokenizer.encode("\n".join(calibration_passages()))[: 192 * 16]
    seen = calibrate(model, torch.tensor(known).view(16, 192))
    base = losses(model, text)
    note = f"{base.windows.size} windows of 192 tokens"
    yield Row("fp32", base.perplexity, "perplexity", note=note)
    variants = {
        "bf16": lambda: (course_model(dtype="bfloat16")[0], None),
        "int8 weights": lambda: (with_weights(model, 8), None),
        "int4 weights, a scale a row": lambda: (with_weights(model, 4), None),
        "int4 weights, a scale for 32": lambda: (with_weights(model, 4, group=32), None),
        "the same, calibrated": lambda: (
            with_weights(model, 4, group=32, calibration=seen),
            None,
        ),
        "int3 weights, a scale for 32": lambda: (with_weights(model, 3, group=32), None),
        "int8 cache": lambda: (model, int8_cache),
        "int8 activations, fixed scales": lambda: (with_activations(model, seen), None),
    }
    for name, made in variants.items():
        other, attend = made()
        told = losses(other, text, attend=attend)
        gap, half = told.against(base)
        note = f"{gap:+.4f} ± {half:.4f} nats a token against fp32 (95 %)"
        yield Row(name, told.perplexity, "perplexity", note=note)
