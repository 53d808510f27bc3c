"""What is in one AMDGPU code object: target, notes, metadata, kernels, instructions."""
