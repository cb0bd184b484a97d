"""What comes and how long it takes, as arrays drawn from a generator.

Read ``variates`` (random numbers with mean 1), then ``arrivals`` and ``services``, which scale
them. ``checks`` says what a queue may be fed.
"""
