"""Models from disk: their shapes, their weights, their words.

1. ``model_weights``: a model from a ``config.json``, and a state of another's names into it
2. ``tokenizer``: text to token numbers and back
3. ``checkpoint``: a whole folder; the course's two trained models; random weights in any shape
4. ``quantised``: the same model in fewer bits; ``perplexity``, on text that it was not trained on
   (``held_out``)
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

if TYPE_CHECKING:
    from .checkpoint import course_model, load_checkpoint, random_model
    from .held_out import held_out_passages
    from .model_weights import load_hf_state, model_from_config
    from .perplexity import Losses, losses
    from .quantised import calibrate, int8_cache, rounded, with_activations, with_weights
    from .tokenizer import Tokenizer

_HOME = {  # most need torch
    "Tokenizer": "tokenizer",
    "Losses": "perplexity",
    "calibrate": "quantised",
    "course_model": "checkpoint",
    "held_out_passages": "held_out",
    "int8_cache": "quantised",
    "load_checkpoint": "checkpoint",
    "load_hf_state": "model_weights",
    "losses": "perplexity",
    "model_from_config": "model_weights",
    "random_model": "checkpoint",
    "rounded": "quantised",
    "with_activations": "quantised",
    "with_weights": "quantised",
}

__all__ = [
    "Losses", "Tokenizer", "calibrate", "course_model", "held_out_passages", "int8_cache",
    "load_checkpoint", "load_hf_state", "losses", "model_from_config", "random_model", "rounded",
    "with_activations", "with_weights",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, _HOME)
