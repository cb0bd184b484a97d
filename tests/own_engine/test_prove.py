"""The proof of an engine: it holds for the course's own, and planted faults do not pass."""

import pytest

from labutils.engine.scheduler import Plan
from labutils.workspace.my_engine.prove import prove
from labutils.workspace.my_engine.texts.assemble import with_functions
from labutils.workspace.my_engine.texts.course_engine import course_sources
from labutils.workspace.my_engine.texts.load_pieces import load

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("seed", (1, 2, 5))
def test_the_courses_engine_agrees_with_itself_and_the_jobs_hold_what_they_say(seed):
    proof = prove(load(course_sources(), fresh=True), seed=seed)
    assert proof.holds, proof
    crowded, alike, mixed = (part.expected for part in proof.parts)
    assert crowded.preemptions > 3 and alike.cached_tokens > 100
    assert {reason for _, reason in mixed.answers} == {"length", "stop", "cancelled"}
    assert "token-exact" in repr(proof)


def newest_first(self):
    page = next(reversed(self.idle))
    del self.idle[page], self.page_of[self.key_of.pop(page)]
    self.blank.append(page)


def keeps_the_key(self):
    page = next(iter(self.idle))
    del self.idle[page]
    self.blank.append(page)


def head_first(self, request):
    for page in request.pages:
        self.owners[page] -= 1
        if not self.owners[page]:
            self.drop(page)
    request.pages, request.room, request.computed = [], 0, 0


def never_publishes(self, plan):
    for request, new in plan.chunks:
        request.computed += new
        if request.computed == request.known:
            request.known += 1


def one_page_short(pages, start, end, page_tokens):
    return [pages[token // page_tokens] * page_tokens for token in range(start, end)]


def goes_to_the_back(self, plan):
    newest = next(one for one in reversed(self.running) if one.to_compute)
    self.running.remove(newest)
    self.pool.release(newest)
    newest.preemptions += 1
    self.wait(newest)
    plan.preempted.append(newest)
    return newest


def never_plans(self, now_s):
    return None


def tells_twice(self, tokens):
    told = [(request.id, token) for request, token in tokens]
    for request, token in tokens:
        reason = request.take(token, 0.0)
        request.on_token(request.id, token)
        request.on_token(request.id, token)
        if reason is not None:
            self._end(request, reason)
    return told


def waits_in_step(self, now_s):
    plan = Plan([], [])
    self._prefill(plan)
    self._decode(plan)
    return plan if plan.chunks or plan.preempted else None


FAULTS = {
    "pages:PagePool.evict": (newest_first, keeps_the_key),
    "pages:PagePool.release": (head_first,),
    "scheduler:Scheduler.commit": (never_publishes,),
    "scheduler:Scheduler._preempt": (goes_to_the_back,),
    "scheduler:Scheduler.schedule": (never_plans, waits_in_step),
    "packing:slots_of": (one_page_short,),
    "loop:Engine._hand_out": (tells_twice,),
}
PLANTED = [(target, fault) for target, faults in FAULTS.items() for fault in faults]


@pytest.mark.parametrize("target, fault", PLANTED, ids=[fault.__name__ for _, fault in PLANTED])
def test_a_planted_fault_does_not_pass(target, fault):
    proof = prove(with_functions({target: fault}))
    assert not proof.holds
    assert any(part.problem for part in proof.parts)
