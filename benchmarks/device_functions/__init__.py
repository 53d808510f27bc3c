"""Compares the device functions of rules/helpers with CUDA's own, bit for bit, on a GPU."""
