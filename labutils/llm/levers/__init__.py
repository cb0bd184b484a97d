"""What makes an engine faster, and what each of it saves.

``quantisation`` (narrow weights), ``prefix`` (shared prompts), ``speculation`` (drafts verified in
one step), ``parallel`` (several devices, one model) and ``disaggregation`` (prefill and decode on
devices of their own). Each file stands alone.
"""
