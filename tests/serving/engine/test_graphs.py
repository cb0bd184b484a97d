"""Padding and buffers of recorded steps, with a recorder that a CPU can play; and GPU runs."""

import pytest
import torch

from labutils.serving import Engine, LlamaModel, small_spec
from labutils.serving.step_graphs import batch_sizes

from .jobs import Echo, answers_of, echo_answer, ragged_prompts, tiny_model

PROMPTS = [*([n] * n for n in range(1, 7)), *ragged_prompts(9, seed=21)]
LENGTHS = [4 * n for n in range(1, 7)] + [1 + 5 * at % 17 for at in range(9)]


def test_sizes_grow_and_end_with_the_largest():
    assert batch_sizes(1) == [1]
    assert batch_sizes(5) == [1, 2, 4, 5]
    assert batch_sizes(100) == [1, 2, 4, 8, 16, 32, 64, 96, 100]


class BlindEcho(Echo):
    """Echo as a graph has to work: it sees tensors alone, and only writes where they say."""

    captures = True

    def _write_and_read(self, step):
        lengths = (
            (step.positions + 1).tolist() if hasattr(step, "recorded") else step.context_lengths
        )
        object.__setattr__(step, "context_lengths", lengths)
        return super()._write_and_read(step)


def record(compute, step):
    """What a graph does: the same step again, whatever its buffers hold by now."""
    object.__setattr__(step, "recorded", True)
    recorded.append(step)
    return lambda: compute(step)


recorded: list = []


def test_steps_are_padded_to_a_size_and_pads_touch_nothing():
    recorded.clear()
    engine = Engine(tiny_model(), max_sequences=6, page_tokens=4, num_pages=60, token_budget=30)
    echo = BlindEcho(engine)
    echo.memory = torch.full((61 * 4,), -1).numpy()  # and the spare page
    engine.runner.graphs = engine.runner._record(6, record)
    replayed = spy_on(engine.runner.graphs)
    expected = [echo_answer(prompt, n) for prompt, n in zip(PROMPTS, LENGTHS)]
    assert answers_of(engine, PROMPTS, LENGTHS) == expected
    assert [len(step.tokens) for step in recorded] == [6, 4, 2, 1]
    assert {rows for rows, found in replayed if found} == {1, 2, 3, 4, 5, 6}
    assert 0 < sum(found for _, found in replayed) < len(replayed)  # prompts have no graph
    assert set(echo.memory[-4:]) == {0, -1}


def spy_on(graphs):
    """(rows, whether a graph was found) of every step."""
    seen, logits = [], graphs.logits

    def spy(step):
        found = logits(step)
        seen.append((len(step.tables), found is not None))
        assert found is None or len(found) == len(step.tables)
        return found

    graphs.logits = spy
    return seen


def test_a_path_that_cannot_be_recorded_is_refused():
    with pytest.raises(ValueError, match="expected an attention path that can be recorded"):
        Engine(tiny_model(), graphs=True, attention="gather")


def test_where_recording_fails_the_engine_says_so_and_serves_without():
    def broken(compute, step):
        raise RuntimeError("out of graphs")

    engine = Engine(tiny_model())
    echo = BlindEcho(engine)
    echo.memory = torch.full((4096,), -1).numpy()
    with pytest.warns(RuntimeWarning, match="no CUDA graphs: out of graphs"):
        engine.runner.graphs = engine.runner._record(4, broken)
    answer = engine.generate([[1, 2, 3]], max_output_tokens=3)[0]
    assert list(answer.tokens) == echo_answer([1, 2, 3], 3)


@pytest.fixture(scope="module")
def gpu_model():
    spec = small_spec(layers=3, head_dim=64, num_heads=8, num_kv_heads=2, qk_norm=True)
    return LlamaModel(spec, device="cuda")


@pytest.mark.gpu
@pytest.mark.parametrize(
    "path, graphs",
    (("rows", False), ("gather", False), ("flex", False), ("triton", False), ("triton", True)),
)
def test_on_a_gpu_answers_are_those_of_the_plain_engine(gpu_model, path, graphs):
    """In float32, where the margin is far above what another order of sums changes."""
    prompts = ragged_prompts(40, seed=3, longest=300, vocabulary=1024)
    lengths = [1 + 7 * at % 40 for at in range(40)]
    plain = Engine(gpu_model, max_sequences=1, attention="rows", overlap=False)
    engine = Engine(gpu_model, max_sequences=11, attention=path, graphs=graphs)
    right, got = answers_of(plain, prompts, lengths), answers_of(engine, prompts, lengths)
    assert engine.overlap and (engine.runner.graphs is not None) == graphs
    assert sum(a == b for a, b in zip(right, got)) >= 38


@pytest.mark.gpu
@pytest.mark.parametrize("graphs", (False, True))
def test_on_a_gpu_in_bf16_logits_stay_within_a_twentieth(gpu_model, graphs):
    """Teacher-forced by the engine's own answers, against one pass in float32 of the same weights.

    A bf16 number has 8 bits: a relative error of 2^-9, which layers add up. Of the standard
    deviation of the logits, 5 % in the mean is the tolerance here.
    """
    model = LlamaModel(gpu_model.spec, device="cuda", dtype=torch.bfloat16)
    model.load_state_dict(gpu_model.state_dict())
    exact = LlamaModel(gpu_model.spec, device="cuda")
    exact.load_state_dict(model.state_dict())
    engine, seen = Engine(model, max_sequences=11, graphs=graphs), {}
    choose = engine.runner._choose

    def spy(logits, parts, rows):
        for part, row in zip(parts, logits.float()):
            seen.setdefault(part.request.id, []).append(row)
        return choose(logits, parts, rows)

    engine.runner._choose = spy
    prompts = ragged_prompts(20, seed=4, longest=200, vocabulary=1024)
    answers = answers_of(engine, prompts, [12] * 20)
    for at, (prompt, answer) in enumerate(zip(prompts, answers)):
        text = torch.tensor([prompt + answer], device="cuda")
        logits = exact(text)[0, len(prompt) - 1 : -1]
        error = (torch.stack(seen[at]) - logits).abs().mean() / logits.std()
        assert error < 0.05
