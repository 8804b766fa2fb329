"""Proof of the harness's own power: breaks one rule at a time, and tells whether a run of a given budget notices."""
