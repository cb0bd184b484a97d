"""Proofs of chapter 05: mistakes that learners make, and right answers of other styles."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("prefill_and_decode")}
