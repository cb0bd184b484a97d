"""How long a step takes at least, and how long an answer made of steps.

Read ``roofline`` first (bytes against operations), then ``attention`` and ``coverage`` (what a
batch adds to both), ``decode`` and ``prefill`` (one step of each), ``chunks`` (a prompt in parts),
``stream`` (one streamed answer) and ``cost`` (money).
"""
