"""What a drill is: a story with numbers, drawn from a template and a seed.

Read ``options`` (the answers to choose from), ``drill`` (one question with its numbers), ``draw``
(how numbers are drawn), ``claim`` (a statement that is true or false), then ``template`` (what
makes a drill from a seed) and ``sheet`` (how one is written; ``pieces`` is what it may hold,
``telling`` which mistakes it keeps). A template takes what it needs from ``writing``.
"""
