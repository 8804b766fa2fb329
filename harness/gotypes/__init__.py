"""Parses the Go type declarations of types.go and doc.go to plain data, without interpreting tags."""
