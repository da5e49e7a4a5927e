"""The results of a sweep as a picture: `plot`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tailback import plots
from tailback.plots import Plot

from .stores import Results, store_of


def plot(  # noqa: PLR0913  # each a thing that can be asked for
    results: Results,
    x: str | None = None,
    y: str | None = None,
    *,
    mode: str | None = None,
    where: Sequence[str] = (),
    title: str | None = None,
    out: str | os.PathLike[str] | None = None,
    cdf: str | None = None,
) -> Plot:
    """Return the picture that suits the results of a sweep, or the one of `y` against `x`.

    `x` is a parameter that was varied, or a metric; `y` a metric, `theta_t` or `theta_r`. Or the
    distribution of what `cdf` names: that of a percentile without its end, such as
    `message_latency`, or `flow_completion`.
    Runs for which `where` does not hold are left out. `out` is a file to write it into: SVG,
    or PDF and PNG with the extra `plot`. A notebook shows what is returned. Raises
    `UserError` for names that are not known, and where nothing was varied.
    """
    made = plots.plot(store_of(results), x, y, mode=mode, where=where, title=title, cdf=cdf)
    if out is not None:
        made.save(out)
    return made
