"""Pairs that do not fit, drafts that talk nonsense, and random lives."""

import pytest

from labutils.engine import Engine, LlamaModel, small_spec
from labutils.serving.fast import FastEngine
from labutils.serving.scheduling.audited import Audited
from labutils.serving.speculation import LookupDraft, ModelDraft, Proposal, Speculative
from labutils.workspace.my_engine.texts.course_engine import course_sources
from labutils.workspace.my_engine.texts.load_pieces import load
from tests.engine.jobs import Allergic, plain_answer, ragged_prompts, require_empty, tiny_model

from .drafts import Oracle, blurred, small_engine, speculative

SMALL = {"layers": 1, "hidden_size": 8, "num_heads": 2, "num_kv_heads": 1, "head_dim": 4}


class Words:
    """Reads a token as ``turn`` says."""

    def __init__(self, turn):
        self.turn = turn

    def decode(self, tokens):
        return str(self.turn(tokens[0]))


def test_another_vocabulary_is_refused():
    other = LlamaModel(small_spec(**SMALL, vocab_size=60, max_context=120))
    with pytest.raises(ValueError, match="vocabulary of 60 tokens: expected 61"):
        Speculative(small_engine(), ModelDraft(other))


def test_the_same_number_of_other_words_is_refused():
    engine = small_engine()
    engine.tokenizer = Words(lambda token: token)
    swapped = Words(lambda token: {7: 8, 8: 7}.get(token, token))
    with pytest.raises(ValueError, match="reads token 7 as '8': expected '7'"):
        Speculative(engine, ModelDraft(tiny_model(), tokenizer=swapped))
    Speculative(engine, ModelDraft(tiny_model(), tokenizer=Words(int)))


def test_a_shorter_context_is_refused():
    other = LlamaModel(small_spec(**SMALL, vocab_size=61, max_context=119))
    with pytest.raises(ValueError, match="context of 119 tokens: expected at least 120"):
        Speculative(small_engine(), ModelDraft(other))


@pytest.mark.parametrize("tokens", (-1, 2.5, "4", None))
def test_a_bad_number_of_drafts_is_refused(tokens):
    with pytest.raises(ValueError, match=r"tokens = .*: expected a whole number of at least 0"):
        Speculative(small_engine(), LookupDraft(), tokens=tokens)


def test_an_engine_that_reads_its_tokens_late_is_refused():
    with pytest.raises(ValueError, match="expected Engine"):
        Speculative(FastEngine(tiny_model()), LookupDraft())


@pytest.mark.parametrize("sizes", ({"longest": 0}, {"shortest": 0}, {"longest": 1, "shortest": 2}))
def test_bad_lengths_of_a_look_up_are_refused(sizes):
    with pytest.raises(ValueError, match="expected a whole number"):
        LookupDraft(**sizes)


def test_a_look_up_takes_the_longest_then_the_latest_place():
    draft = LookupDraft(longest=2)
    assert draft.followed([1, 2, 5, 9, 2, 6, 1, 2], 2) == [5, 9]
    assert draft.followed([2, 5, 9, 2, 6, 1, 2], 9) == [6, 1, 2]
    assert draft.followed([3, 3, 3], 4) == [3]
    assert draft.followed([1, 2, 3], 4) == draft.followed([1], 4) == draft.followed([4, 4], 0) == []
    assert LookupDraft(longest=3, shortest=2).followed([2, 5, 9, 2], 3) == []


class Says:
    def __init__(self, said):
        self.said = said

    def bind(self, engine):
        pass

    def propose(self, requests, counts):
        return [self.said(count) for count in counts]


@pytest.mark.parametrize(
    "said", (lambda count: Proposal([1] * (count + 1)), lambda count: 1 / 0), ids=("much", "raises")
)
def test_a_draft_that_fails_harms_no_request(said):
    engine = Speculative(small_engine(), Says(said))
    engine.add_request([1, 2, 3], id="a", max_output_tokens=6)
    engine.step()
    for _ in range(2):
        with pytest.raises((ValueError, ZeroDivisionError)):
            engine.step()
        engine.check()
    engine.draft = Oracle()
    engine.run()
    require_empty(engine)
    assert engine.requests["a"].answer == plain_answer([1, 2, 3], 6)


def test_drafts_that_the_model_cannot_read_end_no_request():
    engine = Speculative(small_engine(), Says(lambda count: Proposal([61] * count)))
    done = engine.generate([[1, 2, 3], [4, 5]], max_output_tokens=6)
    require_empty(engine)
    assert [one.answer for one in done] == [plain_answer(p, 6) for p in ([1, 2, 3], [4, 5])]
    assert engine.repeated and all(isinstance(one, IndexError) for one in engine.repeated)


def test_a_request_that_fails_fails_alone():
    engine = speculative("oracle", pages=60)
    engine.engine.model = Allergic(tiny_model())
    prompts = [[1, 2, 3], [4, 60, 5], [6, 7]]
    done = engine.generate(prompts, max_output_tokens=6)
    require_empty(engine)
    assert done[1].finish_reason == "failed"
    for at in (0, 2):
        right = plain_answer(prompts[at], 6)
        if 60 not in right[:-1]:
            assert done[at].answer == right


def test_an_audited_scheduler_finds_nothing_amiss():
    plain = small_engine()
    engine = Speculative(Engine(tiny_model(), Audited(plain.scheduler)), Oracle(lies=3), tokens=5)
    prompts = ragged_prompts(9, seed=6)
    done = engine.generate(prompts, max_output_tokens=10)
    assert [one.answer for one in done] == [plain_answer(p, 10) for p in prompts]
    engine.check()
    assert engine.pool.num_free == engine.pool.num_pages
    assert engine.tally.verifications and not engine.repeated


def test_an_engine_that_a_learner_wrote_is_wrapped_alike():
    room = load(course_sources())
    engine = Speculative(room.Engine(tiny_model(), num_pages=40), ModelDraft(blurred()))
    assert not isinstance(engine.engine, Engine)
    prompts = ragged_prompts(5, seed=7)
    done = engine.generate(prompts, max_output_tokens=10)
    assert [one.answer for one in done] == [plain_answer(p, 10) for p in prompts]
    require_empty(engine)
