"""Verifies a change in git: what it touches, how base and head answer there, and a verdict for each field."""
