"""Complete exchange on the Intel Paragon: the measurements of [Bokhari & Nicol 1996].

`python -m studies.paragon` runs `sweeps/` (what is in `stores/` is kept) and writes `RESULTS.md`
and `report.html`: every table, what is said about the figures, which have no numbers, and what
contention had to do with it.
"""
