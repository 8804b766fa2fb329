"""Schemas in OpenAPI, such as those of CRDs, as declarations of types, and as values that are worth trying."""
