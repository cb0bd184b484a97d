"""Proofs of chapter 02: mistakes that learners make, and right answers of other styles."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("littles_law")}
