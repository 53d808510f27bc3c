"""hipport moves CUDA code to AMD GPUs."""

__version__ = "0.1.0"
