"""The breaker against a record that is read from the start at every step."""

import random

import pytest

from labutils.caching.levels import CircuitBreaker

FAILURES, REST_S = 3, 10


class Record:
    """All that happened, in order; each question is answered by reading it from its beginning."""

    def __init__(self):
        self.events: list[tuple] = []  # (second, what, call)

    def read(self, now: int) -> tuple[str, bool, int]:
        """State, whether one more may pass, and how often it opened."""
        opened_at, streak, probe, current, openings = None, 0, None, set(), 0
        for second, what, call in self.events:
            if what == "entered":
                current.add(call)
                probe = call if opened_at is not None else None
            elif call in current:
                current.discard(call)
                if what == "failed" and (opened_at is not None or streak + 1 == FAILURES):
                    opened_at, streak, probe, current = second, 0, None, set()
                    openings += 1
                elif what == "failed":
                    streak += 1
                elif what == "succeeded":
                    streak = 0
                    if opened_at is not None:
                        opened_at, probe, current = None, None, set()
                elif call == probe:
                    probe = None
        if opened_at is None:
            return "closed", True, openings
        if now < opened_at + REST_S:
            return "open", False, openings
        return "half-open", probe is None, openings


@pytest.mark.parametrize("seed", range(40))
def test_it_does_what_its_record_says_it_should(seed):
    rng, now, record = random.Random(seed), [0], Record()
    breaker = CircuitBreaker(failures=FAILURES, rest_s=REST_S, clock=lambda: now[0])
    out, calls = {}, 0
    for _ in range(400):
        now[0] += rng.choice([0, 0, 0, 1, 4])
        state, may_pass, openings = record.read(now[0])
        assert (breaker.state, breaker.openings) == (state, openings)
        if rng.random() < 0.5:
            permit = breaker.enter()
            assert (permit is not None) == may_pass
            if permit:
                calls += 1
                out[calls] = permit
                record.events.append((now[0], "entered", calls))
        elif out:
            call = rng.choice(sorted(out))
            what = rng.choice(["failed", "failed", "succeeded", "release"])
            getattr(out.pop(call), what)()
            record.events.append((now[0], what, call))
    assert record.read(now[0])[2] > 2  # the story went through all states


def test_a_permit_says_its_word_once():
    breaker = CircuitBreaker(failures=2, rest_s=1, clock=lambda: 0.0)
    permit = breaker.enter()
    permit.failed()
    permit.failed()
    permit.release()
    assert breaker.state == "closed"
    breaker.enter().failed()
    assert breaker.state == "open"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"failures": 0}, "failures"),
        ({"rest_s": 0}, "rest_s"),
        ({"rest_s": float("nan")}, "rest_s"),
    ],
)
def test_bad_input_is_named(arguments, name):
    with pytest.raises(ValueError, match=f"^{name} = "):
        CircuitBreaker(**arguments)
