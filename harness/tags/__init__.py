"""The `+k8s:` tags: their grammar, what each declares, and what each means. Compiles nothing."""
