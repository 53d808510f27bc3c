"""Answers about whole binaries, one question a file. They read and write nothing."""
