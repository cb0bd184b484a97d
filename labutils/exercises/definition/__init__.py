"""What an exercise is, and what can be said of an answer to it.

``verdict``: the one vocabulary of all checks. ``exercise``: what an author writes, a prediction
included. ``reading``: a number out of what was handed in. ``workings``: steps on the way that are
handed in with an answer. ``sheet``: an exercise, its mistakes and predictions as one writes them.
"""
