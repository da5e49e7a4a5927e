"""Answers as text for the terminal, readable at 80 columns and without colour.

* `measured`: one experiment, alone or in several modes;
* `predicted`: what would be simulated;
* `saturation`: where a network saturates;
* `runs`: many runs;
* `scheduled`: schedules of a complete exchange;
* `failed`: why a run cannot go on;
* `layout`: what they share.
"""
