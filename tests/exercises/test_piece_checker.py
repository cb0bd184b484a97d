"""A piece is tried twice, in the notebook and by itself: what differs must be the notebook's."""

import dataclasses
import inspect
import textwrap

from labutils.engine import Scheduler
from labutils.exercises.catalog.continuous_batcher.finish import FINISH
from labutils.exercises.catalog.kv_cache.memory.hidden import HIDDEN
from labutils.exercises.checkers.code import function as function_checker, piece as piece_checker
from labutils.exercises.comparing import draws
from labutils.exercises.definition.verdict import Status


def test_both_trials_of_a_piece_draw_the_same_inputs(monkeypatch, tmp_path):
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path))
    seeds, draw = [], draws.draw

    def noted(strategy, **options):
        seeds.append(options["seed"])
        return draw(strategy, **options)

    monkeypatch.setattr(function_checker.draws, "draw", noted)
    assert "Kept in" in FINISH.checker.check(Scheduler.finish).note
    assert len(seeds) == 2 and len(set(seeds)) == 1
    FINISH.checker.check(Scheduler.finish)
    assert len(set(seeds)) == 2


def test_what_fails_by_itself_shows_its_case(monkeypatch):
    release = "self.pool.release(request)"
    leaks = textwrap.dedent(inspect.getsource(Scheduler.finish).replace(release, "pass"))
    target = FINISH.checker.targets[0]
    monkeypatch.setattr(piece_checker, "sources", lambda functions: {target: leaks})
    verdict = FINISH.checker.check(Scheduler.finish)
    assert verdict.status is Status.right and "Not kept" in verdict.note
    assert "keeps its pages" in verdict.note and "expected" in verdict.detail


def test_a_mask_with_wrong_numbers_is_shown_with_the_type_that_it_has():
    def hidden(self, seen, slots):
        return self.keys.new_full((len(seen), slots), -3.0)

    verdict = HIDDEN.checker.check(hidden)
    assert verdict.status is Status.wrong
    expected, got = (line.split(maxsplit=1)[1] for line in verdict.detail.splitlines()[-2:])
    assert expected.replace("[[0.0]]", "[[-3.0]]") == got


def test_a_method_that_would_be_lost_is_named():
    class Mine:
        def finish(self, request):
            return [self._let_go(one) for one in [request]]

        def _let_go(self, request):
            Scheduler.finish(self, request)

        def _not_called(self):
            pass

    checker = dataclasses.replace(FINISH.checker, targets=("scheduler:Scheduler.finish",))
    verdict = checker.check(Mine)
    assert verdict.status is Status.unreadable and "`_let_go`" in verdict.message


def test_a_function_of_another_name_is_not_called_an_object():
    def my_finish(self, request):
        Scheduler.finish(self, request)

    verdict = FINISH.checker.check(my_finish)
    assert verdict.status is Status.unreadable and "parentheses" not in verdict.message
    assert "of the name `finish`" in verdict.message and "`my_finish`" in verdict.message
