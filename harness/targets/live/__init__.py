"""An API server that runs: a release's own, started for the purpose, or one that is there already."""
