"""One run each: a request goes in, an outcome comes out. Nothing here knows a command line.

`convert`, `audit` and `verify` take what was asked for as one immutable request and return what
became of it; to see more of a run as it goes on, pass a Watch. The commands and the Python API
call the same functions.
"""
