"""watching.signals · Who may wake you? · 4 minutes, optional

> A page is for what users feel now. Which of the twelve do they feel?
> Three. One is about the beginning of an answer, one about its flow, one about having none.
> Page: time to first token, gap between tokens, failed requests. The others say why.

Users feel late first tokens, a stuttering answer, and no answer. Everything else is a cause or a
bill: look at it once you are awake, and scale on it before. End-to-end latency is the trap. Users
do feel it, but it grows with the answers' length, so a new kind of question looks like an incident.
"""

from labutils.exercises.checkers import SortedCard, Sorting
from labutils.exercises.definition.sheet import exercise
from labutils.telemetry.watching import SIGNALS

AXES = {"answer": {"page": ("wake",), "look": ("dashboard",)}}
_QUESTION = {
    "look": "Who feels it, and when? Where users feel it at once, the share beyond what was "
    "promised is a budget, and a budget may wake somebody.",
    "page": "Do users feel it whenever it is high? What would you do about it at three at night?",
}

_OWN_QUESTION = {
    "end-to-end latency": "Users do feel it. But a longer answer takes longer on a server that is "
    "quite well: what does it show on a day on which people ask for more?",
}


def _card(signal) -> SortedCard:
    place = "page" if signal.page else "look"
    other = "look" if signal.page else "page"
    question = _OWN_QUESTION.get(signal.name, _QUESTION[other])
    return SortedCard(signal.name, ((place,),), {other: question})


CARDS = {
    letter: _card(signal)
    for letter, signal in zip("abcdefghijkl", sorted(SIGNALS, key=lambda one: one.name))
}

PAGE_OR_LOOK = exercise(__doc__, Sorting(axes=AXES, cards=CARDS))
