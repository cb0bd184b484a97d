"""Sampled answers of the whole engine, with drafts, have the distribution of the target alone."""

import pytest

from labutils.engine import Engine
from labutils.exercises.catalog.speculative_decoding import whole_engine as small
from labutils.exercises.catalog.speculative_decoding.continuations import WRONG_RULES
from labutils.serving.speculation import LookupDraft, ModelDraft, Speculative, speculative
from tests.conftest import only_full
from tests.rotation import in_turn

TARGET, DRAFT = small.small_pair()
ANSWERS = 20_000 if in_turn(__file__) else 3_000


class LikeliestDraft(ModelDraft):
    """Says what is likeliest, and hands on shares as if it had drawn."""

    def _choose(self, logits, requests):
        _, shares = super()._choose(logits, requests)
        return logits.argmax(-1).tolist(), shares


class HoledDraft(ModelDraft):
    """Believes to have read its own last draft, whose keys and values were never computed."""

    def _note(self, requests, read):
        super()._note(requests, [tokens + 1 for tokens in read])


def p_value(draft, answers=ANSWERS) -> float:
    engine = Speculative(Engine(TARGET, max_sequences=50), draft, tokens=2)
    found = small.p_value(engine, answers)
    assert engine.tally.verifications and not engine.repeated
    return found


def test_the_probabilities_of_all_answers_sum_to_one():
    assert len(small.chances()) == 81 and sum(small.chances().values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "draft", [ModelDraft(DRAFT), *only_full(LookupDraft())], ids=lambda one: type(one).__name__
)
def test_answers_are_distributed_as_the_targets(draft):
    assert p_value(draft) > 1e-3


@pytest.mark.parametrize("draft", [small.SurerDraft, *only_full(LikeliestDraft)])
def test_a_draft_that_hands_on_other_shares_than_it_drew_from_is_seen(draft):
    assert p_value(draft(DRAFT), 500) < 1e-6


def test_a_hole_in_the_drafts_memory_changes_no_answer_and_fewer_drafts_stay():
    """The target drafts for itself, so without the hole every draft stays."""
    prompts, told, stay = [[0, word, 1, 2 - word] for word in range(3)], [], []
    for draft in (ModelDraft, HoledDraft):
        engine = Speculative(Engine(TARGET), draft(TARGET), tokens=2)
        done = engine.generate(prompts, max_output_tokens=30)
        told.append([one.answer for one in done])
        stay.append(engine.tally.acceptance)
    assert told[0] == told[1] and stay[1] < stay[0] == 1


@pytest.mark.full
@pytest.mark.parametrize("rule", WRONG_RULES.values())
def test_a_wrong_rule_in_the_engine_is_seen(rule, monkeypatch):
    monkeypatch.setattr(speculative, "accepted", rule)
    assert p_value(ModelDraft(DRAFT), 3_000) < 1e-6
