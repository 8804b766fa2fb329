"""The published JSON Schema of the wire protocol."""
