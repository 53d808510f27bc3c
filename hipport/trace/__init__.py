"""Launches in sources, joined with the kernels of binaries."""
