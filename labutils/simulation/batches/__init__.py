"""A server that works in batches.

Read ``batch_twin`` (the story in SimPy), ``batch_kernels`` (the same as a loop), then
``batch_run`` (one run, request by request and batch by batch).
"""
