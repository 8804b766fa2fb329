"""Which calls of handwritten validators report an error at which field of a kind, as the sources show it.

The Go files here are a program that follows paths from the strategies of a kind to the calls that make an error.
"""
