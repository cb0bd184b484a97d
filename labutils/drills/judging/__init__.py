"""What is handed in for a drill, judged.

``judging`` gives the verdict on numbers, choices and steps, ``rough`` on one significant figure,
``bounds`` on a bound found in the head. ``as_written`` makes of what people type what can be read,
``formulas_typed`` works out what they leave to be calculated.
"""
