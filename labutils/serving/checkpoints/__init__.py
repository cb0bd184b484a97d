"""Models from disk: their shapes, their weights, their words.

1. ``model_weights``: a model from a ``config.json``, and a state of another's names into it
2. ``tokenizer``: text to token numbers and back
3. ``checkpoint``: a whole folder; the course's two trained models; random weights in any shape
"""

from typing import TYPE_CHECKING

from labutils.lazy import lazily

if TYPE_CHECKING:
    from .checkpoint import course_model, load_checkpoint, random_model
    from .model_weights import load_hf_state, model_from_config
    from .tokenizer import Tokenizer

_HOME = {  # all but the tokenizer need torch
    "Tokenizer": "tokenizer",
    "course_model": "checkpoint",
    "load_checkpoint": "checkpoint",
    "load_hf_state": "model_weights",
    "model_from_config": "model_weights",
    "random_model": "checkpoint",
}

__all__ = [
    "Tokenizer", "course_model", "load_checkpoint", "load_hf_state", "model_from_config",
    "random_model",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, _HOME)
