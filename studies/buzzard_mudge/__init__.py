"""How messages should cross a hypercube: the simulations of [Buzzard & Mudge 1988].

`python -m studies.buzzard_mudge` runs `sweeps/` (what is in `stores/` is kept) and writes
`RESULTS.md` and `report.html`. `settings` says what is compared, `paired` compares it message
for message, `claims` and `general` hold it against what the paper prints (`published/`),
`collisions` counts what its equations (1) and (2) are about, `variants` changes what it does
not say, and `standstill` shows how its rule against deadlock fails without overtaking.
"""
