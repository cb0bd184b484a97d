"""where.waited_for · The critical path · 7 minutes

> Start at the end: which stage did the answer wait for? And what had that one waited for?
> The stage on the path started at some moment. Among the stages that had ended by then, the last to
  end is the next on the path.
> until = the largest end; loop: done = names whose end <= until; stop if there is none; take the
  one with the largest end; until = its start. Reverse the list.

The **critical path** is the chain of stages whose ends the result waited for. Cutting a stage that
is not on it saves nothing in this request. Cutting one that is on it saves time only until another
branch becomes the one that is waited for.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in


def _back(stages, *, ended=lambda end, until: end <= until, rank=lambda start, end: end):
    """Walk back from the end; of the stages that had ended, ``rank`` says which was waited for."""
    path, until = [], max(end for _, end in stages.values())
    while True:
        done = [
            name for name, (start, end) in stages.items() if ended(end, until) and name not in path
        ]
        if not path:
            done = [name for name, (_, end) in stages.items() if end == until]
        if not done:
            return path[::-1]
        path.append(max(done, key=lambda name: rank(*stages[name])))
        until = stages[path[-1]][0]


def _waited_for(stages):
    return _back(stages)


class Wrong:
    def strictly_before(stages):
        """A stage may start at the very moment in which another ends. It waited for that one: `<=`,
        not `<`."""
        return _back(stages, ended=lambda end, until: end < until)

    def last_to_start(stages):
        """Of the stages that had ended you take the one that started last. What did the next stage
        have to wait for: a start or an end?"""
        return _back(stages, rank=lambda start, end: (start, end))

    def by_start(stages):
        """You take the stage that started last, in each step. What did the next one have to wait
        for: a start or an end?"""
        # The last to start in each step, the first one too.
        path, until = [], float("inf")
        while done := [name for name, (_, end) in stages.items() if end <= until]:
            path.append(max(done, key=lambda name: stages[name][0]))
            until = stages[path[-1]][0]
        return path[::-1]

    def longest(stages):
        """Of the stages that had ended you take the longest. A long stage that ended early held
        nobody up at the end."""
        return _back(stages, rank=lambda start, end: (end - start, end))

    def at_that_moment(stages):
        """You look for a stage that ends at the very moment in which the next one starts. There may
        be a gap between them, and it still waited for the last to end."""
        return _back(stages, ended=lambda end, until: end == until)

    def most_work(stages):
        """You take the chain of stages with the most work in it. Did the next stage wait for the
        one that had worked longest, or for the one that ended last?"""
        best: dict[str, tuple[float, list[str]]] = {}
        for name, (start, end) in sorted(stages.items(), key=lambda item: item[1][1]):
            done = [chain for other, chain in best.items() if stages[other][1] <= start]
            work, chain = max(done, key=lambda each: each[0], default=(0, []))
            best[name] = work + end - start, [*chain, name]
        return max(best.values(), key=lambda each: each[0])[1]

    def from_the_last_entry(stages):
        """You begin with the last entry of `stages`. They come in any order: which stage ended
        last?"""
        return _from(list(stages)[-1], stages)

    def by_name(stages):
        """You take the last *name* of the alphabet, as `max` does without a key. Which of the
        stages ended last?"""
        path, until = [], float("inf")
        while done := [name for name, (_, end) in stages.items() if end <= until]:
            path.append(max(done))
            until = stages[path[-1]][0]
        return path[::-1]

    def from_the_last_start(stages):
        """You begin with the stage that started last. Which stage did the answer wait for: the last
        to start, or the last to end?"""
        return _from(max(stages, key=lambda name: stages[name][0]), stages)

    def backwards(stages):
        """You found the path from its end. Asked is the order of time."""
        return _back(stages)[::-1]

    def all_stages(stages):
        """You name every stage. Beside some of them another ran that took longer: who waited for
        them?"""
        return sorted(stages, key=lambda name: stages[name][0])

    def all_by_end(stages):
        """You name every stage, by its end. A stage was waited for only if it had ended when the
        next one on the path started."""
        return sorted(stages, key=lambda name: stages[name][1])

    def forwards(stages):
        """You walk forwards to whatever starts next. At a fork you cannot know yet which branch
        will be waited for. Start at the end."""
        name = min(stages, key=lambda name: stages[name])
        path = [name]
        while True:
            later = [other for other in stages if stages[other][0] >= stages[path[-1]][1]]
            if not later:
                return path
            path.append(min(later, key=lambda name: stages[name]))

    def forwards_the_longest(stages):
        """You walk forwards to whatever starts next, the longest of those that start together. You
        cannot know yet which branch will be waited for. Start at the end."""
        path, until = [], float("-inf")
        for name, (start, end) in sorted(
            stages.items(), key=lambda each: (each[1][0], -each[1][1])
        ):
            if start >= until:
                path.append(name)
                until = end
        return path

    def by_entry(stages):
        """You walk through `stages` from its last entry to its first. They come in any order: look
        for the end that was waited for among all of them."""
        path, until = [], float("inf")
        for name, (start, end) in reversed(stages.items()):
            if end <= until:
                path.append(name)
                until = start
        return path[::-1]

    def as_many_as_fit(stages):
        """You take whatever ends first, then whatever ends first of those that start later. Of
        which stages did the answer wait for the end? Start there."""
        return _free_of_others(sorted(stages, key=lambda name: stages[name][1]), stages)

    def longest_first(stages):
        """You take the longest stage, then the longest of those that do not overlap it. A long one
        that ended early held nobody up: which stage ended last?"""
        shortest_last = sorted(stages, key=lambda name: stages[name][0] - stages[name][1])
        return _free_of_others(shortest_last, stages)

    def only_the_last(stages):
        """That is the last step of the path. What was that stage waiting for before it started?"""
        return [max(stages, key=lambda name: stages[name][1])]

    def never_overtaken(stages):
        """You keep every stage that ends later than those before it. Two of them may run side by
        side: which one had ended when the other started?"""
        path = []
        for name in sorted(stages, key=lambda name: stages[name]):
            if not path or stages[name][1] > stages[path[-1]][1]:
                path.append(name)
        return path


def _from(first, stages):
    """The walk back from this stage, whether or not it ended last."""
    start, _ = stages[first]
    before = {name: span for name, span in stages.items() if span[1] <= start}
    return [*(_back(before) if before else []), first]


def _free_of_others(names, stages):
    """Those of the names, one after the other, that overlap none before them; by their start."""
    path = []
    for name in names:
        start, end = stages[name]
        if all(end <= stages[one][0] or stages[one][1] <= start for one in path):
            path.append(name)
    return sorted(path, key=lambda name: stages[name])


def _some_stages():
    """One to six stages; most start where an earlier one ended.

    No two start together, end together, or are equally long, nor are two sums of lengths alike:
    no mistake depends on which of two like ones comes first.
    """
    from hypothesis import strategies as st

    step = st.tuples(st.integers(0, 5), st.sampled_from([0, 0, 0, 1, 3]))

    def laid_out(drawn):
        steps, lengths = drawn
        starts, ends, stages = set(), [0], {}
        for letter, (after, delay), length in zip("abcdef", steps, lengths):
            start = ends[after % len(ends)] + delay
            while start in starts or start + length in ends:
                start += 1
            starts.add(start)
            ends.append(start + length)
            stages[letter] = (start, start + length)
        return dict(sorted(stages.items(), key=lambda item: (item[1][1] * 7) % 11))

    steps = st.lists(step, min_size=1, max_size=6)
    lengths = st.permutations([1, 2, 4, 8, 16, 32])
    return st.tuples(st.tuples(steps, lengths).map(laid_out))


WAITED_FOR = exercise(
    __doc__,
    Function(
        _waited_for,
        _some_stages,
        always=(
            ({"embed": (0, 10), "words": (0, 25), "near": (10, 18), "prompt": (25, 30)},),
            ({"b": (0, 4), "a": (0, 10), "c": (4, 9), "d": (10, 12)},),
            ({"d": (9, 20), "a": (0, 9), "b": (2, 8), "c": (1, 19)},),
            ({"a": (0, 5), "b": (0, 3), "c": (5, 9)},),  # two that start together
            # ends of one millisecond: clocks do not count in whole ones
            (
                {
                    "a": (0.0, 3.7),
                    "b": (0.5, 3.2),
                    "c": (3.2, 8.2),
                    "d": (3.7, 8.6),
                    "e": (8.6, 9.5),
                },
            ),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
