"""Proofs of lab 3: mistakes that learners make, and right answers of other styles."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("dynamic_batcher")}
