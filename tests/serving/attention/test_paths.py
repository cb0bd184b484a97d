"""Every path against the specification, and the specification against the model without a cache."""

import os
import sys
from types import ModuleType

import pytest
import torch

from labutils.engine.model import LlamaModel, small_spec
from labutils.serving import Engine
from labutils.serving.attention import attention_path, best_path, gather
from labutils.serving.kv_pool import KVPool

from .packing import Pages, Sequence, pack, random_steps

SPEC = small_spec(
    layers=2, hidden_size=60, num_heads=6, num_kv_heads=2, head_dim=14, ffn_size=77, vocab_size=131
)
EXACT = {"rtol": 0, "atol": 1e-10}
pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")


@pytest.fixture(autouse=True)
def one_thread():
    """Small matrices gain nothing from a second one, and waiting threads cost the others."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def sequences(lengths, seed):
    given = torch.Generator().manual_seed(seed)
    return [Sequence(torch.randint(0, 131, (n,), generator=given).tolist()) for n in lengths]


def run(model, path, step):
    return model(
        step.tokens[None], step.positions[None], attend=path.bind(step), rows=step.outputs
    )[0]


SHAPES = ({}, {"qk_norm": True, "num_kv_heads": 1}, {"num_kv_heads": 6})
CASES = [
    *(
        (name, size, more)
        for name, size in (("rows", 3), ("gather", 4), ("gather", 1))
        for more in SHAPES
    ),
    ("flex", 8, {}),
]


@pytest.mark.parametrize("name, page_tokens, more", CASES)
def test_steps_of_any_shape_give_the_logits_of_the_whole_sequence(name, page_tokens, more):
    model = LlamaModel(small_spec(**{**vars(SPEC), **more}), dtype=torch.float64, seed=5)
    pool = KVPool(model.spec, 300 // page_tokens, page_tokens, dtype=torch.float64)
    path, rows = attention_path(name, pool), sequences((1, 2, 17, 41, 8, 29, 5), seed=page_tokens)
    whole = [model(torch.tensor([row.tokens]))[0] for row in rows]
    pages = Pages(pool, seed=3)
    most = 60 if name == "flex" else 9  # few steps: not compiled, it reads the whole pool
    for chosen, step in random_steps(rows, pages, seed=11 + page_tokens, most_new=most):
        logits = run(model, path, step)
        for sequence, length, found in zip(chosen, step.context_lengths, logits, strict=True):
            expected = next(w for w, r in zip(whole, rows, strict=True) if r is sequence)
            torch.testing.assert_close(found, expected[length - 1], **EXACT)
    assert all(sequence.computed == len(sequence.tokens) for sequence in rows)


def test_rows_may_share_pages():
    model = LlamaModel(SPEC, dtype=torch.float64)
    pool = KVPool(SPEC, 20, 4, dtype=torch.float64)
    for name in ("rows", "gather", "flex"):
        first, second = sequences((13, 15), seed=2)
        second.tokens[:8] = first.tokens[:8]
        first.table, second.table, second.computed = [9, 3, 12, 5], [9, 3, 7, 1], 8
        path = attention_path(name, pool)
        run(model, path, pack([first], [12], 4))
        first.computed = 12
        found = run(model, path, pack([second, first], [7, 1], 4))
        for logits, row in zip(found, (second, first), strict=True):
            torch.testing.assert_close(logits, model(torch.tensor([row.tokens]))[0, -1], **EXACT)


def test_what_lies_behind_a_context_or_in_other_pages_is_not_read():
    pool = KVPool(SPEC, 12, 4, dtype=torch.float64)
    model = LlamaModel(SPEC, dtype=torch.float64)
    for name in ("rows", "gather", "flex"):
        rows = sequences((6, 9, 11), seed=8)
        for row, table in zip(rows, ([2, 7], [11, 4, 5], [1, 8, 10]), strict=True):
            row.table = table
        for half in (*pool.keys, *pool.values):
            half.normal_(std=30)
        path = attention_path(name, pool)
        run(model, path, pack(rows, [5, 8, 8], 4))
        for row, new in zip(rows, (5, 8, 8), strict=True):
            row.computed = new
        found = run(model, path, pack(rows, [1, 1, 3], 4))
        for logits, row in zip(found, rows, strict=True):
            torch.testing.assert_close(logits, model(torch.tensor([row.tokens]))[0, -1], **EXACT)


def test_contexts_are_cut_where_a_padded_copy_would_grow_too_large(monkeypatch):
    monkeypatch.setattr(gather, "BUCKET_SLOTS", 40)
    assert gather._cuts([3, 3, 12, 13, 14, 41, 50]) == [
        slice(0, 3), slice(3, 5), slice(5, 6), slice(6, 7)
    ]  # fmt: skip
    assert gather._cuts([]) == []
    model = LlamaModel(SPEC, dtype=torch.float64)
    pool = KVPool(SPEC, 60, 4, dtype=torch.float64)
    rows, pages = sequences((31, 2, 19, 3, 44, 22, 7, 18), seed=6), Pages(pool, seed=1)
    path = attention_path("gather", pool)
    for row in rows:
        pages.grow(row, len(row.tokens))
        run(model, path, pack([row], [len(row.tokens) - 1], 4))
        row.computed = len(row.tokens) - 1
    found = run(model, path, pack(rows, [1] * 8, 4))
    for logits, row in zip(found, rows, strict=True):
        torch.testing.assert_close(logits, model(torch.tensor([row.tokens]))[0, -1], **EXACT)


def test_an_unknown_path_is_refused():
    with pytest.raises(ValueError, match=r"name = 'fast': expected one of rows, gather.*auto"):
        attention_path("fast", KVPool(SPEC, 2))


def test_lengths_that_do_not_add_up_are_refused():
    row = Sequence([1, 2, 3], table=[0])
    good = pack([row], [3], 4)
    with pytest.raises(ValueError, match=r"query_lengths = \(2,\): expected lengths of 3 tokens"):
        type(good)(**{**vars(good), "query_lengths": (2,)})


if os.environ.get("LABUTILS_FULL") == "1":  # minutes, and a C++ compiler

    def test_compiled_flex_gives_what_the_specification_gives():
        pool = KVPool(SPEC, 40, 16)
        for half in (*pool.keys, *pool.values):
            half.normal_(generator=torch.Generator().manual_seed(4))
        for lengths in ((5, 60, 33, 16, 1, 17), (16, 44), (90,), (7, 8) * 5):
            rows, pages = sequences(lengths, seed=1), Pages(pool, seed=9)
            compare(pool, "flex", rows, pages, [1] * len(rows), atol=2e-6)


def test_triton_says_what_it_lacks(monkeypatch):
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    with pytest.raises(ValueError, match=r"'triton' on cpu: expected a CUDA device"):
        attention_path("triton", KVPool(SPEC, 2))


@pytest.mark.parametrize(
    "device, dtype, package, name",
    (
        ("cuda", torch.float32, ModuleType("triton"), "triton"),
        ("cuda", torch.bfloat16, ModuleType("triton"), "triton"),
        ("cuda", torch.float64, ModuleType("triton"), "gather"),
        ("cuda", torch.float32, None, "gather"),
        ("cpu", torch.float32, ModuleType("triton"), "gather"),
    ),
)
def test_auto_takes_triton_only_where_it_can_run(monkeypatch, device, dtype, package, name):
    monkeypatch.setitem(sys.modules, "triton", package)  # None: it cannot be imported
    assert best_path(torch.device(device), dtype) == name


@pytest.mark.gpu
def test_an_engine_in_double_precision_runs_on_a_gpu():
    model = LlamaModel(SPEC, dtype=torch.float64, device="cuda")
    engine = Engine(model)
    assert engine.runner.graphs is None
    assert engine.generate([[1, 2, 3]], max_output_tokens=4)[0].ok


@pytest.mark.gpu
@pytest.mark.parametrize("name", ("gather", "flex", "triton"))
@pytest.mark.parametrize("dtype, atol", ((torch.float32, 2e-5), (torch.bfloat16, 2e-2)))
def test_paths_on_a_gpu_give_what_the_specification_gives(name, dtype, atol):
    spec = small_spec(layers=1, num_heads=8, num_kv_heads=2, head_dim=64)
    pool = KVPool(spec, 200, 64, dtype=dtype, device="cuda")
    for half in (*pool.keys, *pool.values):
        half.normal_()
    for lengths, news in (
        ((700, 3, 64, 65, 1, 1999, 130), (1,) * 7),
        ((700, 3, 64, 950), (1, 1, 64, 333)),
    ):
        compare(pool, name, sequences(lengths, seed=1), Pages(pool, seed=9), news, atol=atol)


@pytest.mark.gpu
def test_a_captured_decode_step_holds_for_other_rows_and_lengths():
    spec = small_spec(layers=1, num_heads=8, num_kv_heads=2, head_dim=64)
    pool, results = KVPool(spec, 200, 64, dtype=torch.bfloat16, device="cuda"), []
    for half in (*pool.keys, *pool.values):
        half.normal_()
    steps, news = [], (1,) * 4
    for seed, lengths in ((1, (900, 3, 64, 65)), (2, (17, 899, 128, 1))):
        rows, pages = sequences(lengths, seed=seed), Pages(pool, seed=seed)
        for row in rows:
            pages.grow(row, len(row.tokens))
            row.computed = len(row.tokens) - 1
        steps.append(pack(rows, list(news), 64, device="cuda"))
    path, given = attention_path("triton", pool), tuple(line(spec, 4, torch.bfloat16, "cuda"))
    expected = attention_path("rows", pool).bind(steps[1])(0, *given)
    path.bind(steps[0])(0, *given)  # compiles
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results.append(path.bind(steps[0])(0, *given))
    for name in ("tokens", "positions", "slots", "tables"):
        getattr(steps[0], name).copy_(getattr(steps[1], name))
    graph.replay()
    torch.testing.assert_close(results[0], expected, rtol=0, atol=2e-2)


def line(spec, tokens, dtype, device):
    """Random queries, keys and values of a packed line, as the model lays them out."""
    draw = torch.Generator(device).manual_seed(tokens)
    return (
        torch.randn(1, tokens, heads, spec.head_dim, generator=draw, device=device)
        .to(dtype)
        .transpose(1, 2)
        for heads in (spec.num_heads, spec.num_kv_heads, spec.num_kv_heads)
    )


def compare(pool, name, rows, pages, news, *, atol):
    """One layer of one step by the path ``name`` and by the specification."""
    for row, new in zip(rows, news, strict=True):
        pages.grow(row, len(row.tokens))
        row.computed = len(row.tokens) - new
    step = pack(rows, list(news), pool.page_tokens, device=pool.device)
    given = tuple(line(pool.spec, sum(news), pool.dtype, pool.device))
    expected = attention_path("rows", pool).bind(step)(0, *given)
    found = attention_path(name, pool).bind(step)(0, *given)
    assert found.shape == expected.shape
    torch.testing.assert_close(found, expected, rtol=0, atol=atol)
