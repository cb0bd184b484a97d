"""Proofs of chapter 10: mistakes that learners make, and right answers of other styles."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("what_need_not_be_computed")}
