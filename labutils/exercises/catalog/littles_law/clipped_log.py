r"""little.clipped_log · L, λ and W of a window that cuts through requests · 8 minutes

> Three questions, three sums. How many request-seconds lie between the edges? Which came between
  them? How long did those stay, wherever their stay ended?
> A request from a to d spends min(d, to_s) - max(a, from_s) seconds inside the window, and none if
  that is negative. L divides the sum by the length of the window.
> L = sum(max(0, min(d, to_s) - max(a, from_s))) / (to_s - from_s). For λ and W take the rows with
  from_s <= a < to_s: their number / (to_s - from_s), and the mean of d - a.

$L$ is an average over *time*, so each stay counts with the part that lies in the window. $W$ is an
average over *requests*, so those that came count with their whole stay. The two accounts differ by
what the edges cut off: $L\,T = \lambda W T$ + carried in - carried out. If your three numbers
always satisfied $L = \lambda W$ exactly, one of them would have been computed from the other two.
"""

from bisect import bisect_left

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Raises
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _rows(arrivals, departures):
    return list(zip(arrivals, departures))


def _area(rows, from_s, to_s):
    return sum(max(0.0, min(end, to_s) - max(start, from_s)) for start, end in rows)


def _came(rows, from_s, to_s):
    return [(start, end) for start, end in rows if from_s <= start < to_s]


def _touching(rows, from_s, to_s):
    return [(start, end) for start, end in rows if start < to_s and end > from_s]


def _total(rows):
    return sum(end - start for start, end in rows)


def _numbers(arrivals, departures, from_s, to_s, *, area=None, counted=None, stays=None):
    """The three averages; a mistake replaces one of the sums that they are made of."""
    rows = _rows(arrivals, departures)
    came = _came(rows, from_s, to_s)
    area = _area(rows, from_s, to_s) if area is None else area
    counted = len(came) if counted is None else counted
    stays = _total(came) if stays is None else stays
    return area / (to_s - from_s), counted / (to_s - from_s), stays / len(came)


def _measure(arrivals, departures, from_s, to_s):
    return _numbers(arrivals, departures, from_s, to_s)


_UNDIVIDED = (
    "Your L is an area, in request-seconds. What turns it into a mean number of requests over the "
    "window?"
)

_COUNT = "Your λ is how many came. How many came *per second*?"


_ONE_EDGE = (
    "You clip at one edge of the window, not at the other. Which part of a request that this one "
    "cuts through lies in the window?"
)


class Wrong:
    @says(_ONE_EDGE)
    def start_unclipped(arrivals, departures, from_s, to_s):
        rows = _rows(arrivals, departures)
        area = sum(max(0, min(end, to_s) - start) for start, end in rows)
        return _numbers(arrivals, departures, from_s, to_s, area=area)

    @says(_ONE_EDGE)
    def end_unclipped(arrivals, departures, from_s, to_s):
        rows = _rows(arrivals, departures)
        area = sum(max(0, end - max(start, from_s)) for start, end in rows)
        return _numbers(arrivals, departures, from_s, to_s, area=area)

    def clipped_whole(arrivals, departures, from_s, to_s):
        """Your L counts the whole stay of every request that touches the window. How many seconds
        of it lie between the two edges?"""
        area = _total(_touching(_rows(arrivals, departures), from_s, to_s))
        return _numbers(arrivals, departures, from_s, to_s, area=area)

    def clipped_dropped(arrivals, departures, from_s, to_s):
        """Your L leaves out the requests that an edge cuts through. They were inside for a while:
        which part of their stay belongs to the window?"""
        area = _total([(a, d) for a, d in _rows(arrivals, departures) if from_s <= a and d <= to_s])
        return _numbers(arrivals, departures, from_s, to_s, area=area)

    def own_arrivals_only(arrivals, departures, from_s, to_s):
        """Your L misses the requests that were inside already when the window began."""
        area = _area(_came(_rows(arrivals, departures), from_s, to_s), from_s, to_s)
        return _numbers(arrivals, departures, from_s, to_s, area=area)

    def spanning_left_out(arrivals, departures, from_s, to_s):
        """Your L misses the requests that came before the window and left after it. They are inside
        all the while: which part of their stay belongs to the window?"""
        rows = _rows(arrivals, departures)
        seen = [(a, d) for a, d in rows if from_s <= a < to_s or from_s < d <= to_s]
        return _numbers(arrivals, departures, from_s, to_s, area=_area(seen, from_s, to_s))

    def sorted_arrivals(arrivals, departures, from_s, to_s):
        """You look for the edges of the window in `arrivals` as if they stood in order. A server
        writes a request into its log when it ends: in which order do the arrivals stand then?"""
        first, end = bisect_left(arrivals, from_s), bisect_left(arrivals, to_s)
        came = _rows(arrivals, departures)[first:end]
        if not came:
            return Raises(ZeroDivisionError)
        mean, rate, _ = _numbers(arrivals, departures, from_s, to_s, counted=len(came))
        return mean, rate, _total(came) / len(came)

    def outside_counts_negatively(arrivals, departures, from_s, to_s):
        """A request that lies outside the window takes time off your L. How many seconds of it lie
        between the two edges?"""
        rows = _rows(arrivals, departures)
        area = sum(min(end, to_s) - max(start, from_s) for start, end in rows)
        return _numbers(arrivals, departures, from_s, to_s, area=area)

    def rate_of_departures(arrivals, departures, from_s, to_s):
        """Your λ counts departures. When more come than go, that is another number: count
        arrivals."""
        left = sum(from_s <= end < to_s for end in departures)
        return _numbers(arrivals, departures, from_s, to_s, counted=left)

    def everybody_seen(arrivals, departures, from_s, to_s):
        """Your λ counts every request that was inside at some time. Which of them came in these
        seconds, and which had come before?"""
        seen = len(_touching(_rows(arrivals, departures), from_s, to_s))
        return _numbers(arrivals, departures, from_s, to_s, counted=seen)

    def clipped_stays(arrivals, departures, from_s, to_s):
        """Your W is cut off at the end of the window. The log knows when those requests left: how
        long did they stay in all?"""
        came = _came(_rows(arrivals, departures), from_s, to_s)
        return _numbers(arrivals, departures, from_s, to_s, stays=_area(came, from_s, to_s))

    def stays_of_departures(arrivals, departures, from_s, to_s):
        """Your W is the mean stay of the requests that *left* in the window. λ counts those that
        came: how long did the same requests stay?"""
        mean, rate, _ = _measure(arrivals, departures, from_s, to_s)
        left = [(start, end) for start, end in _rows(arrivals, departures) if from_s <= end < to_s]
        return mean, rate, _total(left) / len(left)

    def stays_of_all_seen(arrivals, departures, from_s, to_s):
        """Your W averages over every request that was inside at some time. λ counts those that came
        in the window: how long did these stay?"""
        mean, rate, _ = _measure(arrivals, departures, from_s, to_s)
        seen = _touching(_rows(arrivals, departures), from_s, to_s)
        return mean, rate, _total(seen) / len(seen)

    def all_of_everybody_seen(arrivals, departures, from_s, to_s):
        """Your λ and W belong to every request that was inside at some time. Asked for are the rate
        of arrivals, and the stay of those that arrived in these seconds."""
        seen = _touching(_rows(arrivals, departures), from_s, to_s)
        mean = _measure(arrivals, departures, from_s, to_s)[0]
        return mean, len(seen) / (to_s - from_s), _total(seen) / len(seen)

    def all_of_departures(arrivals, departures, from_s, to_s):
        """Your λ and W belong to the requests that *left* in the window. Asked for are the rate of
        arrivals, and the stay of those that arrived."""
        left = [(a, d) for a, d in _rows(arrivals, departures) if from_s <= d < to_s]
        stays = _total(left) / len(left) if left else 0.0
        return (*_numbers(arrivals, departures, from_s, to_s, counted=len(left))[:2], stays)

    def end_included(arrivals, departures, from_s, to_s):
        """You count a request that comes in the very moment in which the window ends. It belongs to
        the next window, or two windows side by side would count it twice."""
        rows = _rows(arrivals, departures)
        came = [(start, end) for start, end in rows if from_s <= start <= to_s]
        seconds = to_s - from_s
        return _area(rows, from_s, to_s) / seconds, len(came) / seconds, _total(came) / len(came)

    def start_excluded(arrivals, departures, from_s, to_s):
        """You leave out a request that comes in the very moment in which the window begins. To
        which of two windows side by side does it belong?"""
        came = [(a, d) for a, d in _rows(arrivals, departures) if from_s < a < to_s]
        if not came:
            return Raises(ZeroDivisionError)
        mean, rate, _ = _numbers(arrivals, departures, from_s, to_s, counted=len(came))
        return mean, rate, _total(came) / len(came)

    def whole_log(arrivals, departures, from_s, to_s):
        """Your W averages over the whole log. λ counts those that came in the window: how long did
        these stay?"""
        mean, rate, _ = _measure(arrivals, departures, from_s, to_s)
        rows = _rows(arrivals, departures)
        return mean, rate, _total(rows) / len(rows)

    def divided_by_the_end(arrivals, departures, from_s, to_s):
        """You divide by `to_s`, a moment on the clock. How long is the window?"""
        mean, rate, stay = _measure(arrivals, departures, from_s, to_s)
        return mean * (to_s - from_s) / to_s, rate * (to_s - from_s) / to_s, stay

    @says(_UNDIVIDED)
    def never_divided(arrivals, departures, from_s, to_s):
        mean, rate, stay = _measure(arrivals, departures, from_s, to_s)
        return mean * (to_s - from_s), rate, stay

    @says(_COUNT)
    def count_for_rate(arrivals, departures, from_s, to_s):
        mean, rate, stay = _measure(arrivals, departures, from_s, to_s)
        return mean, rate * (to_s - from_s), stay

    @says(f"{_UNDIVIDED} {_COUNT}")
    def neither_divided(arrivals, departures, from_s, to_s):
        mean, rate, stay = _measure(arrivals, departures, from_s, to_s)
        return mean * (to_s - from_s), rate * (to_s - from_s), stay

    def rate_first(arrivals, departures, from_s, to_s):
        """Your numbers are right, and the first two stand in the wrong order: L comes first, then
        λ, then W."""
        mean, rate, stay = _measure(arrivals, departures, from_s, to_s)
        return rate, mean, stay

    def stay_second(arrivals, departures, from_s, to_s):
        """Your numbers are right, and the last two stand in the wrong order: L comes first, then λ,
        then W."""
        mean, rate, stay = _measure(arrivals, departures, from_s, to_s)
        return mean, stay, rate

    def rate_of_the_log(arrivals, departures, from_s, to_s):
        """Your λ counts the arrivals of the whole log. Which of them came in the window?"""
        return _numbers(arrivals, departures, from_s, to_s, counted=len(arrivals))

    def whole_ones_alone(arrivals, departures, from_s, to_s):
        """Your λ and W leave out the requests that came in the window and left after it. They are
        among its arrivals, and the log knows how long they stayed."""
        mean = _measure(arrivals, departures, from_s, to_s)[0]
        rows = _came(_rows(arrivals, departures), from_s, to_s)
        whole = [(start, end) for start, end in rows if end <= to_s]
        if not whole:
            return Raises(ZeroDivisionError)
        return mean, len(whole) / (to_s - from_s), _total(whole) / len(whole)

    def stays_of_the_finished(arrivals, departures, from_s, to_s):
        """Your W leaves out the requests that came in the window and were still inside at its end,
        and these are the ones that stay long. The log knows when they left."""
        mean, rate, _ = _measure(arrivals, departures, from_s, to_s)
        rows = _came(_rows(arrivals, departures), from_s, to_s)
        stays = [end - start for start, end in rows if end <= to_s]
        return mean, rate, sum(stays) / len(stays) if stays else 0.0

    def derived_stay(arrivals, departures, from_s, to_s):
        """Your W is L divided by λ. Then L = λW holds by construction, even in a broken log:
        measure W on the requests themselves."""
        mean, rate, _ = _measure(arrivals, departures, from_s, to_s)
        return mean, rate, mean / rate

    def derived_rate(arrivals, departures, from_s, to_s):
        """Your λ is L divided by W. Then the law holds by construction, even in a broken log: count
        the requests that come."""
        mean, _, stay = _measure(arrivals, departures, from_s, to_s)
        return mean, mean / stay, stay

    def derived_mean(arrivals, departures, from_s, to_s):
        """Your L is λ times W. Then the law holds by construction, even in a broken log: measure L
        on the clock, from what is inside and for how long."""
        _, rate, stay = _measure(arrivals, departures, from_s, to_s)
        return rate * stay, rate, stay


def _some_windows():
    """One to eight requests in quarters of a second, in no order; in the window someone comes and
    someone goes.

    In half of the logs a request comes in the very moment in which the window ends.
    """
    from hypothesis import strategies as st

    quarter = st.integers(0, 32).map(lambda k: k / 4)
    stay = st.integers(1, 20).map(lambda k: k / 4)

    def log(drawn):
        requests, start, length, one_at_the_end = drawn
        end = start + length
        requests = [*requests, (end, 1.25)] if one_at_the_end else requests
        rows = [(arrival, arrival + stay) for arrival, stay in requests]
        return [a for a, _ in rows], [d for _, d in rows], start, end

    requests = st.lists(st.tuples(quarter, stay), min_size=1, max_size=7)
    lengths = stay.map(lambda seconds: 2 * seconds)
    windows = st.tuples(requests, quarter, lengths, st.booleans())

    def busy(drawn):
        *columns, from_s, to_s = drawn
        return all(any(from_s <= moment < to_s for moment in column) for column in columns)

    return windows.map(log).filter(busy)


CLIPPED_LOG = exercise(
    __doc__, Function(_measure, _some_windows, misconceptions=mistakes_in(Wrong))
)
