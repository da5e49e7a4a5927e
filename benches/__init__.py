"""Benchmarks: what a run costs in time and memory, against stated goals."""
