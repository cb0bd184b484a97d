"""What happens to the limiter of the code drill, in the order in which an interviewer asks.

Rates are powers of two and times eighths of a second, so every level is exact, in whatever order
it is computed.
"""

from labutils.exercises.checkers import Call, New, Read
from labutils.exercises.stories.story import stories_in


def _allow(tenant, tokens, now_s):
    return Read("allow", (tenant, tokens, now_s))


def _bucket(draw):
    """A rate, a burst of several seconds of it, and a moment."""
    rate = draw.pick([64, 128, 256, 512])
    return rate, rate * draw.whole(3, 6) + 4 * draw.whole(3, 9), draw.whole(2, 30)


class Told:
    def the_first_burst(draw):
        """A new customer was refused, or got more than a burst at once."""
        # A new tenant takes all there is in two requests, and then one token more.
        rate, burst, now = _bucket(draw)
        part = draw.whole(20, burst // 2)
        yield New((rate, burst))
        yield _allow("a", part, now)
        yield _allow("a", burst - part, now)
        yield _allow("a", 1, now)

    def long_and_short(draw):
        """Somebody sent few requests, and long ones."""
        # Requests of different length in one moment.
        rate, burst, now = _bucket(draw)
        long, short = burst - draw.whole(20, 40), draw.whole(5, 18)
        yield New((rate, burst))
        yield _allow("a", long, now)
        yield _allow("a", long, now)
        yield _allow("a", short, now)

    def neighbours(draw):
        """One customer was refused for what another one had spent."""
        # One tenant spends everything while another one asks.
        rate, burst, now = _bucket(draw)
        one, other = draw.shuffled("abc")[:2]
        yield New((rate, burst))
        yield _allow(one, burst, now)
        yield _allow(other, burst - draw.whole(1, 20), now)
        yield _allow(one, draw.whole(1, rate), now)

    def refused(draw):
        """After a refusal a customer was refused what it should have got."""
        # Somebody asks for too much, and then for what is left.
        rate, burst, now = _bucket(draw)
        left = draw.whole(20, rate)
        yield New((rate, burst))
        yield Call("allow", ("a", burst - left, now))
        yield _allow("a", left + draw.whole(1, 20), now)
        yield _allow("a", left, now)

    def a_drip(draw):
        """Somebody asked again and again, and got less than the rate."""
        # A slow bucket fills by parts of a token, and somebody looks again and again.
        rate, now = draw.pick([2, 4]), draw.whole(2, 30)
        burst = draw.whole(20, 40)
        yield New((rate, burst))
        yield Call("allow", ("a", burst, now))
        for later in (0.125, 0.375, 0.875, 1.5):
            yield _allow("a", 2 * rate, now + later)
        yield _allow("a", 2 * rate, now + 2)
        yield _allow("a", rate // 2, now + 2.5)

    def own_clock(draw):
        """A customer waited, and its tokens did not come."""
        # A tenant waits for its tokens, and another one asks in between.
        rate, burst, now = _bucket(draw)
        one, other = draw.shuffled("abc")[:2]
        yield New((rate, burst))
        yield Call("allow", (one, burst, now))
        yield Call("allow", (other, draw.whole(5, 50), now + 1.25))
        yield _allow(one, 2 * rate, now + 2)

    def a_quiet_night(draw):
        """In the morning a customer took more than a burst."""
        # Hours without a request, then two at once.
        rate, burst, now = _bucket(draw)
        yield New((rate, burst))
        yield Call("allow", ("a", draw.whole(20, burst), now))
        later, left = now + 3600 * draw.whole(2, 9), draw.whole(0, 9)
        yield _allow("a", burst - left, later)
        yield _allow("a", left + 1, later)

    def turn_of_the_window(draw):
        """Twice the burst went through within a second."""
        # Everything is taken; half of a bucket's time later somebody wants it all again.
        rate, seconds = draw.pick([64, 128, 256, 512]), draw.whole(3, 6)
        burst, turn = rate * seconds, seconds * draw.whole(2, 9)
        yield New((rate, burst))
        yield _allow("a", burst, turn - 0.5)
        yield _allow("a", burst, turn + 0.25)
        yield _allow("a", rate * 3 // 4, turn + 0.25)

    def come_back_later(draw):
        """The header said when to come back, and somebody did."""
        # A refused client is told when to come, and comes then.
        rate, burst, now = _bucket(draw)
        left = rate // 2
        yield New((rate, burst))
        yield Read("wait", ("a", burst - left, now))
        yield Call("allow", ("a", burst - left, now))
        yield Read("wait", ("a", left, now))
        yield Read("wait", ("a", left + rate, now))
        wait_s = draw.whole(5, 9) / 4
        tokens = left + int(rate * wait_s)
        yield Read("wait", ("a", tokens, now))
        yield _allow("a", tokens, now + wait_s)

    def larger_than_the_bucket(draw):
        """A prompt came that is longer than any bucket."""
        # A prompt that no full bucket can pay; the next one is of the usual length.
        rate, burst, now = _bucket(draw)
        large = burst + draw.whole(1, rate)
        yield New((rate, burst))
        yield Read("wait", ("b", large, now))
        yield _allow("a", large, now)
        yield Read("wait", ("a", burst // 2, now))
        yield _allow("a", burst, now)
        yield Read("wait", ("a", large, now + 1))
        yield Read("wait", ("a", burst, now + 1))

    def the_clock_stands_still(draw):
        """For a moment the clock showed the same time, and tokens came from nowhere."""
        # Many requests, and the clock shows the same time.
        rate, burst, now = _bucket(draw)
        yield New((rate, burst))
        yield Call("allow", ("a", burst - 8, now))
        for _ in range(3):
            yield _allow("a", 3, now)
        yield _allow("a", rate // 2, now + 0.5)

    def the_clock_goes_back(draw):
        """Two servers whose clocks differ told the time, and a level was not what it should be."""
        # Another server's clock is behind, and then the first one speaks again.
        rate, burst, now = _bucket(draw)
        left, back = draw.whole(20, 60), draw.whole(2, 7) / 4
        yield New((rate, burst))
        yield Call("allow", ("a", burst - left, now + 4))
        yield _allow("a", left, now + 4 - back)
        yield _allow("a", rate // 4, now + 4 - back)
        yield _allow("a", int(rate * back), now + 4)
        yield _allow("a", rate, now + 5)
        yield Read("wait", ("a", rate // 2, now + 5 - back))

    def a_neighbours_clock(draw):
        """A server whose clock was ahead asked for one customer, and another one got too much."""
        # Two tenants, told the time by servers whose clocks differ.
        rate, burst, now = _bucket(draw)
        one, other = draw.shuffled("abc")[:2]
        yield New((rate, burst))
        yield Call("allow", (one, burst, now))
        yield Call("allow", (other, draw.whole(5, 50), now + 40))
        yield _allow(one, 2 * rate, now + 1)
        yield _allow(one, rate, now + 1)

    def told_by_a_refusal(draw):
        """A refused request had told the time, and the next one was refused for its older clock."""
        # Somebody asks for too much, and then, by a clock that is behind, for what had been there.
        rate, burst, now = _bucket(draw)
        yield New((rate, burst))
        yield Call("allow", ("a", burst, now))
        yield _allow("a", 2 * rate + draw.whole(1, 20), now + 2)
        yield _allow("a", 2 * rate, now + 1)

    def less_than_planned(draw):
        """An answer was shorter than what had been paid for."""
        # A long answer was paid for, and a short one came.
        rate, burst, now = _bucket(draw)
        unused, gap = draw.whole(20, rate), draw.whole(1, 3) / 4
        yield New((rate, burst))
        yield Call("allow", ("a", burst, now))
        yield Call("refund", ("a", unused, now + gap))
        yield _allow("a", unused + int(rate * gap), now + gap)
        yield _allow("a", 1, now + gap)
        yield Call("refund", ("a", unused, now + gap + 1))  # it tells the time, too
        yield _allow("a", unused + rate, now + gap)

    def given_back_late(draw):
        """A server gave back what was not used, and its clock was behind."""
        # The server that gives back has a clock that is behind.
        rate, burst, now = _bucket(draw)
        unused, back = draw.whole(10, 15), draw.whole(2, 7) / 4
        yield New((rate, burst))
        yield Call("allow", ("a", burst, now + 4))
        yield Call("refund", ("a", unused, now + 4 - back))
        yield _allow("a", unused + 1, now + 4)
        yield _allow("a", unused, now + 4)

    def full_all_the_same(draw):
        """A refund came late, and the customer had more than a burst, or something else."""
        # A refund comes when the bucket is nearly full again, and one for a stranger.
        rate, burst, now = _bucket(draw)
        taken, later = draw.whole(40, rate), now + draw.whole(20, 40)
        yield New((rate, burst))
        yield Call("allow", ("a", taken, now))
        yield Call("refund", ("a", taken // 2, later))
        yield _allow("a", burst, later)
        yield _allow("a", 1, later)
        yield Call("refund", ("b", taken, later))
        yield _allow("b", burst, later)
        yield _allow("b", 1, later)


STORIES = stories_in(Told)
