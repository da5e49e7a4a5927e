"""What contention costs programs, and whose: traces on three machines, two jobs side by side."""
