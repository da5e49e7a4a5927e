"""Networks from files: GraphML and edge lists (read by NetworkX), BookSim's anynet format.

* `distances`: steps between vertices;
* `network`: what is read from them, whatever the format, and what is refused;
* `assembling`: from the vertices and edges of a file to switches, nodes and links;
* `graphml`, `edge_list`, `anynet`: one file per format;
* `reading`: the choice between them.
"""

from .assembling import Assembly
from .distances import distances
from .network import Link, NetworkGraph
from .reading import FORMATS, Conventions, Format, read_graph

__all__ = [
    "FORMATS",
    "Assembly",
    "Conventions",
    "Format",
    "Link",
    "NetworkGraph",
    "distances",
    "read_graph",
]
