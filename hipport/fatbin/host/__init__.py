"""What is in the file that carries device code: sections, wrappers, what its code registers."""
