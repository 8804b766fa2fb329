"""Campaigns: many runs, planned as units of work, computed by many processes, and kept in a ledger that survives them.

A plan (`plan`) is cut into units; each is one `harness run` of one shard (`unitrun`). A Dask scheduler hands them out
(`execution`); the report of each goes to the ledger (`ledger`), a folder or an object store. What is merged from there
(`result`) is a function of the plan: who computed a unit, in which order and how often does not show.
"""
