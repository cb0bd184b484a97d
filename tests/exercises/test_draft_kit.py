"""What lab 7 runs beside its exercises: the learner's functions in their places, and races."""

import pytest
import torch

from labutils import engine as course
from labutils.engine import Generation
from labutils.exercises.catalog.speculative_decoding import lab7_runs as kit
from labutils.exercises.catalog.speculative_decoding.draft_texts import (
    KINDS,
    PROMPT_TOKENS,
    pieces_of,
)
from labutils.exercises.catalog.speculative_decoding.look_back import LOOK_BACK, on_text
from labutils.exercises.catalog.speculative_decoding.one_step import TOKENS, line_of, says
from labutils.llm.levers.speculation import speculation_speedup
from labutils.serving.speculation import LookupDraft, ModelDraft, Speculative, acceptance


def accepted_greedily(drafted, likeliest):
    """Refuses everything: right in what it answers, and no use."""
    return [likeliest[0]]


def missing(target, draft):
    """Right, in a style of its own."""
    owed = torch.where(target > draft, target - draft, 0.0)
    return owed if owed.any() else target


def test_what_passes_is_used_and_the_course_stands_in_for_the_rest(capsys):
    assert kit.usable(missing) is missing
    assert kit.usable(accepted_greedily) is acceptance.accepted_greedily
    said = capsys.readouterr().out
    assert kit.usable(acceptance.missing) is acceptance.missing and not capsys.readouterr().out
    assert "using yours" in said and "does not pass its check yet; using the workbook's" in said


def test_functions_take_their_places_in_a_class_of_their_own():
    mine = kit.speculative_with(accepted_greedily)
    assert mine is not Speculative
    answers = {}
    target, draft, _ = kit.pair()
    for kind in (Speculative, mine):
        engine = kind(kit.engine_for(course, target, 2, answer=8), ModelDraft(draft), tokens=2)
        done = engine.generate(pieces_of("code", 2), max_output_tokens=8)
        answers[kind] = [one.answer for one in done]
        assert any(engine.tally.stayed) == (kind is Speculative)
    assert answers[mine] == answers[Speculative]


def test_the_texts_are_frozen():
    """With another text, tokenizer or draw the acceptance of lab 7 is another number."""
    firsts = [sum(pieces_of(kind, 24)[0]) for kind in ("course text", "code")]
    assert firsts == [13258, 9894]


def test_words_under_other_numbers_are_refused_one_by_one_and_no_answer_changes():
    target, draft, _ = kit.pair()
    prompts = pieces_of("course text", 3)
    alone = kit.engine_for(course, target, 3, answer=8)
    right = [one.answer for one in alone.generate(prompts, max_output_tokens=8)]
    engine = Speculative(
        kit.engine_for(course, target, 3, answer=8), kit.Renumbered(draft), tokens=3
    )
    done = engine.generate(prompts, max_output_tokens=8)
    assert [one.answer for one in done] == right
    assert sum(engine.tally.stayed) < 0.2 * sum(engine.tally.tried)


def test_gains_with_one_share_are_those_of_the_formula():
    steps = {2: 0.010, 4: 0.012, 6: 0.015, 8: 0.019}
    found = kit.predicted_gains([0.6] * 4, steps, 0.002, batch=2)
    assert list(found) == [1, 2, 3]  # four drafts need a step of ten rows
    for drafts, gain in found.items():
        cost = steps[2 * (drafts + 1)] / steps[2]
        assert gain == pytest.approx(speculation_speedup(0.6, drafts, 0.2, verification_cost=cost))


def test_a_window_counts_steps_with_all_requests_open():
    target, _, _ = kit.pair()
    engine = kit.engine_for(course, target, 2, answer=8)
    seen = kit.window(engine, pieces_of("course text", 2), answer=8)
    assert (seen.tokens, seen.steps) == (12, 6)  # eight tokens each, two of them in warm steps
    assert seen.step_s == seen.seconds / 6 and seen.tokens_per_s == 12 / seen.seconds
    times = kit.step_seconds(course, target, (1, 3), answer=6, rounds=1)
    assert list(times) == [1, 3] and min(times.values()) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_are_the_same_in_each_run(kind):
    pieces = pieces_of(kind, 4)
    assert pieces == pieces_of(kind, 4) and {len(one) for one in pieces} == {PROMPT_TOKENS}
    assert len({tuple(one) for one in pieces}) == 4


def test_another_kind_is_named():
    with pytest.raises(ValueError, match="kind = 'prose': expected one of course text"):
        pieces_of("prose", 1)


def test_a_verification_that_lengthens_the_answer_is_told():
    def verification(chunks, drafted, page_tokens, device):
        from labutils.serving.speculation.stretch import verification

        for request, drafts in drafted.items():
            request.tokens += drafts
        return verification(chunks, {}, page_tokens, device)

    got = line_of(verification)([(3, 2, 1, [91])], 4)
    assert got == TOKENS == says(got, {})
    assert Generation("a", [1], 2).tokens == [1]


def test_a_look_up_of_the_learners_is_found():
    def followed(self, text, count):
        return LookupDraft.followed(self, text, count)

    assert kit.usable(followed) is followed


def test_steps_of_a_request_make_up_its_answer():
    target, draft, _ = kit.pair()
    (prompt,) = pieces_of("course text", 1)
    engine = Speculative(kit.engine_for(course, target, 1, answer=12), ModelDraft(draft), tokens=3)
    steps = kit.steps_of(engine, prompt, answer=12)
    (request,) = engine.requests.values()
    assert [token for _, got in steps for token in got] == request.answer[1:]
    for drafted, got in steps:
        assert got[: len(got) - 1] == drafted[: len(got) - 1] and len(got) <= len(drafted) + 1


def test_a_draft_keeps_its_lengths_for_the_next_text():
    def followed(self, text, count):
        self.longest = min(self.longest, len(text) - 1)
        return LookupDraft.followed(self, text, count)

    verdict = LOOK_BACK.judge(on_text(followed))
    assert not verdict.passed and "the next text needs it as it was" in str(verdict)
