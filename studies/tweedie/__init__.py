"""The experiments of the thesis [Tweedie], chapters 3 to 6, run again.

`python -m studies.tweedie` runs all of them and writes `RESULTS.md` and `report.html`;
`python -m studies.tweedie.demo` runs a few in seconds. `experiment` and
`exchange` say what is run, `published/` holds what was printed, and each module of `sections`
compares the two for one table or claim. `chapters` goes through the figures of
chapters 5 and 6, from the sweeps in `sweeps/`.
"""
