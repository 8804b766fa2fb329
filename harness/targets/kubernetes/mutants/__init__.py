"""Mutants of handwritten validators: single edits of their Go code, all in one build, one of them chosen at start."""
