"""The course's own pair on its own prose, in float64, with a pool that is too small."""

import json

import pytest

from labutils import datafile
from labutils.engine import Engine, PagePool, Scheduler
from labutils.serving.checkpoints.checkpoint import course_model
from labutils.serving.speculation import LookupDraft, ModelDraft, Speculative
from tests.engine.jobs import require_empty, watched
from tests.rotation import in_turn

WIDE = in_turn(__file__)

COUNT = 100 if WIDE else 6
SEQUENCES = 10 if WIDE else 4


def prompts(tokenizer) -> list[list[int]]:
    lines = datafile("corpus.jsonl").read_text(encoding="utf-8").splitlines()
    step = len(lines) // COUNT
    texts = [tokenizer.encode(json.loads(line)["text"]) for line in lines[::step][:COUNT]]
    return [text[: 8 + at % 40] for at, text in enumerate(texts)]


@pytest.mark.timeout(900)
def test_greedy_answers_are_the_targets_with_preemption():
    target, tokenizer = course_model("target", dtype="float64")
    draft, words = course_model("draft", dtype="float64")
    asked = prompts(tokenizer)
    alone = Engine(target, max_sequences=SEQUENCES, num_pages=400)
    right = [one.answer for one in alone.generate(asked, max_output_tokens=24)]
    for guess in (ModelDraft(draft, tokenizer=words), LookupDraft()):
        pool = PagePool(3 * SEQUENCES, 8)
        scheduler = Scheduler(SEQUENCES, pool, token_budget=64, chunked=True)
        engine = Speculative(Engine(target, scheduler, tokenizer=tokenizer), guess, tokens=4)
        plans = watched(engine.engine)
        done = engine.generate(asked, max_output_tokens=24)
        require_empty(engine)
        assert [one.answer for one in done] == right
        assert sum(len(preempted) for _, preempted in plans) > 0
        least = (
            COUNT if isinstance(guess, ModelDraft) else 0
        )  # look-up finds little in short prompts
        assert sum(engine.tally.stayed) > least and not engine.repeated
