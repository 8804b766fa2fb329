"""Reads what clusters store: dumps of kubectl, one object at a time, whatever their size.

Nothing here keeps an object, and no value of a Secret or a ConfigMap leaves this package: `harness.stored.redaction`
replaces them as soon as an object is read.
"""
