"""Padding and buffers of recorded steps, with a recorder that a CPU can play; and GPU runs."""

import pytest
import torch

from labutils.engine import LlamaModel, small_spec
from labutils.serving.fast import FastEngine
from labutils.serving.fast.step_graphs import batch_sizes
from tests.engine.echo import Echo, echo_answer
from tests.engine.jobs import answers_of, plain_answer, ragged_prompts, tiny_model

PROMPTS = [*([n] * n for n in range(1, 7)), *ragged_prompts(9, seed=21)]
LENGTHS = [4 * n for n in range(1, 7)] + [1 + 5 * at % 17 for at in range(9)]


def test_sizes_grow_and_end_with_the_largest():
    assert batch_sizes(1) == [1]
    assert batch_sizes(5) == [1, 2, 4, 5]
    assert batch_sizes(100) == [1, 2, 4, 8, 16, 32, 64, 96, 100]


class Recorder:
    """What a graph does: the same step again, whatever its buffers hold by now."""

    def __init__(self):
        self.steps = []

    def __call__(self, compute, step):
        self.steps.append(step)
        compute(step)  # warms up
        return lambda: compute(step)


class BlindEcho(Echo, FastEngine):
    """Echo as a graph has to work: it sees tensors alone, and only writes where they say."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.attention.captures, self.record, self.replayed, self.texts = True, Recorder(), [], None
        self.graphs = self._recorded(self.record)

    def _computed(self, step):
        """One row after the other from its table, and a context as long as its position says."""
        self.token_in.update(zip(step.slots.tolist(), step.tokens.tolist()))
        logits = torch.zeros(len(step.last), 61)
        for line, table, place in zip(logits, step.tables, step.positions.tolist()):
            pages = [int(page) for page in table]
            context = [self.token_in[pages[at // 4] * 4 + at % 4] for at in range(place + 1)]
            line[echo_answer(context, 1)[0]] = 1.0
        return logits

    def _logits(self, step):
        replayed = self.graphs.logits(step)
        self.replayed.append((len(step.tables), replayed is not None))
        expected = super()._logits(step)
        if replayed is not None:
            assert torch.equal(replayed, expected)
        return expected


@pytest.mark.parametrize("overlap", (False, True))
def test_steps_are_padded_to_a_size_and_pads_touch_nothing(overlap):
    """Echo compares every context with its text: whatever a pad wrote would show in the next."""
    options = {"max_sequences": 6, "page_tokens": 4, "num_pages": 60, "token_budget": 30}
    engine = BlindEcho(tiny_model(), overlap=overlap, **options)
    expected = [echo_answer(prompt, n) for prompt, n in zip(PROMPTS, LENGTHS)]
    assert answers_of(engine, PROMPTS, LENGTHS) == expected
    assert [len(step.tokens) for step in engine.record.steps] == [6, 4, 2, 1]
    assert {rows for rows, found in engine.replayed if found} == {1, 2, 3, 4, 5, 6}
    assert 0 < sum(found for _, found in engine.replayed) < len(engine.replayed)  # not prompts


class OnTensors:
    """The specification of attention, for steps whose tables and lengths are tensors."""

    captures = True

    def __init__(self, path):
        self.path = path

    def bind(self, step):
        if isinstance(step.tables, torch.Tensor):
            lengths = (step.positions + 1).tolist()
            tables = [table[: -(-n // 4)].tolist() for table, n in zip(step.tables, lengths)]
            step = type(step)(**{**vars(step), "contexts": lengths, "tables": tables})
        return self.path.bind(step)


def test_replayed_logits_are_those_of_the_model():
    engine = FastEngine(tiny_model(), max_sequences=5, page_tokens=4, num_pages=70, overlap=True)
    engine.attention = OnTensors(engine.attention)
    engine.graphs = engine._recorded(Recorder())
    right = [plain_answer(prompt, n) for prompt, n in zip(PROMPTS, LENGTHS)]
    assert answers_of(engine, PROMPTS, LENGTHS) == right


def test_a_path_that_cannot_be_recorded_is_refused():
    with pytest.raises(ValueError, match="expected an attention path that can be recorded"):
        FastEngine(tiny_model(), graphs=True, attention="gather")


def test_where_recording_fails_the_engine_says_so_and_serves_without():
    def broken(compute, step):
        raise RuntimeError("out of graphs")

    engine = FastEngine(tiny_model())
    engine.attention.captures = True
    with pytest.warns(RuntimeWarning, match="no CUDA graphs: out of graphs"):
        engine.graphs = engine._recorded(broken)
    request = engine.generate([[1, 2, 3]], max_output_tokens=3)[0]
    assert request.answer == plain_answer([1, 2, 3], 3)


@pytest.fixture(scope="module")
def gpu_model():
    spec = small_spec(layers=3, head_dim=64, num_heads=8, num_kv_heads=2, qk_norm=True)
    return LlamaModel(spec, device="cuda")


@pytest.mark.gpu
@pytest.mark.parametrize(
    "path, graphs",
    (("rows", False), ("gather", False), ("flex", False), ("triton", False), ("triton", True)),
)
def test_on_a_gpu_answers_are_those_of_the_specification(gpu_model, path, graphs):
    """In float32, where the margin is far above what another order of sums changes."""
    prompts = ragged_prompts(40, seed=3, longest=300, vocabulary=1024)
    lengths = [1 + 7 * at % 40 for at in range(40)]
    plain = FastEngine(gpu_model, max_sequences=1, attention="rows", overlap=False)
    engine = FastEngine(gpu_model, max_sequences=11, attention=path, graphs=graphs)
    right, got = answers_of(plain, prompts, lengths), answers_of(engine, prompts, lengths)
    assert engine.overlap and (engine.graphs is not None) == graphs
    assert sum(a == b for a, b in zip(right, got)) >= 38


class Seeing(FastEngine):
    """Keeps the logits behind every token of every answer."""

    def _forward(self, chunks):
        super()._forward(chunks)
        for request, row in zip(self._parts[-1].rows, self.newest, strict=True):
            self.seen.setdefault(request.id, []).append(row.clone())
        return []

    def _logits(self, step):
        self.newest = super()._logits(step).float()
        return self.newest


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
    engine = Seeing(model, max_sequences=11, graphs=graphs)
    engine.seen = {}
    prompts = ragged_prompts(20, seed=4, longest=200, vocabulary=1024)
    answers = answers_of(engine, prompts, [12] * 20)
    for at, (prompt, answer) in enumerate(zip(prompts, answers)):
        text = torch.tensor([prompt + answer], device="cuda")
        logits = exact(text)[0, len(prompt) - 1 : -1]
        error = (torch.stack(engine.seen[at]) - logits).abs().mean() / logits.std()
        assert error < 0.05
