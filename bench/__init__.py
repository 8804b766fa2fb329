"""How fast, and where does the time go? Every number stands beside a peer's, measured in the same run."""
