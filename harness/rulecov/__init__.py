"""Rule coverage: the rules that an API declares, and which of them fired in a run."""
