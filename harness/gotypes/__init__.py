"""Reads Go type declarations: types.go and doc.go in, plain data out. Knows the meaning of no tag."""
