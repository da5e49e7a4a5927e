"""What a configuration of BookSim2 says: values by key, each asked for once, or its default.

The defaults are those of the code of BookSim2; that of `credit_delay` differs among versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import UserError, listed, nearest
from .statements import Given, read_changes, read_statements

#: What BookSim2 takes where a file says nothing.
DEFAULTS = {
    "topology": "torus",
    "k": "8",
    "n": "2",
    "c": "1",
    "x": "8",
    "y": "8",
    "xr": "1",
    "yr": "1",
    "routing_function": "none",
    "use_noc_latency": "1",
    "num_vcs": "16",
    "vc_buf_size": "8",
    "buf_size": "-1",
    "buffer_policy": "private",
    "private_bufs": "-1",
    "private_buf_size": "1",
    "private_buf_start_vc": "-1",
    "private_buf_end_vc": "-1",
    "wait_for_tail_credit": "0",
    "hold_switch_for_packet": "0",
    "input_speedup": "1",
    "output_speedup": "1",
    "internal_speedup": "1.0",
    "output_buffer_size": "-1",
    "routing_delay": "1",
    "vc_alloc_delay": "1",
    "sw_alloc_delay": "1",
    "st_prepare_delay": "0",
    "st_final_delay": "1",
    "credit_delay": "1",
    "speculative": "0",
    "vc_allocator": "islip",
    "sw_allocator": "islip",
    "traffic": "uniform",
    "perm_seed": "0",
    "hotspot_nodes": "",
    "hotspot_rates": "",
    "background_excludes": "",
    "injection_rate": "0.1",
    "injection_rate_uses_flits": "0",
    "injection_process": "bernoulli",
    "burst_alpha": "0.5",
    "burst_beta": "0.5",
    "packet_size": "1",
    "packet_size_rate": "1",
    "seed": "0",
    "sample_period": "1000",
    "warmup_periods": "3",
    "max_samples": "10",
}
#: Those that are not the same in all versions.
UNSURE = ("credit_delay", "warmup_periods")

#: Keys that only one value of can be done, and it.
ONLY = {
    "subnets": "1",
    "router": "iq",
    "classes": "1",
    "use_read_write": "0",
    "priority": "none",
    "vc_alloc_delay": "1",
    "sw_alloc_delay": "1",
    "vc_busy_when_full": "0",
    "vc_prioritize_empty": "0",
    "vc_priority_donation": "0",
    "vc_shuffle_requests": "0",
    "spec_mask_by_reqs": "0",
    "link_failures": "0",
    "express_channels": "0",
    "noq": "0",
    "output_delay": "0",
    "use_noc_latency": "1",
    "sim_power": "0",
    "channel_file": "",
    "limit": "0",
}

#: Keys that change nothing here: how a run is ended and told, and what BookSim2 itself ignores.
WITHOUT_EFFECT = (
    "acc_stopping_thres",
    "acc_warmup_thres",
    "alloc_iters",
    "arb_type",
    "batch_count",
    "batch_size",
    "channel_width",
    "class_priority",
    "deadlock_warn_timeout",
    "drain_measured_only",
    "fail_seed",
    "include_queuing",
    "in_ports",
    "latency_thres",
    "max_outstanding_requests",
    "measure_stats",
    "out_ports",
    "print_activity",
    "print_csv_results",
    "print_vc_stats",
    "shared_buf_size",
    "sim_count",
    "sim_type",
    "spec_check_cred",
    "spec_check_elig",
    "spec_use_prio",
    "stats_out",
    "stopping_thres",
    "sw_alloc_arb_type",
    "sw_alloc_iters",
    "vc_alloc_arb_type",
    "vc_alloc_iters",
    "viewer_trace",
    "warmup_thres",
    "watch_file",
    "watch_flits",
    "watch_out",
    "watch_packets",
)
#: What `packet_size` was called.
_OLD_SIZE = "const_flits_per_packet"
_OF_CLASSES = re.compile(r"(read|write)_(request|reply)_(begin_vc|end_vc|size|subnet)")


@dataclass
class Settings:
    """The values of a file, and which of them were asked for."""

    path: Path
    given: dict[str, Given]
    taken: dict[str, str] = field(default_factory=dict)
    """Keys of the file that say something here, and their values."""
    assumed: dict[str, str] = field(default_factory=dict)
    """Keys it does not give, and BookSim2's defaults."""

    @classmethod
    def read(cls, path: Path, changes: Iterable[str] = ()) -> Settings:
        """Return what a file says, and changes. Raises `UserError` for what cannot be done here."""
        found = cls(path, read_statements(path) | read_changes(changes))
        known = {*DEFAULTS, *ONLY, *WITHOUT_EFFECT}
        if _OLD_SIZE in found.given:
            found.given["packet_size"] = found.given.pop(_OLD_SIZE)
        for key, given in found.given.items():
            if key in ONLY and not _is_same(given.text, ONLY[key]):
                allowed = f"cannot be done; must be {ONLY[key] or 'left out'}"
                raise given.refused(allowed)
            if key not in known and not _OF_CLASSES.fullmatch(key):
                near = nearest(key, known)
                raise UserError(given.place, None, "is no key that is known", near)
        return found

    def text(self, key: str) -> str:
        """Return a value as it is written, or its default."""
        if key in self.given:
            self.taken[key] = self.given[key].text
            return self.taken[key]
        self.assumed[key] = DEFAULTS[key]
        return DEFAULTS[key]

    def word(self, key: str, allowed: Sequence[str]) -> str:
        """Return a value that is one of some words."""
        value = self.text(key)
        if value not in allowed:
            raise self.refused(key, f"cannot be done; must be {listed(allowed)}")
        return value

    def whole(self, key: str, least: int = 0, most: int = 2**31) -> int:
        """Return a value that is a whole number."""
        value = self.text(key)
        if not re.fullmatch(r"-?[0-9]{1,10}", value) or not least <= int(value) <= most:
            raise self.refused(key, f"must be a whole number, {least} to {most}")
        return int(value)

    def number(self, key: str, most: float) -> float:
        """Return a value that is a number above 0."""
        value = self.text(key)
        try:
            found = float(value)
        except ValueError:
            found = -1.0
        if not 0 < found <= most:
            raise self.refused(key, f"must be a number above 0, at most {most:g}")
        return found

    def flag(self, key: str) -> bool:
        """Return a value that is 0 or 1."""
        return self.whole(key, 0, 1) == 1

    def numbers(self, key: str) -> list[int]:
        """Return the whole numbers of a list, however its braces lie, or the one there is."""
        value = self.text(key)
        if not re.fullmatch(r"[{},\s0-9]*", value) or not re.search("[0-9]", value):
            raise self.refused(key, "must be whole numbers, such as {{1,5}}")
        found = [int(digits) for digits in re.findall("[0-9]{1,9}", value)]
        if len(re.findall(r"\{[^{}]*\}", value)) > 1:
            raise self.refused(key, "must be one list: traffic classes cannot be done")
        return found

    def refused(self, key: str, allowed: str) -> UserError:
        """Return the mistake that a value is."""
        if key in self.given:
            return self.given[key].refused(allowed)
        place = f"{self.path}: {key}"
        return UserError(place, f"{DEFAULTS[key]} (the default of BookSim2)", allowed)

    @property
    def without_effect(self) -> list[str]:
        """Keys of the file that nothing was made of, in its order."""
        return [key for key in self.given if key not in self.taken]


def _is_same(text: str, value: str) -> bool:
    try:
        return float(text) == float(value)
    except ValueError:
        return text == value
