"""Something that happens to an object of a learner's class, told with other numbers each time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from labutils.exercises.comparing.drawing import Draw
from labutils.exercises.stories.script import Call, New, Step


@dataclass(frozen=True)
class Story:
    """A ``script(draw)`` that yields steps, and what was seen where a class did not survive it.

    ``name`` is what colleagues call it ("a quiet night"); ``saw`` is one sentence on what somebody
    saw who relied on such a class, without the reason. ``draw`` gives the numbers, others in every
    check (see ``Draw``)::

        def quiet_night(draw):
            yield New((60,))
            for time_s in draw.times(9, 0, 50):
                yield Call("record", (time_s, draw.number(0.1, 0.4)))
            yield Read("percentile", (0.99,), {"now_s": draw.number(300, 400)})

    Without a ``New`` at the beginning the object is made without arguments. Raises ``ValueError``
    for what cannot be a story.
    """

    name: str
    script: Callable[[Draw], Iterable[Step]]
    saw: str

    def __post_init__(self):
        if not isinstance(self.name, str) or not self.name.strip():
            raise ValueError(f"name = {self.name!r}: expected a text that is not empty")
        if not callable(self.script):
            raise ValueError(f"script = {self.script!r}: expected a function of a Draw")
        if not isinstance(self.saw, str) or not self.saw.endswith((".", "?", "!")):
            raise ValueError(f"saw = {self.saw!r}: expected a sentence, with its full stop")

    def told(self, draw: Draw) -> tuple[Step, ...]:
        """The steps, with the numbers that ``draw`` gives; ``TypeError`` for what is no step."""
        steps = tuple(self.script(draw))
        for step in steps:
            if not isinstance(step, New | Call):
                raise TypeError(f"story {self.name!r} holds {step!r}: expected New, Call or Read")
        return steps if steps and isinstance(steps[0], New) else (New(), *steps)


def stories_in(group: type) -> tuple[Story, ...]:
    """The stories that stand in a class: scripts, each with what was seen as its docstring.

    ``def a_quiet_night(draw)`` is the script of "a quiet night". A story made elsewhere stays.
    """
    members = {name: one for name, one in vars(group).items() if not name.startswith("__")}
    return tuple(
        one
        if isinstance(one, Story)
        else Story(name.replace("_", " "), one, " ".join((one.__doc__ or "").split()))
        for name, one in members.items()
    )
