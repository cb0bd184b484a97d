"""Answers that are numbers: one value with a unit, or an estimate from simulation output.

Read ``number`` first; then ``tolerance`` (the window in which an answer passes), ``scale`` (factors
by which it goes wrong) and ``given_numbers`` (numbers that the question gives); then ``estimate``.
"""
