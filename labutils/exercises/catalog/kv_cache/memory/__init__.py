"""The same memory in the engine: where a token is written, what it may see, a chunk of a prompt.

``small_memory`` makes a memory that can be read; ``write``, ``hidden`` and ``chunk`` are the three
functions of ``labutils/engine/attention.py`` that lab 2 writes.
"""
