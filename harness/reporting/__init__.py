"""Reports are functions of the document: terminal, JUnit and HTML read what is saved, nothing else."""

from __future__ import annotations

REPORTS: tuple[str, ...] = ("terminal", "junit", "html")
"""Renderings in reading order; each is a module of this package."""
