"""Your own load test beside its prediction: what ``labutils envelope FILE`` does.

1. ``clients``: the files of five clients, read into one ``MeasuredRun``
2. ``faults``, ``sending``: what such a file shows of the client that measured
3. ``predicted``, ``comparison``: the prediction, and all of it in words
4. ``envelope_command``: the options of ``labutils envelope``
"""
