"""Networks of clusters from files of tools and other simulators, as experiments.

* `description`: switches, hosts, cables and addresses, whatever the form of the file; a reader;
* `ibnetdiscover`, `htsim`, `ns3`, `slurm`, `codes`, `lingjun`, `infragraph`, `graph_files`: one
  file per source;
* `readers`: all of them, and which one a file is for;
* `rows`, `forwarding`, `installed`: forwarding tables, read and checked; `host_routes`: without;
* `graph_text`, `experiment`: the graph file and the tables of the experiment that are written.
"""

from __future__ import annotations

from .made import Imported, import_network
from .readers import READERS

__all__ = ["READERS", "Imported", "import_network"]
