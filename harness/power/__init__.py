"""Mutation testing of the harness itself: mutates one rule at a time, and tells whether a run of a budget kills it."""
