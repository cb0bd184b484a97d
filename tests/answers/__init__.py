"""A trial of the checks: answers by people who never saw the catalog, and five figures.

``python -m tests.answers [SLUG ...]`` hands every answer of ``tests/answers/SLUG.py`` to its check
and prints how many wrong ones were accepted, how many causes were false, how many were named truly
(of all, and of the five likeliest of each exercise), how many right ones were accepted, and whether
a check raised. It is a bench, not a gate: wording may change, and fresh answers tell more than old
ones. Whoever adds answers looks at the learner edition alone; whoever judges what was said of them
(``true`` and ``false`` of an ``Answer``) reads the message and asks whether it is so.
"""
