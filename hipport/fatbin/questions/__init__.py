"""Answers about whole binaries, one question per file. Nothing is written."""
