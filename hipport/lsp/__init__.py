"""The language server, `hipport lsp`: what editors show of a text as it is typed.

It needs pygls (`pip install 'hipport[lsp]'`). docs/editors.md describes it.
"""
