"""A fleet whose clients send a second copy of a request that takes long.

Read ``fleet`` (what it is given), ``hedging_twin`` (the story in SimPy), ``hedging_kernels`` (the
same as a loop) and ``hedging`` (one run). ``hedge_budget`` lets copies go out only while a budget
lasts.
"""
