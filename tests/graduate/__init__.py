"""Tests of harness.graduate."""
