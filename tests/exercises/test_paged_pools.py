"""The pools of lab 5 run where the engine's own block manager runs, to the same end."""

import numpy as np
import pytest

from labutils.exercises.catalog.paged_kv_cache import kit, pools
from labutils.exercises.catalog.paged_kv_cache.oracles import Forgetful
from labutils.serving import BlockManager, Continuous, PageLeak, StepCost, simulate

COST = StepCost(0.15, per_prefill_token_s=1e-4, per_sequence_s=1e-4)


def run(blocks, talks, answers, *, chunked=True):
    scheduler = Continuous(12, blocks, token_budget=96, chunked=chunked)
    return simulate(talks, scheduler, COST, output_tokens=answers)


@pytest.mark.parametrize(
    ("size", "page", "chunked"), [(85, 16, True), (47, 32, True), (190, 7, False)]
)
def test_the_whole_pool_serves_like_the_block_manager(size, page, chunked):
    talks, answers = kit.sessions(12, 3, seed=size, common=50)
    ours = run(pools.Evicting(size, page), talks, answers, chunked=chunked)
    theirs = run(BlockManager(size, page), talks, answers, chunked=chunked)
    assert np.array_equal(ours.log.ttft_s, theirs.log.ttft_s)
    assert np.array_equal(ours.log.finish_s, theirs.log.finish_s)
    for name in ("hit_rate", "preemptions", "pages_in_use"):
        assert np.array_equal(getattr(ours.telemetry, name), getattr(theirs.telemetry, name))
    assert ours.telemetry.preemptions.sum() > 0


def test_each_step_finds_more_than_the_one_before():
    talks, answers = kit.sessions(8, 3, seed=2)
    rates = [
        run(kind(800, 16), talks, answers).telemetry.hit_rate[-1]
        for kind in (pools.Pages, Forgetful, pools.Sharing, pools.Evicting)
    ]
    assert rates[0] == 0 < rates[1] == rates[2] < rates[3]


def test_the_books_notice_what_does_not_add_up():
    pool = pools.Evicting(9, 4)
    pool.allocate("a", 13)
    pool.check()
    page = pool.held["a"].pop()
    with pytest.raises(PageLeak, match="lost"):
        pool.check()
    pool.held["a"].append(page)
    pool.blank.append(page)
    with pytest.raises(PageLeak, match="twice"):
        pool.check()
    pool.blank.pop()
    pool.owners[page] = 2
    with pytest.raises(PageLeak, match="miscounted"):
        pool.check()


def test_a_layout_names_pages_by_where_they_stand():
    pool = pools.Sharing(9, 4)
    pool.allocate("a", 13, ("k", "kl", "klm"))
    pool.publish("a", 13)
    assert pool.allocate("b", 11, ("k", "kl")) == 8
    assert pool.layout() == {"a": [0, 1, 2, 3], "b": [0, 1, 4]}
    assert pool.attempt("allocate", "c", 40) == "OutOfBlocks"
    assert pool.audit() == {"free": 4, "lost": 0, "twice": 0, "miscounted": 0}


def test_a_served_job_counts_what_its_log_says():
    torch = pytest.importorskip("torch")
    from labutils.serving import LlamaModel, small_spec

    model = LlamaModel(small_spec(layers=1, hidden_size=32, vocab_size=64), init_std=0.1)
    job = kit.make_job(7, limit=64, vocabulary=64, seed=3, common=9)
    with torch.inference_mode():
        served = kit.serve(model, pools.Evicting(11, 8), job, budget=64)
    assert [len(answer) for answer in served.answers] == list(job.outputs)
    crowded = [len(moment.tokens) for moment in served.crowded]
    assert served.inside == pytest.approx(np.mean(crowded))
    held = [sum(moment.tokens.values()) for moment in served.crowded]
    assert served.filled_share(88) == pytest.approx(np.mean(held) / 88)
    assert job.trace.prompt_tokens.tolist() == [len(prompt) for prompt in job.prompts]
