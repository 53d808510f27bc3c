"""One run each: a request goes in, an outcome comes out. Nothing here knows a command line.

`convert`, `audit` and `verify` take what was asked for as one immutable request and return what
became of it; who wants to see more while they run passes a Watch. The commands and the Python API
call the same functions.
"""
