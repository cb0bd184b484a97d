"""transformers in float64 throughout: it computes norms and angles in float32 whatever its weights.

Its code stays; only what the word ``torch.float32`` means to it is changed, so that logits can be
compared to 1e-9.
"""

import importlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import torch
import transformers

from labutils.engine.model import LlamaModel
from labutils.serving.checkpoints.model_weights import load_hf_state, model_from_config

MODULES = (  # imported on first use: it takes six seconds
    "transformers.modeling_rope_utils",
    "transformers.models.llama.modeling_llama",
    "transformers.models.qwen2.modeling_qwen2",
    "transformers.models.qwen3.modeling_qwen3",
)
SHAPES = {
    "hidden_size": 60,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "num_hidden_layers": 4,
    "vocab_size": 131,
    "intermediate_size": 77,
    "max_position_embeddings": 4096,
    "initializer_range": 0.1,
    "pad_token_id": None,
    "bos_token_id": None,
    "eos_token_id": None,
}


class _Wide:
    """``torch``, but for the meaning of float32."""

    float32 = float = torch.float64

    def __getattr__(self, name: str):
        return getattr(torch, name)


@contextmanager
def wide() -> Iterator[None]:
    """Inside, transformers' models compute in float64 what they compute in float32 otherwise."""
    modules = map(importlib.import_module, MODULES)
    patches = [mock.patch.object(module, "torch", _Wide()) for module in modules]
    for patch in patches:
        patch.start()
    try:
        yield
    finally:
        for patch in patches:
            patch.stop()


class Oracle:
    """A model of transformers with random weights in float64: ``family`` Llama, Qwen2 or Qwen3.

    Weights have standard deviation 0.1; norms and biases are moved off their ones and zeros.
    ``keys`` replaces settings of its configuration.
    """

    def __init__(self, family: str, *, seed: int = 11, **keys):
        torch.manual_seed(seed)
        with wide():
            config = getattr(transformers, f"{family}Config")(**{**SHAPES, **keys})
            self.model = getattr(transformers, f"{family}ForCausalLM")(config).double().eval()
        self.model.requires_grad_(False)
        for name, weights in self.model.named_parameters():
            if "bias" in name or "norm" in name:
                weights.add_(0.3 * torch.randn_like(weights))

    def ours(self, **options) -> LlamaModel:
        """The course's model with the same weights, in float64 unless ``options`` say otherwise."""
        config = json.loads(self.model.config.to_json_string())
        model = model_from_config(config, **{"dtype": torch.float64, **options})
        return load_hf_state(model, self.model.state_dict())

    def logits(self, tokens: torch.Tensor, **options) -> torch.Tensor:
        """[batch, length] to [batch, length, vocabulary]."""
        with wide():
            return self.model(tokens, **options).logits

    def greedy(self, prompt: list[int], max_output_tokens: int) -> list[int]:
        """The most likely token after the prompt and all before, alone and with its own cache."""
        given = torch.tensor([prompt])
        with wide():
            answer = self.model.generate(
                given,
                attention_mask=torch.ones_like(given),
                max_new_tokens=max_output_tokens,
                do_sample=False,
            )
        return answer[0, len(prompt) :].tolist()
