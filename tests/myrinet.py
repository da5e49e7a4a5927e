"""Files of the Myrinet simulator: two crossbars and the routes between their hosts."""

from __future__ import annotations

TOPOLOGY = """\
# Two crossbars.
S0: P0 P1 D
    S1.0   # goes on
S1: S0.3 P2 P3 D
"""
ROUTES = """\
p0 p1 1
p0 p2 31
p0 p3 32
p1 p0 0
p1 p2 31
p1 p3 32
p2 p0 00
p2 p1 01
p2 p3 2
p3 p0 00
p3 p1 01
p3 p2 1
"""
