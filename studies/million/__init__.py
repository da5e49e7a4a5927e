"""A million nodes and ten million messages on one core: time, memory and speed.

`python -m studies.million` runs a mesh, a dragonfly and a fat tree, a tenth of their size before,
and writes `RESULTS.md`.
"""
