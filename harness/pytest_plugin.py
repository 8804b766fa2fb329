"""Collects suites as pytest items."""
