"""Decides when two errors are the same: the matcher, path normalization, trusted wordings; and tolerated findings.

Reads field errors only, neither tags nor compiled rules.
"""
