"""Generate cases: values, edits, pairs of old and new, seed objects, and their reduction.

Searches are generators that yield cases and are sent the answers. Nothing here calls a target.
"""
