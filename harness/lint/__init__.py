"""Advice on tags before anything runs: upstream's lint rules and ours, each a function from a package to findings."""
