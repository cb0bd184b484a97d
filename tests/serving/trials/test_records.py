"""Notes of an engine's steps: shapes as the auditor counts them, pages, slots, a book to draw."""

from types import SimpleNamespace

import numpy as np
import pytest

from labutils.engine import Engine, LlamaModel, PagePool, Request, Scheduler, small_spec
from labutils.serving.memory import ContiguousReservation
from labutils.serving.scheduling import Audited
from labutils.serving.simulator.plain import Simulation
from labutils.serving.trials import StepBook, StepLog


@pytest.fixture(scope="module")
def model():
    return LlamaModel(small_spec(layers=1, hidden_size=24, num_heads=2, num_kv_heads=1, head_dim=12,
                                 ffn_size=20, vocab_size=61))  # fmt: skip


def served(model, notes, pool, *, seed, max_sequences=3, token_budget=9):
    """An engine that has served some requests of odd lengths, with ``notes`` taken."""
    scheduler = Scheduler(max_sequences, pool, token_budget=token_budget, chunked=True)
    engine, draws = Engine(model, scheduler, prefix_sharing=False), np.random.default_rng(seed)
    engine.on_step = notes
    for prompt, answer in draws.integers(1, 15, (9, 2)).tolist():
        engine.add_request(draws.integers(61, size=prompt).tolist(), max_output_tokens=answer)
    engine.run()
    return engine


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_shapes_are_those_of_the_auditor(model, seed):
    """Small memory, so that requests are preempted and compute again."""

    class Recorded(Audited):
        def schedule(self, now_s):
            plan = super().schedule(now_s)
            if plan is not None:
                shapes.append(tuple(self.shape))
            return plan

    log, lengths, shapes = StepLog(), np.random.default_rng(seed).integers(1, 15, (9, 2)), []
    engine = served(model, log, PagePool(8, 4), seed=seed)
    audited = Recorded(Scheduler(3, PagePool(8, 4), token_budget=9, chunked=True))
    requests = [Request(row, *map(int, pair)) for row, pair in enumerate(lengths)]
    cost = SimpleNamespace(time_s=lambda shape: 1.0)
    Simulation(iter([(one, one.max_output_tokens) for one in requests]), audited, cost).run()
    assert any(record.preempted for record in log.records)
    assert [tuple(shape) for shape in log.shapes] == shapes
    tokens = sum(len(one.answer) for one in engine.requests.values())
    assert sum(record.outputs for record in log.records) == tokens
    assert all(0 < record.pages_in_use <= 8 for record in log.records)


def test_steps_by_hand(model):
    """A prompt of 5 in chunks of 3 and 2, then two decodes of contexts 6 and 7."""
    log, told = StepLog(also=lambda engine, plan: told.append(len(plan.chunks))), []
    engine = Engine(model, Scheduler(1, PagePool(9, 4), token_budget=3, chunked=True))
    engine.on_step, begin_s = log, engine.clock()
    engine.add_request([3, 1, 4, 1, 5], max_output_tokens=3)
    engine.run()
    assert [tuple(shape) for shape in log.shapes] == [
        (3, 6, 0, 0), (2, 2 * 3 + 3, 0, 0), (0, 0, 1, 6), (0, 0, 1, 7),
    ]  # fmt: skip
    assert [record.outputs for record in log.records] == [0, 1, 1, 1]
    assert [record.pages_in_use for record in log.records] == [2, 2, 2, 2]
    assert told == [1, 1, 1, 1]
    ends = [record.end_s for record in log.records]
    assert log.durations_s(begin_s).sum() == pytest.approx(ends[-1] - begin_s)


def test_a_last_chunk_of_one_token_decodes(model):
    log = StepLog()
    engine = Engine(model, Scheduler(1, PagePool(9, 4), token_budget=2, chunked=True))
    engine.on_step = log
    engine.add_request([3, 1, 4], max_output_tokens=1)
    engine.run()
    assert [tuple(shape) for shape in log.shapes] == [(2, 3, 0, 0), (0, 0, 1, 3)]


@pytest.mark.parametrize("pool", [lambda: PagePool(9, 4), lambda: ContiguousReservation(50)])
def test_the_book_counts_slots(model, pool):
    book = StepBook()
    served(model, book, pool(), seed=4)
    assert book.total in (36, 50) and len(book.ids) == 9
    assert all(
        0 < filled <= reserved <= book.total for filled, reserved in zip(book.filled, book.reserved)
    )
    assert book.waiting[0] > 0 == book.waiting[-1] and book.ended_by[0] == 0
    assert book.ended_by == sorted(book.ended_by) and book.ended_by[-1] >= 6
    assert 0 < book.filled_share < 1
    first = book.plans[0]
    assert not first.decodes and first.shape.prefill_tokens == sum(new for _, new in first.chunks)
    for plan in book.plans:
        assert len(plan.decodes) == plan.shape.decode_sequences
