"""The race for memory: an independent replay, conservation, and the order of admission."""

import numpy as np
import pytest

from labutils.engine import PagePool
from labutils.serving.memory import ContiguousReservation
from labutils.serving.memory.race import Growing, PageBooks, race


def stream(seed, count=60, gap=3):
    rng = np.random.default_rng(seed)
    arrivals = np.sort(rng.integers(0, gap * count, count))
    return (
        arrivals.tolist(),
        rng.integers(1, 90, count).tolist(),
        rng.integers(1, 40, count).tolist(),
    )


def alone_in_line(arrivals, outputs, slots, steps):
    """Steps at which each request begins: equal places, first come, first served."""
    free_at, begins = [0] * slots, []
    for arrival, output in zip(arrivals, outputs):
        begin = max(arrival, min(free_at))
        free_at[free_at.index(min(free_at))] = begin + output
        begins.append(begin)
    return begins


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_equal_reservations_are_a_queue_with_slots(seed):
    arrivals, prompts, outputs = stream(seed)
    steps, slots = 700, 3
    run = race(
        arrivals, prompts, outputs, ContiguousReservation(slots * 130 + 29), limits=130, steps=steps
    )
    begins = alone_in_line(arrivals, outputs, slots, steps)
    for step in range(steps):
        inside = [i for i, b in enumerate(begins) if b <= step < b + outputs[i]]
        assert run.running[step] == len(inside)
        assert run.held_tokens[step] == sum(prompts[i] + step - begins[i] for i in inside)
        assert run.taken_tokens[step] == 130 * len(inside)
        assert run.admitted[step] == sum(b <= step for b in begins)
        assert run.waiting[step] == sum(a <= step < b for a, b in zip(arrivals, begins))
    assert run.finished == len(arrivals) and run.preemptions == 0


def test_the_mean_held_is_the_rate_times_the_token_steps():
    arrivals, prompts, outputs = stream(7, count=300)
    steps = max(arrivals) + max(outputs) + 1
    run = race(arrivals, prompts, outputs, PagePool(10_000, 7), steps=steps)
    area = sum(p + k for p, m in zip(prompts, outputs) for k in range(m))
    assert sum(run.held_tokens) == area and run.waiting == [0] * steps


@pytest.mark.parametrize("page", [1, 7, 16])
def test_a_tight_pool_preempts_and_loses_nothing(page):
    arrivals, prompts, outputs = stream(11, gap=1)
    memory = PagePool(260 // page, page)
    run = race(arrivals, prompts, outputs, memory, steps=4000, record_every=9, cell_tokens=page)
    memory.check()
    assert run.preemptions > 0 and run.finished == len(arrivals)
    assert memory.num_free == memory.num_pages
    for held, taken, running in zip(run.held_tokens, run.taken_tokens, run.running):
        assert held <= taken <= held + running * (page - 1) and taken <= 260
    for moment in run.moments:
        for request, cells in moment.given.items():
            assert len(cells) == -(-moment.tokens[request] // page)
    firsts = [request for moment in run.moments for request in moment.tokens]
    assert sorted(set(firsts)) == list(dict.fromkeys(firsts))  # admitted in the order of arrival


def test_what_is_reserved_exactly_leaves_holes_that_serve_nobody():
    arrivals, prompts, outputs = [0] * 200, *stream(5, count=200)[1:]
    exact = ContiguousReservation(300)
    run = race(arrivals, prompts, outputs, exact, steps=1500)
    busy = [taken for taken, waiting in zip(run.taken_tokens, run.waiting) if waiting]
    assert max(busy) <= 300 and np.mean(busy) < 290 and exact.num_free == 300


class Pages(PageBooks):
    def grow(self, request, tokens):
        held = self.tokens.get(request, 0) + tokens
        missing = -(-held // self.page_tokens) - len(self.pages.get(request, []))
        if missing > len(self.free):
            return False
        self.pages.setdefault(request, []).extend(self.free.pop() for _ in range(missing))
        self.tokens[request] = held
        return True

    def release(self, request):
        self.free += self.pages.pop(request)
        del self.tokens[request]


def test_a_pool_of_ones_own_runs_the_same_race():
    arrivals, prompts, outputs = stream(13, gap=1)
    own = Pages(40, 7)
    mine = race(arrivals, prompts, outputs, Growing(own), steps=900)
    theirs = race(arrivals, prompts, outputs, PagePool(40, 7), steps=900)
    assert mine.admitted == theirs.admitted and mine.preemptions == theirs.preemptions > 0
    assert own.audit() == {"held": {}, "lost": 0, "twice": 0}


def test_books_that_do_not_add_up_are_found():
    books = PageBooks(9, 4)
    books.pages = {"a": [3, 4], "b": [4], "c": []}
    books.free = [0, 3, 8]
    assert books.audit() == {"held": {"a": 2, "b": 1}, "lost": 5, "twice": 2}


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="2 arrivals, 1 prompts, 2 outputs"):
        race([0, 1], [3], [4, 5], PagePool(4), steps=3)
    with pytest.raises(ValueError, match="steps = 0"):
        race([0], [3], [4], PagePool(4), steps=0)
    with pytest.raises(ValueError, match=r"limits\[1\] = 9: expected at least 10"):
        race([0, 1], [3, 4], [4, 6], ContiguousReservation(99), limits=9, steps=3)


@pytest.mark.parametrize("cell", [1, 5, 16])
def test_a_cell_belongs_to_the_piece_that_holds_its_first_slot(cell):
    arrivals, prompts, outputs = stream(3, gap=1)
    memory = ContiguousReservation(700)
    run = race(
        arrivals, prompts, outputs, memory, limits=140, steps=60, record_every=1, cell_tokens=cell
    )
    alone, pieces = run.moments[0], 0
    for moment in run.moments:
        owner = [None] * 700
        for request, cells in moment.given.items():
            starts = list(range(cells[0] * cell, 700, cell))[: len(cells)]
            assert [at * cell for at in cells] == starts
            assert 140 // cell <= len(cells) <= 140 // cell + 1
            for at in cells:
                assert owner[at] is None
                owner[at] = request
            pieces += 1
    assert pieces > 200 and alone.given[0][0] == 0
