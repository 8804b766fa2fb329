"""Validating admission policies, judged by the code of a release's API server."""
