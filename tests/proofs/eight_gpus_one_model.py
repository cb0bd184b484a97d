"""Proofs of chapter 12: mistakes that learners make, and right answers of other styles."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("eight_gpus_one_model")}
