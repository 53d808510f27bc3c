"""Whether a converted program is still the same program, found out with NVIDIA's own tools.

The rulebook read backwards turns the HIP names of a converted program into CUDA again, in a header.
Through it nvcc compiles the converted program; its PTX and its output must be the original's.
`docs/equivalence.md` says what this proves and what it does not.
"""
