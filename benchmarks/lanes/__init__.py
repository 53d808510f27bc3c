"""Runs converted programs that use warps on an emulator of wavefronts of 32 and of 64 lanes.

The emulator is C++ for the CPU (emulator/, include/hip/); the programs are CUDA (programs/) and
check their own results. docs/lanes.md describes what is modelled.
"""
