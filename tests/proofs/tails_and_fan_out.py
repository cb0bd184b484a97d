"""Proofs of chapter 08: mistakes that learners make, and right answers of other styles."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("tails_and_fan_out")}
