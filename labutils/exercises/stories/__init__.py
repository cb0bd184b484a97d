"""A learner's class, tried by what happens to an object of it.

A ``script`` is the list of steps, written as data; a ``story`` draws a script with other numbers
each time. ``telling`` plays one script on one class, ``stage`` on the learner's and on the
reference. ``checkers/code/stories.py`` judges what came of it.
"""
