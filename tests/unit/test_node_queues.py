"""What nodes do to their own messages, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.answers.of_cost import of_cost


def test_messages_that_wait_behind_one_for_a_slower_link_are_told() -> None:
    """Neighbours of a torus, with links of their own: 100 kB take 8.064 us, whatever the others do.

    A node that sends one after the other takes twice as long, "because of links shared".
    """
    tables: dict[str, Any] = {
        "machine": {
            "topology": {"kind": "torus", "dims": [4, 4]},
            "link": {"rate": "100 Gbit/s"},
            "node_link": {"rate": "1 Tbit/s"},
        },
        "workload": {
            "kind": "torus",
            "sides": [4, 4],
            "message_size": "100 kB",
            "compute": "10 us",
            "exchanges": 1,
        },
    }
    hint = "A node sends its messages one after the other"
    in_order = tb.cost(tb.Experiment.from_dict(tables))
    assert any(hint in sentence for sentence in of_cost(in_order).sentences)
    tables["machine"]["interface"] = {"message_order": "round_robin"}
    at_once = tb.cost(tb.Experiment.from_dict(tables))
    assert not any(hint in sentence for sentence in of_cost(at_once).sentences)
    took = {name: found["completion_us"].value for name, found in at_once.modes.items()}
    assert took["full"] == pytest.approx(10 + 8.064, rel=0.01)
    assert in_order.modes["full"]["completion_us"].value > 1.5 * took["full"]
