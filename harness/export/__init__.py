"""Tests to take away: what a target was seen to answer, written as a Go table test or as a pytest module."""
