"""Mutation testing of what moves packets: whether twins notice faults in kernels and switches."""
