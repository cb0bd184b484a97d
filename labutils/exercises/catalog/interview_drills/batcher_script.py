"""What happens to the batcher of the code drill, in the order in which an interviewer asks.

Events fall on whole milliseconds and windows end on halves: what comes first at one and the same
moment is no part of any promise. Only a timer rings at the very end of a window. A story ends soon
after its point: what a wrong batch does to the next one depends on the style of the code, and a
mistake could not be named by it.
"""

from .tape import NAMES, Tape


def a_quiet_night(draw):
    """A request alone leaves when its window is over; a second request leaves with the first."""
    return [*_alone(draw), *_in_company(draw)]


def _alone(draw):
    tape, start = Tape(draw, window_ms=20.5), draw.whole(1, 30)
    tape.submit(start, draw.pick(NAMES))
    tape.poll(start + 20.5)
    tape.poll(start + draw.whole(30, 50))
    return tape.steps


def _in_company(draw):
    tape, names = Tape(draw, window_ms=draw.whole(20, 40) + 0.5), draw.shuffled(NAMES)
    window_ms, start = int(tape.own.window_ms), draw.whole(10, 50)
    tape.poll(draw.whole(1, 9))
    tape.submit(start, names[0])
    tape.poll(start + draw.whole(1, 4))
    tape.submit(start + draw.whole(5, window_ms - 5), names[1])
    tape.poll(start + window_ms)
    tape.poll(start + window_ms + 1)
    return tape.steps


def a_full_house(draw):
    """More than a batch at once: the first leave now."""
    tape, start, size = _crowd(draw, rest=draw.whole(0, 1))
    tape.poll(start + 2 * size)
    return tape.steps


def the_gpu_is_busy(draw):
    """Two full batches at once, and one GPU."""
    tape, start, size = _crowd(draw, rest=-1)
    tape.poll(start + 2 * size)
    tape.poll(start + 2 * size + draw.whole(1, 9))
    return tape.steps


def to_each_their_own(draw):
    """The results go to those who asked; who is left over waits for a window, not for company."""
    tape, start, size = _crowd(draw, rest=1)
    now = tape.serve(start + 2 * size, draw.whole(5, 20))
    tape.poll(now + 1)
    tape.serve(start + size + int(tape.own.window_ms) + 1, draw.whole(5, 20))
    return tape.steps


def _crowd(draw, *, rest):
    """A tape on which nearly two batches ask, a millisecond apart; its start, and max_batch."""
    size, start = draw.whole(2, 4), draw.whole(1, 50)
    tape = Tape(draw, max_batch=size, window_ms=draw.whole(50, 70) + 0.5)
    for number, name in enumerate(draw.shuffled(NAMES)[: 2 * size - max(rest, 0)]):
        tape.submit(start + number, name)
    return tape, start, size


def a_long_batch(draw):
    """Somebody comes while the GPU works, and has waited a window when it is back."""
    tape, names, start = Tape(draw, window_ms=15.5), draw.shuffled(NAMES), draw.whole(1, 30)
    tape.submit(start, names[0])
    tape.poll(start + 16)
    came = start + 16 + draw.whole(1, 20)
    tape.submit(came, names[1])
    tape.submit(came + draw.whole(1, 5), names[2])
    back = came + draw.whole(40, 80)
    tape.done(back)
    tape.submit(back, names[3])
    tape.poll(back + 1)
    return tape.steps


def one_long_text(draw):
    """Each batch is padded to its longest: the next in line does not fit, and nobody overtakes."""
    unit = 10 * draw.whole(3, 9)
    first = _of_lengths(draw, unit, [1, 2, 1, draw.whole(4, 5), 1, 2])
    return [*first, *_of_lengths(draw, unit, [1, 4, 3, 1, 2, 3])]  # three of them fit to the token


def _of_lengths(draw, unit, shares):
    """Requests of so many units ask for a place in batches of 12 units, and the GPU for work."""
    tape, start = Tape(draw, max_batch=6, window_ms=80.5, max_tokens=12 * unit), draw.whole(1, 30)
    for number, (name, share) in enumerate(zip(draw.shuffled(NAMES), shares)):
        tape.submit(start + number, name, unit * share)
    tape.poll(start + len(shares) + 1)
    return tape.steps


def the_essay(draw):
    """One text is longer than any batch may be; another one just fits, alone."""
    room, start, names = draw.whole(300, 900), draw.whole(1, 30), draw.shuffled(NAMES)
    tape = Tape(draw, max_tokens=room)
    tape.submit(start, names[0], room + draw.whole(1, 200), look=True)
    tape.submit(start + 1, names[1], room, look=True)
    return tape.steps


def one_bad_apple(draw):
    """A batch fails, and others wait by then: who goes next?"""
    tape, now = _rotten(draw, late=draw.whole(1, 2))
    tape.poll(now + 1)
    return tape.steps


def a_half_of_a_half(draw):
    """The front half fails as well: what goes next is a half of it."""
    tape, now = _rotten(draw, late=1, among=2)
    now = tape.serve(now + 1, draw.whole(4, 9))
    tape.poll(now + 1)
    return tape.steps


def the_search_goes_on(draw):
    """The search goes on, until everybody has heard something."""
    tape, now = _rotten(draw, late=1)
    while tape.own.halves or tape.own.line:
        now = tape.serve(now + 1, draw.whole(4, 9))
    return tape.steps


def _rotten(draw, *, late, among=None):
    """A tape with a batch that has just failed, and when; so many others wait.

    The texts to blame are drawn from the whole batch, or from so many at its front.
    """
    size, start, names = draw.pick((5, 6, 7)), draw.whole(1, 30), draw.shuffled(NAMES)
    tape = Tape(draw, max_batch=size)
    tape.bad = set(draw.shuffled(names[: among or size])[: draw.whole(1, 2)])
    for name in names[:size]:
        tape.submit(start, name)
    tape.poll(start + 1)
    for name in names[size : size + late]:
        tape.submit(start + 2, name)
    now = start + draw.whole(20, 30)
    tape.done(now)
    return tape, now


def a_closed_browser(draw):
    """The oldest hangs up in the line, and the window is that of the next."""
    tape, start, names = Tape(draw, window_ms=30.5), draw.whole(1, 30), draw.shuffled(NAMES)
    later = start + draw.whole(5, 20)
    tape.submit(start, names[0])
    tape.submit(later, names[1])
    tape.cancel(later + draw.whole(1, 5), names[0])
    tape.poll(start + 31)
    tape.poll(later + 31)
    return tape.steps


def gone_with_the_batch(draw):
    """Somebody hangs up while the GPU works, or while it works on the other half of a batch."""
    return [*_gone_in_order(draw), *_gone_between(draw)]


def _gone_between(draw):
    """A batch has failed, and one of its back half hangs up: that may be all of it."""
    size, start, names = draw.pick((2, 4)), draw.whole(1, 30), draw.shuffled(NAMES)
    tape = Tape(draw, max_batch=size)
    tape.bad = {names[0]}
    for name in names[:size]:
        tape.submit(start, name)
    now = tape.serve(start + 1, draw.whole(4, 9))
    tape.poll(now + 1)
    tape.cancel(now + 2, names[size // 2])
    tape.done(now + draw.whole(4, 9))
    if size == 2:
        tape.poll(now + 10)
        tape.submit(now + 11, names[2])
        tape.poll(now + 30)
    else:  # the front half fails again, and goes first, text by text
        now = tape.serve(tape.serve(now + 10, 2) + 1, 2)
        tape.poll(now + 1)
    return tape.steps


def _gone_in_order(draw):
    """The results come in the order of the batch."""
    size, start, names = draw.whole(3, 5), draw.whole(1, 30), draw.shuffled(NAMES)
    tape = Tape(draw, max_batch=size)
    for name in names[:size]:
        tape.submit(start, name)
    tape.poll(start + 1)
    tape.cancel(start + 2, names[draw.whole(0, size - 2)])
    tape.done(start + draw.whole(20, 40))
    return tape.steps


def the_bad_apple_leaves(draw):
    """The model raises after somebody has hung up: of two, and of one."""
    return [*_of_two(draw), *_of_one(draw)]


def _of_one(draw):
    """Who was alone has hung up when the model raises, and hears nothing."""
    tape, start, name = Tape(draw, max_batch=1), draw.whole(1, 30), draw.pick(NAMES)
    tape.bad = {name}
    tape.submit(start, name)
    tape.poll(start + 1)
    tape.cancel(start + 2, name)
    tape.done(start + draw.whole(20, 30))
    return tape.steps


def _of_two(draw):
    """Two go, one of them hangs up, and the model raises: is the other one to blame?"""
    tape, start = Tape(draw, max_batch=2), draw.whole(1, 30)
    gone, other = draw.shuffled(NAMES)[:2]
    tape.bad = {gone}
    tape.submit(start, gone)
    tape.submit(start, other)
    tape.poll(start + 1)
    tape.cancel(start + 2, gone)
    tape.done(start + draw.whole(20, 30))
    tape.poll(start + 40)
    return tape.steps


def the_flood(draw):
    """More come than there is room for; those in work and those who hung up take no room."""
    return [*_over_the_room(draw), *_behind_two_halves(draw)]


def _behind_two_halves(draw):
    """Two are tried again, each alone: that is work, and no line."""
    tape, start, names = Tape(draw, max_batch=2, max_waiting=2), draw.whole(1, 30), NAMES
    tape.bad = {names[0]}
    for name in names[:2]:
        tape.submit(start, name)
    now = tape.serve(start + 1, draw.whole(4, 9))
    for name in names[2:5]:
        tape.submit(now + 1, name, look=True)
    return tape.steps


def _over_the_room(draw):
    room, start, names = draw.whole(3, 4), draw.whole(1, 30), draw.shuffled(NAMES)
    tape = Tape(draw, max_batch=2, max_waiting=room, window_ms=20.5)
    tape.submit(start, names[0], look=True)
    tape.submit(start, names[1], look=True)
    tape.poll(start + 1)
    for number in range(2, room + 3):
        tape.submit(start + number, names[number], look=True)
    tape.cancel(start + 10, names[2])
    tape.submit(start + 11, names[room + 3], look=True)
    tape.submit(start + 12, names[room + 4], look=True)
    tape.done(start + draw.whole(30, 60))
    tape.poll(start + 70)
    return tape.steps


def the_proof(draw):
    """Two clocks: how long they waited, and how long while the GPU had nothing to do."""
    tape, start, names = Tape(draw, max_batch=2, window_ms=15.5), draw.whole(1, 30), NAMES
    tape.proof(start)
    tape.submit(start, names[0])
    back = tape.serve(start + draw.whole(17, 25), draw.whole(50, 70))
    tape.proof(back)
    now = back + draw.whole(5, 20)
    tape.submit(now, names[1])
    tape.submit(now + 1, names[2])
    tape.submit(now + 2, names[3])  # waits twice for nothing, with a batch in between
    tape.poll(now + draw.whole(5, 12))
    back = now + draw.whole(80, 99)
    tape.done(back)
    tape.proof(back)
    tape.serve(back + draw.whole(26, 45), draw.whole(5, 9))
    tape.proof(back + 60)
    return tape.steps


def who_is_not_in_the_list(draw):
    """The longest waits belong to those whom no batch has taken."""
    tape, start = Tape(draw, window_ms=15.5), draw.whole(1, 30)
    one, other = draw.shuffled(NAMES)[:2]
    tape.submit(start, one)
    tape.cancel(start + draw.whole(30, 60), one)
    tape.proof(start + draw.whole(61, 70))
    tape.submit(start + 80, other)
    tape.proof(start + draw.whole(170, 199))
    return tape.steps
