"""Loops on the Symult 2010: the measurements of [Chittor & Enbody 1990].

`python -m studies.symult` runs them and writes `RESULTS.md` and `report.html`: every number of the
paper, and what contention had to do with it.
"""
