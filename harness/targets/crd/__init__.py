"""CRDs as a target: the code of the API server of a release judges their objects."""
