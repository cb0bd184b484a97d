"""Benchmarks of the workbook: ``python -m benchmarks`` (or ``make bench``).

Each file here that registers functions with ``@benchmark`` is a group; drop in a file and it
runs with the rest. Figures are measured against a peer, a machine limit or a stated goal, side
by side in one run, because a bare number says more about the machine than about the code.
"""

import os

# Threads that spin while they wait slow down whatever runs beside them. torch reads it once.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
