"""Proofs that every exercise judges as it should; ``prove`` holds the mechanism.

The data stand beside it as ``sheet`` reads them: a sheet for each module of the exercise catalog,
under its name, or a folder of sheets.
"""
