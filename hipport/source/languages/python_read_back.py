"""Whether Python can be read: by its own parser, which compiles nothing."""

from __future__ import annotations


def python_errors(data: bytes) -> int:
    """1 for a file with a syntax error, else 0."""
    import ast
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Of escapes in literals, which are the project's own.
        try:
            ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return 1
    return 0
