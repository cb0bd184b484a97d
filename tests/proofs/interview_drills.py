"""Proofs of the code drills: candidates' mistakes, right answers of other styles."""

from tests.proofs.sheet import proofs_in

PROOFS = {**proofs_in("interview_drills")}
