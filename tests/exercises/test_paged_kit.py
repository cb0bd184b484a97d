"""What lab 5 runs: its job has real answers, its log is counted right, its table says what ties."""

from types import SimpleNamespace

import numpy as np
import pytest

from labutils import engine as course
from labutils.exercises.catalog.paged_kv_cache import decode_step, lab5_runs
from labutils.llm import accelerator, model
from labutils.serving.memory import ContiguousReservation
from labutils.serving.simulator import StepCost, simulate

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def job():
    return lab5_runs.glossary_job(9, limit=150)


@pytest.fixture(scope="module")
def target():
    from labutils.serving.checkpoints import course_model

    return course_model(dtype=torch.float64)[0]


def test_a_job_is_text_of_the_glossary_and_ends_with_full_stops(job):
    from labutils.serving.checkpoints import course_model

    tokenizer = course_model()[1]
    texts = [tokenizer.decode(list(prompt)) for prompt in job.prompts]
    assert all(text.startswith(lab5_runs.INSTRUCTIONS) for text in texts)
    assert len(set(texts)) == 9 and len(set(job.outputs)) > 3
    assert all(length <= 150 for length in job.lengths)
    assert job.trace.prompt_tokens.tolist() == [len(prompt) for prompt in job.prompts]


def test_served_in_any_memory_the_answers_are_the_same_and_counted_from_the_log(job, target):
    runs = [
        lab5_runs.serve(course, target, pool, job, prefix_sharing=sharing)
        for pool, sharing in (
            (ContiguousReservation(450), False),
            (course.PagePool(28, 16), False),
            (course.PagePool(28, 16), True),
        )
    ]
    for run in runs:
        assert run.answers == runs[0].answers
        assert [len(answer) for answer in run.answers] == list(job.outputs)
        waiting = [moment for moment in run.log.moments if moment.waiting]
        assert run.running == pytest.approx(np.mean([len(moment.tokens) for moment in waiting]))
        held = [sum(moment.tokens.values()) for moment in waiting]
        assert run.filled_share(450) == pytest.approx(np.mean(held) / 450)
        preempted = [one for moment in run.log.moments for one in moment.preempted]
        assert run.preempted == len(preempted)
    assert runs[0].running <= 3 < runs[1].running < runs[2].running


def test_a_request_that_fails_raises_its_error(job):
    from labutils.engine import LlamaModel, small_spec

    class Broken(LlamaModel):
        def forward(self, *args, **options):
            raise ArithmeticError("no numbers today")

    with pytest.raises(ArithmeticError, match="no numbers"):
        lab5_runs.serve(course, Broken(small_spec(vocab_size=1024)), course.PagePool(40, 16), job)


@pytest.mark.parametrize("size", [230, 700])
def test_a_forgetful_pool_finds_less_than_one_that_keeps_idle_pages(size):
    talks, answers = lab5_runs.sessions(course, 12, 3, seed=size)
    cost = StepCost.from_roofline(model("Llama-3.1-8B"), accelerator("H100 SXM"))
    runs = []
    for pool in (lab5_runs.forgetful(course.PagePool), course.PagePool):
        scheduler = course.Scheduler(16, pool(size, 16), token_budget=300, chunked=True)
        runs.append(simulate(talks, scheduler, cost, output_tokens=answers))
    assert runs[0].telemetry.hit_rate[-1] < runs[1].telemetry.hit_rate[-1]
    assert len(runs[1].ids) == 36


def test_one_step_three_ways_mixes_the_same():
    from labutils.engine import small_spec

    spec = small_spec(layers=2, num_heads=6, num_kv_heads=3, head_dim=4)
    calls = decode_step.decode_calls(
        course, spec, batch=5, context=23, page_tokens=7, seed=3,
        number={"dtype": torch.float64, "device": "cpu"},
    )  # fmt: skip
    mixed = [call() for call in calls.values()]
    assert mixed[0].shape == (3, 2, 5, 4)
    assert all(torch.allclose(mixed[0], other) for other in mixed[1:])


def test_the_verdict_names_neighbours_that_cannot_be_told_apart():
    ran = {
        "slow": [SimpleNamespace(wall_s=3.0), SimpleNamespace(wall_s=3.4)],
        "middle": [SimpleNamespace(wall_s=2.0), SimpleNamespace(wall_s=2.2)],
        "fast": [SimpleNamespace(wall_s=1.9), SimpleNamespace(wall_s=2.1)],
    }
    assert lab5_runs.verdict(ran) == "Not told apart in these rounds: 'middle' and 'fast'."
    del ran["middle"]
    assert lab5_runs.verdict(ran).startswith("Every round")
