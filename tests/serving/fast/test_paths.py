"""Every path against the specification, and the specification against the model without a cache."""

import sys
from types import ModuleType

import pytest
import torch

from labutils.engine import LlamaModel, small_spec
from labutils.engine.attention import KVMemory
from labutils.serving.fast import FastEngine, attention_path, best_path, pages_that_fit
from tests.engine.packing import Pages, Sequence, pack, random_steps

SPEC = small_spec(
    layers=2, hidden_size=60, num_heads=6, num_kv_heads=2, head_dim=14, ffn_size=77, vocab_size=131
)
EXACT = {"rtol": 0, "atol": 1e-10}
pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")


def memory_of(spec, num_pages, page_tokens, dtype=torch.float64, device="cpu"):
    return KVMemory(spec, num_pages, page_tokens, dtype=dtype, device=torch.device(device))


def fill(memory):
    """Random keys and values everywhere: what is read by mistake shows."""
    for half in (*memory.keys, *memory.values):
        half.normal_(std=30 if memory.keys.dtype == torch.float64 else 1)


def sequences(lengths, seed):
    given = torch.Generator().manual_seed(seed)
    return [Sequence(torch.randint(0, 131, (n,), generator=given).tolist()) for n in lengths]


def run(model, path, step):
    return model(step.tokens[None], step.positions[None], attend=path.bind(step), rows=step.last)[0]


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
    memory = memory_of(model.spec, 300 // page_tokens, page_tokens)
    path, rows = attention_path(name, memory), sequences((1, 2, 17, 41, 8, 29, 5), seed=page_tokens)
    whole = [model(torch.tensor([row.tokens]))[0] for row in rows]
    pages = Pages(300 // page_tokens, page_tokens, seed=3)
    most = 60 if name == "flex" else 9  # few steps: not compiled, it reads the whole memory
    for chosen, step in random_steps(rows, pages, seed=11 + page_tokens, most_new=most):
        logits = run(model, path, step)
        for sequence, length, found in zip(chosen, step.contexts, logits, strict=True):
            expected = next(w for w, r in zip(whole, rows, strict=True) if r is sequence)
            torch.testing.assert_close(found, expected[length - 1], **EXACT)
    assert all(sequence.computed == len(sequence.tokens) for sequence in rows)


@pytest.mark.parametrize("name", ("rows", "gather", "flex"))
def test_rows_may_share_pages(name):
    model, memory = LlamaModel(SPEC, dtype=torch.float64), memory_of(SPEC, 20, 4)
    first, second = sequences((13, 15), seed=2)
    second.tokens[:8] = first.tokens[:8]
    first.table, second.table, second.computed = [9, 3, 12, 5], [9, 3, 7, 1], 8
    path = attention_path(name, memory)
    run(model, path, pack([first], [12], 4))
    first.computed = 12
    found = run(model, path, pack([second, first], [7, 1], 4))
    for logits, row in zip(found, (second, first), strict=True):
        torch.testing.assert_close(logits, model(torch.tensor([row.tokens]))[0, -1], **EXACT)


@pytest.mark.parametrize("name", ("rows", "gather", "flex"))
def test_what_lies_behind_a_context_or_in_other_pages_is_not_read(name):
    memory, model = memory_of(SPEC, 12, 4), LlamaModel(SPEC, dtype=torch.float64)
    rows = sequences((6, 9, 11), seed=8)
    for row, table in zip(rows, ([2, 7], [11, 4, 5], [1, 8, 10]), strict=True):
        row.table = table
    fill(memory)
    path = attention_path(name, memory)
    run(model, path, pack(rows, [5, 8, 8], 4))
    for row, new in zip(rows, (5, 8, 8), strict=True):
        row.computed = new
    found = run(model, path, pack(rows, [1, 1, 3], 4))
    for logits, row in zip(found, rows, strict=True):
        torch.testing.assert_close(logits, model(torch.tensor([row.tokens]))[0, -1], **EXACT)


def test_an_unknown_path_is_refused():
    with pytest.raises(ValueError, match=r"name = 'fast': expected one of rows, gather.*auto"):
        attention_path("fast", memory_of(SPEC, 2, 4))


@pytest.mark.full  # minutes, and a C++ compiler
def test_compiled_flex_gives_what_the_specification_gives():
    memory = memory_of(SPEC, 40, 16, torch.float32)
    fill(memory)
    for lengths in ((5, 60, 33, 16, 1, 17), (16, 44), (90,), (7, 8) * 5):
        rows, pages = sequences(lengths, seed=1), Pages(40, 16, seed=9)
        compare(memory, "flex", SPEC, rows, pages, [1] * len(rows), atol=2e-6)


def test_triton_says_what_it_lacks(monkeypatch):
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    with pytest.raises(ValueError, match=r"'triton' on cpu: expected a CUDA device"):
        attention_path("triton", memory_of(SPEC, 2, 4))


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


def test_the_triton_path_hands_its_kernel_tables_and_lengths(monkeypatch):
    """A kernel in plain torch in the place of Triton's: mixed steps, decodes alone, graphs."""
    kernel = ModuleType("labutils.serving.fast.triton_kernel")

    def paged_attention(query, keys, values, tables, lengths, *, page_tokens, multiprocessors):
        assert multiprocessors == 16 and query.shape[1:] == (6, 14)
        mixed = torch.empty_like(query)
        for row, (table, length) in enumerate(zip(tables, lengths)):
            slots = (table[:, None] * page_tokens + torch.arange(page_tokens)).flatten()[:length]
            for head in range(6):
                scores = keys[head // 3, slots] @ query[row, head] * 14**-0.5
                mixed[row, head] = scores.softmax(0) @ values[head // 3, slots]
        return mixed

    kernel.paged_attention = paged_attention
    monkeypatch.setitem(sys.modules, "triton", ModuleType("triton"))
    monkeypatch.setitem(sys.modules, kernel.__name__, kernel)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    memory = memory_of(SPEC, 60, 5, torch.float32)
    fill(memory)
    path, rows = attention_path("triton", memory), sequences((1, 2, 17, 41, 8, 29, 5), seed=4)
    assert path.captures
    for _, step in random_steps(rows, Pages(60, 5, seed=3), seed=2):
        given = tuple(line(SPEC, len(step.tokens), torch.float32, "cpu"))
        found = path.bind(step)(1, *given)
        expected = attention_path("rows", memory).bind(step)(1, *given)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)


def test_default_memory_is_what_the_requests_can_fill_or_a_quarter_of_a_gib():
    model = LlamaModel(small_spec(layers=1, max_context=100))
    assert pages_that_fit(model, 16, 5) == 5 * 7
    assert FastEngine(model, max_sequences=5).pool.num_pages == 35
    per_page = 16 * model.spec.kv_bytes_per_token(4)
    assert pages_that_fit(model, 16, 10**9) == 2**28 // per_page
    assert FastEngine(model, num_pages=3).pool.num_pages == 3


@pytest.mark.gpu
def test_an_engine_in_double_precision_runs_on_a_gpu():
    engine = FastEngine(LlamaModel(SPEC, dtype=torch.float64, device="cuda"))
    assert engine.graphs is None
    assert engine.generate([[1, 2, 3]], max_output_tokens=4)[0].finish_reason == "length"


@pytest.mark.gpu
@pytest.mark.parametrize("name", ("gather", "flex", "triton"))
@pytest.mark.parametrize("dtype, atol", ((torch.float32, 2e-5), (torch.bfloat16, 2e-2)))
def test_paths_on_a_gpu_give_what_the_specification_gives(name, dtype, atol):
    spec = small_spec(layers=1, num_heads=8, num_kv_heads=2, head_dim=64)
    memory = memory_of(spec, 200, 64, dtype, "cuda")
    fill(memory)
    for lengths, news in (
        ((700, 3, 64, 65, 1, 1999, 130), (1,) * 7),
        ((700, 3, 64, 950), (1, 1, 64, 333)),
    ):
        rows, pages = sequences(lengths, seed=1), Pages(200, 64, seed=9)
        compare(memory, name, spec, rows, pages, news, atol=atol)


@pytest.mark.gpu
def test_recorded_decode_steps_hold_for_other_rows_and_lengths():
    """On pages of 64 tokens, contexts from 1 to 900; the logits of the path called anew.

    In float32: in bf16 a product of other rows beside it rounds by more than a mistake would.
    """
    spec = small_spec(layers=2, num_heads=8, num_kv_heads=2, head_dim=64, max_context=1024)
    model = LlamaModel(spec, device="cuda")
    engine = FastEngine(model, num_pages=200, page_tokens=64, max_sequences=5, graphs=True)
    fill(engine.memory)
    with torch.inference_mode():
        for seed, lengths in ((1, (900, 3, 64, 65)), (2, (17, 899, 128, 1)), (3, (66, 700, 5))):
            rows, pages = sequences(lengths, seed=seed), Pages(200, 64, seed=seed)
            for row in rows:
                pages.grow(row, len(row.tokens))
                row.computed = len(row.tokens) - 1
            step = pack(rows, [1] * len(rows), 64, device="cuda")
            expected, found = engine._computed(step), engine.graphs.logits(step)
            torch.testing.assert_close(found, expected, rtol=0, atol=1e-4)


def line(spec, tokens, dtype, device):
    """Random queries, keys and values of a packed line, as the model lays them out."""
    draw = torch.Generator(device).manual_seed(tokens)
    return (
        torch.randn(1, tokens, heads, spec.head_dim, generator=draw, device=device)
        .to(dtype)
        .transpose(1, 2)
        for heads in (spec.num_heads, spec.num_kv_heads, spec.num_kv_heads)
    )


def compare(memory, name, spec, rows, pages, news, *, atol):
    """One layer of one step by the path ``name`` and by the specification."""
    for row, new in zip(rows, news, strict=True):
        pages.grow(row, len(row.tokens))
        row.computed = len(row.tokens) - new
    step = pack(rows, list(news), memory.page_tokens, device=memory.keys.device)
    given = tuple(line(spec, sum(news), memory.keys.dtype, memory.keys.device))
    expected = attention_path("rows", memory).bind(step)(0, *given)
    found = attention_path(name, memory).bind(step)(0, *given)
    assert found.shape == expected.shape
    torch.testing.assert_close(found, expected, rtol=0, atol=atol)
