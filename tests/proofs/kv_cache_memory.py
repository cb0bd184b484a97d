"""Proofs of chapter 06: mistakes that learners make, and right answers of other styles."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("kv_cache_memory")}
