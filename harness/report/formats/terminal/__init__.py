"""Renders a report for the terminal."""
