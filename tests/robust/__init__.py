"""Any text as tags or types gives diagnostics, never a traceback or a hang: fuzzed, and the corpus kept.

python -m tests.robust --seconds 600 --seed 1 --target compiler
"""
