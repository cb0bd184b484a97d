"""Proofs of chapter 04: mistakes that learners make, and right answers of other styles."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("batching_sweep")}
