"""Proofs that every exercise judges as it should; ``prove`` holds the mechanism.

The data stand beside it, one module for each module of the exercise catalog and under its name:
``PROOFS = {"mm1.recursion": Proof(...), ...}``.
"""
