"""When two errors are the same: the matcher, path normalization, trusted wordings, tolerated findings.

Sees lists of field errors and nothing else; knows no tag and no compiler.
"""
