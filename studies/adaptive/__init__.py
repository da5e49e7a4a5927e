"""What adaptive routing does to the costs of contention, by the method of [Tweedie].

`python -m studies.adaptive` runs `sweeps/` (what is in `stores/` is kept) and writes
`RESULTS.md` and `report.html`. `settings` says which curves there are, `costs` reads
them at equal actual load, `theory` has what channel loads allow, `claims` what is
expected and what became of it.
"""
