"""Follows values through device functions: which differ between lanes, and what depends on them.

It reads text, as all checks do, and follows assignments, constants, and arguments inside one file.
"""
