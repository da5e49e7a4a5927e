"""How well counters of ports predict what contention costs, which only a simulation knows."""
