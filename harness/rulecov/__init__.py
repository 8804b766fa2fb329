"""Which rules an API declares, and which of them were seen to fire."""
