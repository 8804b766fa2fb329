"""What the conformance test against the generator's own test packages is made of."""
