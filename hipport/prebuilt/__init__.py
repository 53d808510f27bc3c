"""Binaries in a tree: what they hold and need, and what that means for a port."""
