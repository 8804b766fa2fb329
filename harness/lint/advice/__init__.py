"""Our own lint rules: one module per subject."""
