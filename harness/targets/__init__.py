"""Targets: programs, suites and Kubernetes releases that answer cases."""
