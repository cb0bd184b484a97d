"""Sketches of the designs d9 to d12: boxes, interfaces and a drawing, with the answer's figures."""
