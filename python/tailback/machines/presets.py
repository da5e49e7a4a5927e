"""Named machines, as ``preset = "t9000_c104"``: ``presets.toml`` has them and their sources."""

from __future__ import annotations

from ..parts import Presets

PRESETS = Presets(__file__)

#: Machines of today: with all others switches serve who came first at an input, as they did.
OF_TODAY = frozenset(
    (
        *("slingshot_like", "infiniband_like", "tpu_torus_like"),
        *("dgx_superpod_like", "spectrum_x_like", "hpn_like"),
    )
)
OF_THEIR_TIME = {"switch": {"queueing": "fifo"}}

#: What the mode `full` of such a machine is compared with, unless `run.baseline` says otherwise:
#: [Tweedie, definition 6.1].
BASELINES = {"t9000_c104": "throttled", "t9000_pair": "throttled"}
