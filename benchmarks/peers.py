"""transformers on the engine's jobs: ``generate`` in batches, and its continuous batching.

Both get the weights, the prompts and the lengths that the engine gets, in the settings that serve
them best here, and hand back the tokens they made.
"""

import warnings
from contextlib import suppress
from dataclasses import asdict, dataclass

from .registry import Unavailable

ANSWER_TIMEOUT_S = 600
TIE = 1e-3
"""Logits of deviation 2 to 3 agree to about 1e-4 in fp32, whoever computes them."""


@dataclass(frozen=True)
class StaticSettings:
    """``generate``: left-padded batches in order of arrival, each run to its longest answer."""

    batch: int = 16
    attention: str = "sdpa"


@dataclass(frozen=True)
class ContinuousSettings:
    """``ContinuousBatchingConfig``, as far as it matters on a CPU; the best of those tried.

    Tried on the small job: 16, 32 and 64 requests a batch (each query meets the packed keys of all,
    so that fewer are faster), 256 to 1,024 tokens, pages of 16, 32 and 256, sdpa and eager.
    """

    max_requests_per_batch: int = 16
    max_batch_tokens: int = 512
    page_size: int = 32
    num_blocks: int = 1024
    allow_block_sharing: bool = False
    attention: str = "sdpa"


def qwen3(spec, *, seed: int = 0):
    """transformers' Qwen3 in the shapes of ``spec``, weights normal with deviation 0.1, fp32."""
    transformers = _transformers()
    import torch

    torch.manual_seed(seed)
    config = transformers.Qwen3Config(
        hidden_size=spec.hidden_size,
        num_hidden_layers=spec.layers,
        num_attention_heads=spec.num_heads,
        num_key_value_heads=spec.num_kv_heads,
        head_dim=spec.head_dim,
        intermediate_size=spec.ffn_size,
        vocab_size=spec.vocab_size,
        tie_word_embeddings=spec.tied_embeddings,
        max_position_embeddings=spec.max_context,
        initializer_range=0.1,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
    )
    return transformers.Qwen3ForCausalLM(config).eval().requires_grad_(False)


def generate(model, prompts, lengths, settings: StaticSettings) -> list[list[int]]:
    """Static batching: who is done waits for the longest of its batch."""
    import torch

    model.set_attn_implementation(settings.attention)
    answers = []
    with torch.inference_mode():
        for first in range(0, len(prompts), settings.batch):
            batch = prompts[first : first + settings.batch]
            wanted = lengths[first : first + settings.batch]
            tokens, mask = _left_padded(batch)
            rows = model.generate(
                tokens,
                attention_mask=mask,
                max_new_tokens=max(wanted),
                do_sample=False,
                pad_token_id=0,
                eos_token_id=None,
            )[:, tokens.shape[1] :].tolist()
            answers += [row[:length] for row, length in zip(rows, wanted)]
    return answers


def continuous(model, prompts, lengths, settings: ContinuousSettings) -> list[list[int]]:
    """Continuous batching: requests are added one by one, since each has its own length."""
    transformers = _transformers()
    import torch

    values = asdict(settings)
    model.set_attn_implementation(values.pop("attention"))
    generation = transformers.GenerationConfig(
        do_sample=False, max_new_tokens=max(lengths), eos_token_id=-1, pad_token_id=0
    )
    options = transformers.ContinuousBatchingConfig(
        use_async_batching=False, use_cuda_graph=False, auto_switch_to_flash=False, **values
    )
    with (
        torch.inference_mode(),
        model.continuous_batching_context_manager(
            generation, continuous_batching_config=options, warmup=False
        ) as manager,
    ):
        rows = {
            manager.add_request(prompt, max_new_tokens=length, eos_token_id=-1): row
            for row, (prompt, length) in enumerate(zip(prompts, lengths))
        }
        return _collected(manager, rows)


def differ(model, prompts, ours, theirs) -> int:
    """How many answers differ, by more than a tie that rounding may decide either way."""
    return sum(
        not _is_tie(model, prompt, a, b) for prompt, a, b in zip(prompts, ours, theirs) if a != b
    )


def _is_tie(model, prompt, ours, theirs) -> bool:
    """Whether the first tokens that differ are, in fp32, as likely as each other."""
    import torch

    if len(ours) != len(theirs):
        return False
    at = next(at for at, (a, b) in enumerate(zip(ours, theirs)) if a != b)
    with torch.inference_mode():
        logits = model(torch.tensor([prompt + ours[:at]])).logits[0, -1]
    return bool(logits.max() - logits[[ours[at], theirs[at]]].min() < TIE)


def _collected(manager, rows: dict[str, int]) -> list[list[int]]:
    answers: list = [None] * len(rows)
    while any(answer is None for answer in answers):
        result = manager.get_result(timeout=ANSWER_TIMEOUT_S)
        if result is None or result.error is not None:
            raise RuntimeError(f"continuous batching broke off: {getattr(result, 'error', None)}")
        if result.is_finished():
            answers[rows[result.request_id]] = list(result.generated_tokens)
    return answers


def _left_padded(prompts):
    import torch

    longest = max(map(len, prompts))
    tokens = torch.zeros(len(prompts), longest, dtype=torch.long)
    mask = torch.zeros_like(tokens)
    for row, prompt in enumerate(prompts):
        tokens[row, longest - len(prompt) :] = torch.tensor(prompt)
        mask[row, longest - len(prompt) :] = 1
    return tokens, mask


def _transformers():
    try:
        import psutil  # noqa: F401  (without it the peer finds no free memory)
        import transformers
    except ImportError as missing:
        raise Unavailable(f"{missing.name} is not installed") from None
    warnings.filterwarnings("ignore", module="transformers")
    with suppress(AttributeError):
        transformers.logging.set_verbosity_error()
    return transformers
