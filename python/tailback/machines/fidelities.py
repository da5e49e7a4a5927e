"""Fidelities: how closely a run follows what happens in switches (docs/model.md)."""

from __future__ import annotations

from typing import Literal

Fidelity = Literal["token", "flit", "worm", "stream", "packet", "fluid"]
