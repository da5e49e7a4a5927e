"""Chapters 5 and 6 of the thesis [Tweedie], figure by figure.

`sweeps/*.toml` say what is run, `stores/` holds what came of it, and each module
here with `FIGURES` draws some figures from it and judges what the thesis says
about them. `page` and `text` say what of it goes into the page and into `RESULTS.md`.
"""

from __future__ import annotations

from studies.tweedie.chapters import (
    costs,
    lifetimes,
    limit_maps,
    load_maps,
    modes,
    processes,
    rates,
    responses,
    saturation,
    variance,
    variance_costs,
)
from studies.tweedie.chapters.figure import Figure

FIGURES: tuple[Figure, ...] = (
    *rates.FIGURES,
    *saturation.FIGURES,
    *load_maps.FIGURES,
    *limit_maps.FIGURES,
    *modes.FIGURES,
    *lifetimes.FIGURES,
    *responses.FIGURES,
    *costs.FIGURES,
    *variance.FIGURES,
    *variance_costs.FIGURES,
    *processes.FIGURES,
)
"""All figures, in the order of the thesis."""
