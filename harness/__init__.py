"""Equivalence and fuzz test harness for migrations of validation."""

__version__ = "0.1.0"
