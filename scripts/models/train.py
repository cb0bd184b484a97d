"""Train the two small models on the course's own prose; write them to ``data/checkpoints``.

::

    python scripts/models/train.py            # both, 15 to 40 minutes on two cores
    python scripts/models/train.py draft      # one of them

Each becomes a checkpoint folder as Hugging Face lays one out: ``config.json``, weights in float16,
``tokenizer.json``; ``training.json`` beside them says from what, with what, and how well. The same
seed, corpus and versions give the same weights on the same machine.
"""

import argparse
import hashlib
import json
import math
import re
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch.nn import functional

from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.definitions import read_definitions
from labutils.engine import LlamaModel, small_spec

ROOT = Path(__file__).resolve().parents[2]
END = "<|end|>"
VOCABULARY, CONTEXT = 1024, 512
HELD_OUT = 20  # one section in so many is not trained on


@dataclass(frozen=True)
class Recipe:
    """One model's shape and how long it is trained."""

    layers: int
    hidden_size: int
    num_heads: int
    num_kv_heads: int
    ffn_size: int
    steps: int
    learning_rate: float
    batch: int = 16
    length: int = 192
    seed: int = 0

    def spec(self, name: str):
        """The shape for ``LlamaModel``."""
        shape = ("layers", "hidden_size", "num_heads", "num_kv_heads", "ffn_size")
        return small_spec(
            name=f"course-{name}",
            head_dim=32,
            vocab_size=VOCABULARY,
            max_context=CONTEXT,
            **{key: getattr(self, key) for key in shape},
        )


RECIPES = {
    "target": Recipe(5, 192, 6, 2, 576, steps=600, learning_rate=2e-3),
    "draft": Recipe(2, 96, 3, 1, 256, steps=1200, learning_rate=4e-3),
}


def main() -> None:
    """Train the models named on the command line, both without a name."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=list(RECIPES), default=list(RECIPES))
    parser.add_argument("--steps", type=int, help="fewer steps, to try the script")
    parser.add_argument("--out", type=Path, default=ROOT / "data/checkpoints")
    chosen = parser.parse_args()
    sections = corpus()
    held_out = sections[::HELD_OUT]
    trained_on = [section for at, section in enumerate(sections) if at % HELD_OUT]
    tokenizer = train_tokenizer(trained_on)
    data, test = (as_tokens(tokenizer, part) for part in (trained_on, held_out))
    for name in chosen.names or RECIPES:
        recipe = RECIPES[name]
        steps = chosen.steps or recipe.steps
        model, report = train(name, recipe, data, test, steps)
        report["corpus_sha256"] = hashlib.sha256("\0".join(sections).encode()).hexdigest()[:16]
        report["corpus_tokens"], report["held_out_tokens"] = len(data), len(test)
        write(chosen.out / name, model, tokenizer, report)


def corpus() -> list[str]:
    """The prose of the course in sections: chapters, then explanations and questions."""
    chapters = read_course(ROOT).chapters
    cells = [cell.source for one in chapters for cell in one.cells if cell.kind == "markdown"]
    known = read_definitions()
    exercises = [one for group in known.exercises.values() for one in group]
    predictions = [one for group in known.predictions.values() for one in group]
    cells += [one.explanation for one in exercises]
    cells += [f"{one.question}\n{one.explanation}" for one in predictions]
    sections = [part for cell in cells for part in re.split(r"\n(?=#+ )", cell)]
    return [plain(section) for section in sections if len(section) > 80]


def plain(markdown: str) -> str:
    """Text in whole lines, without link addresses, heading marks and emphasis."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown)
    text = re.sub(r"^#+ *", "", text, flags=re.MULTILINE).replace("**", "")
    text = re.sub(r"(?<![\n|:])\n(?![\n|*-]|\d+\.)", " ", text)
    return re.sub(r"[ \t]+", " ", text).strip()


def train_tokenizer(sections: list[str]) -> Tokenizer:
    """Byte-level byte pairs (Sennrich et al., 2016; Radford et al., 2019)."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(sections, trainer)
    return tokenizer


def as_tokens(tokenizer: Tokenizer, sections: list[str]) -> torch.Tensor:
    """All sections in a row, each closed by the end token."""
    end = tokenizer.token_to_id(END)
    return torch.tensor([t for one in sections for t in (*tokenizer.encode(one).ids, end)])


def train(name: str, recipe: Recipe, data, test, steps: int):
    """AdamW with warm-up and a cosine, in bfloat16 where it is quick; the model and a report."""
    model = LlamaModel(recipe.spec(name), init_std=0.02, seed=recipe.seed)
    model.requires_grad_(True)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.95), weight_decay=0.1)
    generator = torch.Generator().manual_seed(recipe.seed)
    began = time.perf_counter()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate * schedule(step, steps)
        starts = torch.randint(len(data) - recipe.length - 1, (recipe.batch,), generator=generator)
        windows = torch.stack([data[at : at + recipe.length + 1] for at in starts.tolist()])
        loss = loss_of(model, windows)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0 or step == steps - 1:
            seconds = time.perf_counter() - began
            print(f"{name}: step {step}, loss {loss.item():.3f}, {seconds:.0f} s", flush=True)
    model.requires_grad_(False)
    return model, {
        "steps": steps,
        "tokens": steps * recipe.batch * recipe.length,
        "parameters": model.spec.parameters,
        "loss": round(loss.item(), 3),
        "held_out_loss": round(held_out_loss(model, test), 3),
        "seed": recipe.seed,
        "torch": torch.__version__.partition("+")[0],
        "trained_on": date.today().isoformat(),
    }


def schedule(step: int, steps: int) -> float:
    """Share of the learning rate: up over the first 5 %, then down along a cosine to a tenth."""
    warm = max(1, steps // 20)
    if step < warm:
        return (step + 1) / warm
    return 0.1 + 0.45 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


def loss_of(model, windows: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy of the next token, in nats."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(windows[:, :-1])
    return functional.cross_entropy(logits.float().flatten(0, 1), windows[:, 1:].flatten())


@torch.no_grad()
def held_out_loss(model, test: torch.Tensor, length: int = 192) -> float:
    """The same on text that was not trained on."""
    count = (len(test) - 1) // length
    windows = torch.stack([test[at * length : at * length + length + 1] for at in range(count)])
    return loss_of(model, windows).item()


def write(folder: Path, model: LlamaModel, tokenizer: Tokenizer, report: dict) -> None:
    """A checkpoint folder."""
    folder.mkdir(parents=True, exist_ok=True)
    spec, end = model.spec, tokenizer.token_to_id(END)
    state = {f"model.{n}": w.half() for n, w in model.state_dict().items() if n != "lm_head.weight"}
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": spec.hidden_size,
        "intermediate_size": spec.ffn_size,
        "num_hidden_layers": spec.layers,
        "num_attention_heads": spec.num_heads,
        "num_key_value_heads": spec.num_kv_heads,
        "head_dim": spec.head_dim,
        "vocab_size": spec.vocab_size,
        "max_position_embeddings": spec.max_context,
        "rms_norm_eps": 1e-6,
        "rope_theta": 10_000.0,
        "tie_word_embeddings": True,
        "attention_bias": False,
        "mlp_bias": False,
        "bos_token_id": None,
        "eos_token_id": end,
        "torch_dtype": "float16",
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    (folder / "training.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(f"{folder.name}: held-out loss {report['held_out_loss']}")


if __name__ == "__main__":
    main()
