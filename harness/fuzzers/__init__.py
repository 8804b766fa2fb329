"""What may be asked: values, edits, pairs of old and new, seed objects, and how all of these get smaller.

Asks nobody: who draws cases hands them to a target.
"""
