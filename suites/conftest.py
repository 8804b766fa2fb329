"""In CI a skipped suite is a failure here as well: a fresh CI machine can ask every one of them."""

from tests.conftest import pytest_sessionfinish, pytest_terminal_summary

__all__ = ["pytest_sessionfinish", "pytest_terminal_summary"]
