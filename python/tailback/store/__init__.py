"""What is kept in folders: one run's tables, the points of sweeps."""
