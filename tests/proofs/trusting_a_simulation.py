"""Proofs of chapter 03b: mistakes that learners make, and right answers of other styles."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("trusting_a_simulation")}
