"""One token for everybody who writes; and who gives way when memory runs out."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise

from .walks import NUM_INPUTS, continuous, crowds, mistake, walked


def _oldest(running):
    """The sequence that was admitted first, without its memory."""
    writing = next(iter(running.decoding.members.values()), None)
    reads = writing is None
    sequence = running.prefilling.pop(0) if reads else running.decoding.leave(writing.id)
    running.memory.release(sequence)
    sequence.computed = 0
    return sequence


def _writers(*, victims="newest", once=False, back=False, grow=True, tell=True, yields=True):
    """``_decode`` with another victim, or without one of its parts."""

    def _decode(self, step):
        decoding = self.running.decoding
        while yields and self.memory.is_short(decoding):
            newest = victims == "newest"
            one = self.running.preempt_newest() if newest else _oldest(self.running)
            self.waiting.append(one) if back else self.waiting.appendleft(one)
            if tell:
                step.preempted.append(one.id)
            if once:
                break
        if grow:
            self.memory.grow(decoding, 0, 1)
        step.decode(decoding)

    return _decode


def _mistake(name, message, decode):
    return mistake(name, message, _decode=decode)


DECODE = Exercise(
    id="engine.decode",
    title="Everybody who writes, and who gives way",
    minutes=9,
    checker=Function(
        reference=walked(continuous),
        inputs=crowds,
        num_inputs=NUM_INPUTS,
        misconceptions=(
            _mistake(
                "nobody-gives-way",
                "Everybody writes on although memory is short. Whose memory do the others get?",
                _writers(yields=False),
            ),
            _mistake(
                "oldest-gives-way",
                "The oldest request loses its memory. Who would then be sure to end at all?",
                _writers(victims="oldest"),
            ),
            _mistake(
                "one-is-enough",
                "You preempt one request at most. May memory be short even then?",
                _writers(once=True),
            ),
            _mistake(
                "to-the-back",
                "Whoever was preempted goes to the end of the queue. Did it arrive after those who "
                "wait there?",
                _writers(back=True),
            ),
            _mistake(
                "silent",
                "Nobody hears of the preemption: neither the plan nor who admits newcomers in this "
                "step. Where does the step keep it?",
                _writers(tell=False),
            ),
            _mistake(
                "no-room",
                "Everybody writes a token and nobody takes memory for it.",
                _writers(grow=False),
            ),
        ),
    ),
    hints=(
        "Before anybody writes, there must be memory for one token each. While there is not, "
        "somebody has to go. Who has lost least by going?",
        "`self.memory.is_short(decoding)` asks, `self.running.preempt_newest()` acts and returns "
        "the victim. It waits again, ahead of all who wait, and `step.preempted` notes its id.",
        "while self.memory.is_short(decoding): sequence = self.running.preempt_newest(); "
        "self.waiting.appendleft(sequence); step.preempted.append(sequence.id). Then "
        "self.memory.grow(decoding, 0, 1), and step.decode(decoding).",
    ),
    explanation=(
        "The newest has lost least when it goes, and the oldest is never touched: it always moves "
        "on, so somebody always ends, and memory comes back. That is why this scheduler cannot "
        "live-lock. The victim returns to the head of the queue, where its arrival puts it. It "
        "loses no token, only work: its prompt and its answer so far are computed again. With "
        "contiguous reservations the loop never runs, since room for the longest answer was taken "
        "at admission; with pages it will."
    ),
)
