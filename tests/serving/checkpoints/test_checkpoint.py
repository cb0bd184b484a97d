"""Checkpoint folders: read as transformers reads them, refused with the reason, never unpickled."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from labutils import datafile
from labutils.engine import small_spec
from labutils.serving.checkpoints import checkpoint, course_model, load_checkpoint, random_model

TEXT = "Little's law: L = λ·W, whatever the order — 16 requests, 0.5 s each.\n"
NAMES = ("target", "draft")


@pytest.fixture
def folder(tmp_path):
    """A copy of the draft's folder, to be spoilt."""
    return shutil.copytree(datafile("checkpoints/draft"), tmp_path / "draft")


@pytest.mark.parametrize("name", NAMES)
def test_the_course_s_models_compute_what_transformers_computes(name):
    from transformers import AutoModelForCausalLM

    path = datafile(f"checkpoints/{name}")
    theirs = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float64)
    ours, tokenizer = course_model(name, dtype="float64")
    tokens = torch.tensor([tokenizer.encode(TEXT)])
    assert 10 < tokens.shape[1] < len(TEXT)
    # transformers computes norms and angles in float32 whatever the weights are
    assert (ours(tokens) - theirs(tokens).logits).abs().max() < 1e-4


@pytest.mark.parametrize("name", NAMES)
def test_the_course_s_models_have_learned_the_course_s_prose(name):
    model, tokenizer = course_model(name)
    report = json.loads((datafile(f"checkpoints/{name}") / "training.json").read_text())
    tokens = torch.tensor([tokenizer.encode("The waiting time of a queue grows with its load.")])
    loss = torch.nn.functional.cross_entropy(model(tokens)[0, :-1], tokens[0, 1:]).item()
    assert report["parameters"] == sum(p.numel() for p in model.parameters())
    assert loss < 0.75 * torch.log(torch.tensor(float(tokenizer.vocab_size))).item()


def test_both_models_speak_the_same_tokens():
    (_, one), (_, other) = course_model("target"), course_model("draft")
    assert one.encode(TEXT) == other.encode(TEXT) and one.end_tokens == other.end_tokens != set()


def test_text_comes_back_from_its_tokens():
    _, tokenizer = course_model("draft")
    tokens = tokenizer.encode(TEXT)
    assert tokenizer.decode([*tokens, *tokenizer.end_tokens]) == TEXT
    assert tokenizer.encode("") == [] and tokenizer.decode([]) == ""
    assert max(tokens) < tokenizer.vocab_size


def test_parts_with_an_index_are_one_model(folder):
    whole, _ = load_checkpoint(folder)
    state = load_file(folder / "model.safetensors")
    names = sorted(state)
    parts = {"a.safetensors": names[:3], "b.safetensors": names[3:]}
    for file, keys in parts.items():
        save_file({key: state[key] for key in keys}, folder / file)
    weight_map = {key: file for file, keys in parts.items() for key in keys}
    index = {"metadata": {}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "model.safetensors").unlink()
    parted, _ = load_checkpoint(folder)
    for one, other in zip(whole.parameters(), parted.parameters(), strict=True):
        assert torch.equal(one, other)
    (folder / "b.safetensors").unlink()
    with pytest.raises(ValueError, match=r"expected it to hold b\.safetensors"):
        load_checkpoint(folder)


def test_generation_config_says_what_ends_an_answer(folder):
    (folder / "generation_config.json").write_text('{"eos_token_id": [7, 3]}')
    assert load_checkpoint(folder)[1].end_tokens == {3, 7}


def test_a_folder_without_tokenizer_gives_the_model_alone(folder):
    (folder / "tokenizer.json").unlink()
    model, tokenizer = load_checkpoint(folder, dtype=torch.bfloat16)
    assert tokenizer is None and model.norm.weight.dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda f: (f / "config.json").unlink(), "a config.json"),
        (lambda f: (f / "model.safetensors").rename(f / "pytorch_model.bin"), "model.safetensors"),
        (lambda f: (f / "tokenizer.json").write_text("{}"), "a tokenizer.json"),
    ],
)
def test_what_is_missing_is_named(folder, spoil, expected):
    spoil(folder)
    with pytest.raises(ValueError, match=expected):
        load_checkpoint(folder)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"intermediate_size": 64}, r"gate_proj\.weight has the shape .*: expected \(64, "),
        ({"intermediate_size": 10**9}, "gate_proj"),
        ({"hidden_size": 10**6}, "embed_tokens"),
        ({"vocab_size": 10**9}, "embed_tokens"),
        ({"num_hidden_layers": 10**9}, r"state holds \d layers: expected 1000000000"),
        ({"num_attention_heads": 32}, "q_proj"),
    ],
)
def test_shapes_that_the_weights_do_not_have_are_refused_before_they_are_built(
    folder, asked, expected, monkeypatch
):
    def built(*args, **options):
        raise AssertionError("a model was built")

    monkeypatch.setattr(checkpoint, "model_from_config", built)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | asked))
    with pytest.raises(ValueError, match=expected):
        load_checkpoint(folder)


@pytest.mark.parametrize(
    "index",
    ["{}", "[]", "nonsense", '{"weight_map": null}', '{"weight_map": {"a": 5}}',
     '{"weight_map": {}}', '{"weight_map": {"a": "../model.safetensors"}}', "[" * 50_000],
)  # fmt: skip
def test_an_index_that_cannot_be_read_is_named(folder, index):
    (folder / "model.safetensors.index.json").write_text(index)
    with pytest.raises(ValueError, match=r"model\.safetensors\.index\.json: expected a weight_map"):
        load_checkpoint(folder)


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        ("model.safetensors", "no weights", r"model\.safetensors: expected weights in safetensors"),
        ("config.json", "{" * 9, r"config\.json: expected JSON"),
        ("config.json", '{"a":' * 50_000, r"config\.json: expected JSON"),
        ("generation_config.json", '{"eos_token_id": {"a": 1}}', "eos_token_id = {'a': 1}"),
        ("generation_config.json", '{"eos_token_id": ["x"]}', r"eos_token_id = \['x'\]"),
    ],
)
def test_a_damaged_file_is_named(folder, file, content, expected):
    (folder / file).write_text(content)
    with pytest.raises(ValueError, match=expected):
        load_checkpoint(folder)


@pytest.mark.parametrize("dtype", ["int8", "float7", 4, None])
def test_a_dtype_that_is_none_is_refused(dtype):
    with pytest.raises(ValueError, match=r"dtype = .*expected a floating-point type"):
        random_model(small_spec(layers=1), dtype=dtype)


def test_random_models_take_a_listed_name_or_a_shape():
    model = random_model(small_spec(layers=1, hidden_size=24), dtype="float64", seed=3)
    assert model.norm.weight.dtype == torch.float64 and len(model.layers) == 1
    with pytest.raises(ValueError, match=r"Llama-3\.1-8B"):
        random_model("lama-3.1-8b")
    with pytest.raises(ValueError, match="target, draft"):
        course_model("teacher")
