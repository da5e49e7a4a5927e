"""How good an estimate is: fidelity `fluid` against `packet`.

`python -m studies.fluid` runs both on the same messages and writes `RESULTS.md`.
"""
