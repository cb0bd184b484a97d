"""What is handed in for a drill, judged.

``judging`` gives the verdict on numbers, choices and steps, ``rough`` on one significant figure,
``bounds`` on a bound found in the head.
"""
