"""A trial of the checks: answers by people who never saw the catalog, and five figures.

``python -m tests.answers [SLUG ...]`` hands every answer of ``tests/answers/SLUG.txt`` to its check
and prints how many wrong ones were accepted, how many causes were false, how many were named truly
(of all, and of the five likeliest of each exercise), how many right ones were accepted, and whether
a check raised. What is amiss today stands in ``failures.txt``, and ``test_answers`` fails where a
check does worse, or better without its line being struck out. Whoever adds answers looks at the
learner edition alone; whoever judges what was said of them reads the message and asks whether it is
so. An answer that a proof plants too, or that two writers gave, stands once: 421 and 68 are left
out so, and nearly all of them were named truly.
"""
