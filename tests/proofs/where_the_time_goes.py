"""Proofs of chapter 09: mistakes that learners make, and right answers of other styles."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("where_the_time_goes")}
