"""Proofs of lab 2: mistakes that learners make, and right answers of other styles.

Answers that need torch are given as source: they see the lab's own names."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("kv_cache")}
