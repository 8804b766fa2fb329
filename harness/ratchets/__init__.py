"""Committed baselines that may only improve: what was seen of rules, and how many exceptions there are.

Each is a file of text with one line for each thing it holds, sorted, so that changes of several people merge. The
baseline of power is the list of known surviving mutants, `power.yaml`, which is held in `harness.power.known`.
"""
