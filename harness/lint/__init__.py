"""Lint rules for validation tags, upstream's and ours: each is a function from a Go package to findings."""
