"""Answers about whole binaries, one question a file. Nothing is written."""
