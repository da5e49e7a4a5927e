"""Draws views into files: lines with axes and a legend, a map of two axes, or a network."""

from __future__ import annotations

from .canvas import Sheet
from .description import HeatMap, View
from .framing import Paper
from .heat_files import heat_sheet
from .line_files import line_sheet
from .network_files import network_sheet
from .network_map import NetworkMap

__all__ = ["Paper", "sheet"]

_USUAL = Paper()


def sheet(view: View, paper: Paper = _USUAL) -> Sheet:
    """Return a view of one panel as shapes; networks have a size of their own.

    Raises `UserError` if the paper is too small.
    """
    [panel] = view.panels
    networks = panel.of_kind(NetworkMap)
    if networks:
        return network_sheet(networks[0])
    is_map = bool(panel.of_kind(HeatMap))
    return (heat_sheet if is_map else line_sheet)(view, panel, paper)
