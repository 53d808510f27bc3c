"""The file that carries device code: its sections, its wrappers, and what its code registers."""
