"""Custom resources judged in Python, as an API server judges them: decoding, OpenAPI schema, list types, CEL rules."""
