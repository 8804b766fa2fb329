"""CRDs for tests, and changes of them."""
