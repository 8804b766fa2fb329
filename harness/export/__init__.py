"""Export of tests: the answers of a target to findings and boundary values, as a Go table test or a pytest module."""
