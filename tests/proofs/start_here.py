"""Proofs for chapter 00: what a batch costs and what it buys."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("start_here")}
