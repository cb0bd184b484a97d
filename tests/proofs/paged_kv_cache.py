"""Proofs of lab 5: mistakes that learners make, and right answers of other styles.

Pieces of the engine are given as source: each is executed in the engine's own file."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("paged_kv_cache")}
